package intake

import (
	"errors"
	"log/slog"
	"math"
	"strconv"
	"time"

	"errand/internal/actor"
	"errand/internal/commands"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/service"
	"errand/internal/texts"
)

// Rates limit messages by the minute in which they were written. Zero means no limit. All messages
// of a minute may arrive at once.
type Rates struct {
	Person  int // of one person, on all channels
	Channel int // on one account; guests and strangers have counters of their own
}

// answersPerMinute limits how often errand answers one person's messages that no rate limits or
// that come in large numbers, such as /stop and stickers.
const answersPerMinute = 10

// A Limiter counts messages. It is safe for concurrent use.
type Limiter struct {
	rates  Rates
	access service.AccessRules
	now    func() time.Time
	counts *limit.Limiter
}

// NewLimiter returns a Limiter for the intake and the operations of an installation. If rows is
// set, all workers share its counters.
func NewLimiter(rates Rates, rows limit.Rows, access service.AccessRules, now func() time.Time, logger *slog.Logger) *Limiter {
	return &Limiter{rates, access, now, &limit.Limiter{Now: now, Rows: rows, Logger: logger}}
}

// Count counts a message on the page or the API.
func (l *Limiter) Count(by actor.Actor) error { return l.AllowMessage(by, core.WebRoute("").At()) }

// AllowMessage counts a message of a person to an account. Its error is a [*service.Error] that
// says how long to wait. Accept calls it.
func (l *Limiter) AllowMessage(by actor.Actor, at core.Account) error {
	return l.allowPerson(by, at, time.Time{}, &limit.Tokens{})
}

// CheckRate returns the error that AllowMessage would return now, but counts nothing.
func (l *Limiter) CheckRate(by actor.Actor, at core.Account) error {
	return tooFast(l.counts.Wait(l.personBuckets(by, at, time.Time{})...))
}

// allowPerson counts a message at the time sent; zero: now.
func (l *Limiter) allowPerson(by actor.Actor, at core.Account, sent time.Time, t *limit.Tokens) error {
	return tooFast(l.counts.Allow(t, l.personBuckets(by, at, sent)...))
}

func (l *Limiter) personBuckets(by actor.Actor, at core.Account, sent time.Time) []limit.Bucket {
	return []limit.Bucket{l.bucket("person "+string(by.Person), l.rates.Person, sent), l.everybodys(at, by.Role, sent)}
}

// strangerPerMinute is enough to request access. It is small, so that only many strangers together
// can exhaust the limit for all strangers of an account.
const strangerPerMinute = 10

// allowStranger counts strangers separately, so that they cannot block known senders.
func (l *Limiter) allowStranger(in Inbound, t *limit.Tokens) error {
	most := strangerPerMinute
	if l.rates.Person > 0 {
		most = min(most, l.rates.Person)
	}
	stranger := l.bucket("stranger "+in.Route.Channel+" "+in.Sender.IDs[0], most, in.Sent)
	return tooFast(l.counts.Allow(t, stranger, l.strangers(in.Route.At(), in.Sent)))
}

// bucket returns the bucket for the minute in which a message was written. After downtime, messages
// of many minutes arrive at once, and in any order across the chats.
func (l *Limiter) bucket(key string, perMinute int, sent time.Time) limit.Bucket {
	now := l.now()
	if late := min(now.Sub(sent), longestBacklog); !sent.IsZero() && late > time.Minute {
		key += " in " + strconv.FormatInt(now.Add(-late).Unix()/60, 10)
	}
	return limit.PerMinute(key, perMinute)
}

const longestBacklog = 7 * 24 * time.Hour

func (l *Limiter) strangers(at core.Account, sent time.Time) limit.Bucket {
	return l.bucket("strangers "+at.String(), l.rates.Channel, sent)
}

// everybodys returns the bucket of all senders of an account. In open mode it counts new people
// with the strangers, so that a flood of them does not delay higher roles. In other modes guests
// were let in, and strangers do not delay them.
func (l *Limiter) everybodys(at core.Account, role core.Role, sent time.Time) limit.Bucket {
	access := l.access.On(core.Route{Channel: at.Channel, Account: at.Name})
	switch {
	case access.Mode == service.AccessOpen && (!role.Includes(core.Member) || access.RoleOr(core.Guest).Includes(role)):
		return l.strangers(at, sent)
	case !role.Includes(core.Member):
		return l.bucket("guests "+at.String(), l.rates.Channel, sent)
	}
	return l.bucket("known "+at.String(), l.rates.Channel, sent)
}

// allow never refuses /stop. silent means that it comes too often for an answer.
func (i *Intake) allow(m message, text string) (silent bool, err error) {
	if commands.Is("/stop", text) && !m.Forwarded {
		return !i.allowAnswer("stop", m.by.Person, m.tokens), nil
	}
	if m.admitted {
		return false, nil
	}
	return false, i.allowPerson(m.by, m.Route.At(), m.Sent, m.tokens)
}

func (l *Limiter) allowAnswer(what string, to core.PersonID, t *limit.Tokens) bool {
	return l.counts.Allow(t, limit.PerMinute(what+" "+string(to), answersPerMinute)) == 0
}

// refundRepeat returns the tokens of a message that was delivered before. It does so at a limited
// rate, because a sender who chooses the ids could repeat a message forever. Shared counters cannot
// refund.
func (l *Limiter) refundRepeat(m message) {
	if l.counts.Allow(&limit.Tokens{}, limit.PerMinute("again "+string(m.by.Person), l.rates.Person)) == 0 {
		l.counts.Refund(m.tokens)
	}
}

// refundFailure returns the tokens of a message that will be delivered again. Shared counters
// cannot refund, so they count each delivery.
func (l *Limiter) refundFailure(t *limit.Tokens, err error) {
	if err != nil && !errors.As(err, new(*service.Error)) {
		l.counts.Refund(t)
	}
}

const tooFastCode = "too_fast"

func tooFast(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	n := wholeSeconds(wait)
	text := texts.Key("refusal.fast")
	if n == 1 {
		text = "refusal.fast_one"
	}
	return service.InChat(service.TooMany(tooFastCode, time.Duration(n)*time.Second, text, "seconds", n), "refused.fast", "seconds", n)
}

func wholeSeconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }
