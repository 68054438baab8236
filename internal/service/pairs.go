package service

import (
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/limit"
)

// AllowPairs counts that an agent asks others in a conversation: PairPerHour times within
// an hour any two may, whichever asks. Where it is too often for one of them it counts
// nothing, and returns how long they have to wait.
func (s *Service) AllowPairs(conversation string, from errand.AgentName, to []errand.AgentName) (wait time.Duration) {
	if s.PairPerHour <= 0 {
		return 0
	}
	buckets := make([]limit.Bucket, len(to))
	for i, n := range to {
		pair := []string{string(from), string(n)}
		slices.Sort(pair)
		buckets[i] = limit.Bucket{Key: "pair " + conversation + " " + strings.Join(pair, " "), Every: time.Hour / time.Duration(s.PairPerHour), Burst: s.PairPerHour}
	}
	return s.limiter.Allow(&limit.Tokens{}, buckets...)
}
