package gateway

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"errand"
)

// Rates bound how many messages are taken in a minute. Zero is no bound. As many
// may come at once.
type Rates struct {
	Person  int // of one person, on whatever channel
	Channel int // of one channel as a whole; those of strangers count for themselves
}

// mostPaces is how many rates are kept; those that are at rest are forgotten
// first.
const mostPaces = 10_000

// A pacer measures the rates of messages. What was measured is not kept over a
// restart.
type pacer struct {
	now   func() time.Time
	mu    sync.Mutex
	rates map[string]*rate.Limiter
}

func newPacer(now func() time.Time) *pacer {
	if now == nil {
		now = time.Now
	}
	return &pacer{now: now, rates: map[string]*rate.Limiter{}}
}

// A pace is a rate that a message has to keep.
type pace struct {
	key       string
	perMinute int
}

// wait takes one message from each pace, or none from any and returns how long
// it would have to wait.
func (p *pacer) wait(paces ...pace) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, longest := p.now(), time.Duration(0)
	var taken []*rate.Reservation
	for _, c := range paces {
		if c.perMinute <= 0 {
			continue
		}
		r := p.limiter(c).ReserveN(now, 1)
		taken = append(taken, r)
		longest = max(longest, r.DelayFrom(now))
	}
	if longest > 0 {
		for _, r := range taken {
			r.CancelAt(now)
		}
	}
	return longest
}

func (p *pacer) limiter(c pace) *rate.Limiter {
	l := p.rates[c.key]
	if l == nil {
		p.forget()
		l = rate.NewLimiter(rate.Limit(float64(c.perMinute)/60), c.perMinute)
		p.rates[c.key] = l
	}
	return l
}

// forget makes room: a rate that is at rest is as good as a new one.
func (p *pacer) forget() {
	if len(p.rates) < mostPaces {
		return
	}
	for key, l := range p.rates {
		if l.TokensAt(p.now()) >= float64(l.Burst()) {
			delete(p.rates, key)
		}
	}
}

// Pace counts a message of a person on a channel. It fails with an [*Error] that
// says how long to wait if they, or all people there, are too fast. Accept calls
// it.
func (g *Gateway) Pace(person errand.PersonID, channel string) error {
	return tooFast(g.pace.wait(pace{"person " + string(person), g.Rates.Person}, pace{"channel " + channel, g.Rates.Channel}))
}

// paceStranger counts a message of somebody whom nobody knows: however many there
// are, they keep nobody from writing who is known.
func (g *Gateway) paceStranger(channel, id string) error {
	return tooFast(g.pace.wait(pace{"stranger " + channel + " " + id, g.Rates.Person}, pace{"strangers " + channel, g.Rates.Channel}))
}

// inTime paces a message. Whoever wants to stop need not wait.
func (g *Gateway) inTime(in Inbound, text string) error {
	if first, _, _ := strings.Cut(text, " "); strings.EqualFold(first, "/stop") {
		return nil
	}
	return g.Pace(in.Person, in.Route.Channel)
}

// tooFastCode is of the [*Error] that a message came too fast.
const tooFastCode = "too_fast"

func tooFast(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	no := &Error{http.StatusTooManyRequests, tooFastCode, "that was too fast: " + seconds(wait) + " from now it can be sent again; everything before it is taken in"}
	return &spoken{no, "refused.fast", []string{"seconds", strconv.Itoa(wholeSeconds(wait))}}
}

func wholeSeconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

func seconds(d time.Duration) string {
	n := wholeSeconds(d)
	if n == 1 {
		return "1 second"
	}
	return strconv.Itoa(n) + " seconds"
}
