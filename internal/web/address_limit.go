package web

import (
	"net"
	"time"

	"errand/internal/limit"
)

// An addressLimit lets each remote address do something burst times, and then once in every,
// at all workers together. Other addresses do not wait for one that is too fast.
type addressLimit struct {
	what    string
	every   time.Duration
	burst   int
	total   bool // all addresses together may do it ten times as often
	limiter limit.Limiter
}

const mostAddresses = 4096

func (o Options) newAddressLimit(what string, every time.Duration, burst int) *addressLimit {
	return &addressLimit{what: what, every: every, burst: burst, limiter: limit.Limiter{Most: mostAddresses, Rows: o.RateRows, Logger: o.Logger}}
}

// exhausted reports whether an address may not do it now.
func (a *addressLimit) exhausted(address string) bool {
	return a.limiter.Wait(a.buckets(address)...) > 0
}

func (a *addressLimit) allow(address string) bool {
	return a.limiter.Allow(&limit.Tokens{}, a.buckets(address)...) == 0
}

func (a *addressLimit) buckets(address string) []limit.Bucket {
	list := []limit.Bucket{{Key: a.what + " " + network(address), Every: a.every, Burst: a.burst}}
	if a.total {
		list = append(list, limit.Bucket{Key: a.what + " of all", Every: a.every / 10, Burst: 10 * a.burst})
	}
	return list
}

// network returns what counts as one address: for IPv6 the /64 that one customer
// has.
func network(address string) string {
	ip := net.ParseIP(address)
	if ip == nil || ip.To4() != nil {
		return address
	}
	return ip.Mask(net.CIDRMask(64, 128)).String()
}
