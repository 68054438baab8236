package web

import (
	"time"

	"errand/internal/limit"
)

// An addressLimit limits attempts by address, across all workers.
type addressLimit struct {
	what    string
	every   time.Duration
	burst   int
	total   bool // limits all addresses together to ten times the rate
	limiter limit.Limiter
}

const mostAddresses = 4096

func (o Options) newAddressLimit(what string, every time.Duration, burst int) *addressLimit {
	return &addressLimit{what: what, every: every, burst: burst, limiter: limit.Limiter{Most: mostAddresses, Rows: o.RateRows, Logger: o.Logger}}
}

func (a *addressLimit) exhausted(address string) bool {
	return a.limiter.Wait(a.buckets(address)...) > 0
}

func (a *addressLimit) allow(address string) bool {
	return a.limiter.Allow(&limit.Tokens{}, a.buckets(address)...) == 0
}

func (a *addressLimit) buckets(address string) []limit.Bucket {
	list := []limit.Bucket{{Key: a.what + " " + address, Every: a.every, Burst: a.burst}}
	if a.total {
		list = append(list, limit.Bucket{Key: a.what + " of all", Every: a.every / 10, Burst: 10 * a.burst})
	}
	return list
}
