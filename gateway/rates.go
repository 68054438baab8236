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
	Channel int // on one account as a whole; those of guests and strangers count for themselves
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

// answersPerMinute is how often somebody is told within a minute what errand itself
// says to messages that no rate bounds, or that come by the dozen: each /stop, each
// sticker.
const answersPerMinute = 10

// Pace counts a message of a person to an account. It fails with an [*Error] that
// says how long to wait if they, or all people there, are too fast. Accept calls
// it.
func (g *Gateway) Pace(by Actor, at errand.Account) error {
	return tooFast(g.pace.wait(pace{"person " + string(by.Person), g.Rates.Person}, g.together(at, by.Role)))
}

// paceStranger counts a message of somebody whom nobody knows: however many there
// are, they keep nobody from writing who is known.
func (g *Gateway) paceStranger(at errand.Account, id string) error {
	return tooFast(g.pace.wait(pace{"stranger " + at.Channel + " " + id, g.Rates.Person}, g.together(at, errand.Guest)))
}

// together is the rate of all who write to an account. Where anybody is let in, a
// flood of strangers is one of people who have just become known: they are
// measured with the strangers, and keep nobody waiting who has a higher role.
func (g *Gateway) together(at errand.Account, role errand.Role) pace {
	access := g.access(errand.Route{Channel: at.Channel, Account: at.Name})
	if !role.Includes(errand.Member) || access.Mode == AccessOpen && access.role(errand.Guest).Includes(role) {
		return pace{"strangers " + at.String(), g.Rates.Channel}
	}
	return pace{"known " + at.String(), g.Rates.Channel}
}

// inTime paces a message. Whoever wants to stop need not wait; often says that
// they want to so often that they are not answered any more.
func (g *Gateway) inTime(in Inbound, text string) (often bool, err error) {
	if words := strings.Fields(text); len(words) > 0 && strings.EqualFold(words[0], "/stop") {
		return g.answeredOften("stop", in.Person), nil
	}
	if in.paced {
		return false, nil
	}
	return false, g.Pace(Actor{Person: in.Person, Role: in.Role}, in.Route.At())
}

// answeredOften counts an answer to somebody, and reports whether it is one too
// many.
func (g *Gateway) answeredOften(what string, to errand.PersonID) bool {
	return g.pace.wait(pace{what + " " + string(to), answersPerMinute}) > 0
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
