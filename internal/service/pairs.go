package service

import (
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/limit"
)

// AllowPairs counts a request from one agent to each agent of to in a conversation. Two agents may ask
// each other PairPerHour times an hour. If a pair has asked too often, AllowPairs counts nothing and
// returns how long to wait.
func (i *Internal) AllowPairs(conversation string, from core.AgentName, to []core.AgentName) (wait time.Duration) {
	if i.PairPerHour <= 0 {
		return 0
	}
	buckets := make([]limit.Bucket, len(to))
	for j, n := range to {
		pair := []string{string(from), string(n)}
		slices.Sort(pair)
		buckets[j] = limit.Bucket{Key: "pair " + conversation + " " + strings.Join(pair, " "), Every: time.Hour / time.Duration(i.PairPerHour), Burst: i.PairPerHour}
	}
	return i.limiter.Allow(&limit.Tokens{}, buckets...)
}
