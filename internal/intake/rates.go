package intake

import (
	"errors"
	"math"
	"strconv"
	"time"

	"errand"
	"errand/internal/commands"
	"errand/internal/limit"
	"errand/internal/service"
	"errand/internal/texts"
)

// Rates bound how many messages are taken in a minute. Zero is no bound. As many
// may come at once. What has waited for us is measured by when it was written.
type Rates struct {
	Person  int // of one person, on whatever channel
	Channel int // on one account as a whole; those of guests and of strangers count for themselves
}

// answersPerMinute is how often somebody is told within a minute what errand itself
// says to messages that no rate bounds, or that come by the dozen: each /stop, each
// sticker.
const answersPerMinute = 10

// AllowMessage counts a message of a person to an account. It fails with a
// [*service.Error] that says how long to wait if they, or all people there, are too
// fast. Accept calls it.
func (i *Intake) AllowMessage(by service.Actor, at errand.Account) error {
	return i.allowPerson(by, at, time.Time{}, &limit.Tokens{})
}

// CheckRate fails as AllowMessage would now, and counts nothing.
func (i *Intake) CheckRate(by service.Actor, at errand.Account) error {
	return tooFast(i.limiter.Wait(i.personBuckets(by, at, time.Time{})...))
}

// allowPerson is AllowMessage for a message that was sent at a time; zero: now.
func (i *Intake) allowPerson(by service.Actor, at errand.Account, sent time.Time, t *limit.Tokens) error {
	return tooFast(i.limiter.Allow(t, i.personBuckets(by, at, sent)...))
}

func (i *Intake) personBuckets(by service.Actor, at errand.Account, sent time.Time) []limit.Bucket {
	return []limit.Bucket{i.bucket("person "+string(by.Person), i.options.Rates.Person, sent), i.everybodys(at, by.Role, sent)}
}

// strangerPerMinute is how many messages of somebody whom nobody knows are looked
// at in a minute: enough to ask, and so few that it takes a crowd to use up what all
// strangers of an account have.
const strangerPerMinute = 10

// allowStranger counts a message of somebody whom nobody knows: however many there
// are, they keep nobody from writing who is known.
func (i *Intake) allowStranger(in Inbound, t *limit.Tokens) error {
	most := strangerPerMinute
	if i.options.Rates.Person > 0 {
		most = min(most, i.options.Rates.Person)
	}
	stranger := i.bucket("stranger "+in.Route.Channel+" "+in.Sender.IDs[0], most, in.Sent)
	return tooFast(i.limiter.Allow(t, stranger, i.strangers(in.Route.At(), in.Sent)))
}

// bucket has room for the messages of a minute. One that comes later than that belongs
// to the minute in which it was written: what piled up while we were away comes all at
// once, and in no order over the chats.
func (i *Intake) bucket(key string, perMinute int, sent time.Time) limit.Bucket {
	now := i.service.Now()
	if late := min(now.Sub(sent), longestBacklog); !sent.IsZero() && late > time.Minute {
		key += " in " + strconv.FormatInt(now.Add(-late).Unix()/60, 10)
	}
	return limit.PerMinute(key, perMinute)
}

// longestBacklog is how long a message may have waited for us. What seems to be older
// was written then.
const longestBacklog = 7 * 24 * time.Hour

func (i *Intake) strangers(at errand.Account, sent time.Time) limit.Bucket {
	return i.bucket("strangers "+at.String(), i.options.Rates.Channel, sent)
}

// everybodys is the bucket of all who write to an account. Where anybody is let in, a
// flood of strangers is one of people who have just become known: they are
// counted with the strangers, and keep nobody waiting who has a higher role.
// Elsewhere somebody has let each guest in, and strangers keep none waiting.
func (i *Intake) everybodys(at errand.Account, role errand.Role, sent time.Time) limit.Bucket {
	access := i.service.Access.On(errand.Route{Channel: at.Channel, Account: at.Name})
	switch {
	case access.Mode == service.AccessOpen && (!role.Includes(errand.Member) || access.RoleOr(errand.Guest).Includes(role)):
		return i.strangers(at, sent)
	case !role.Includes(errand.Member):
		return i.bucket("guests "+at.String(), i.options.Rates.Channel, sent)
	}
	return i.bucket("known "+at.String(), i.options.Rates.Channel, sent)
}

// allow counts a message. Whoever wants to stop need not wait; silent says that they
// want to so often that they are not answered any more.
func (i *Intake) allow(m message, text string) (silent bool, err error) {
	if commands.Is("/stop", text) && !m.Forwarded {
		return !i.allowAnswer("stop", m.by.Person, m.tokens), nil
	}
	if m.admitted {
		return false, nil
	}
	return false, i.allowPerson(m.by, m.Route.At(), m.Sent, m.tokens)
}

// allowAnswer counts an answer to somebody, and reports whether there were not too
// many yet.
func (i *Intake) allowAnswer(what string, to errand.PersonID, t *limit.Tokens) bool {
	return i.limiter.Allow(t, limit.PerMinute(what+" "+string(to), answersPerMinute)) == 0
}

// refundRepeat gives back what a message took from the limits of this process if it was
// delivered before. Counters that workers share count it again. A sender who chooses the ids
// of messages could repeat one without end: repeats count here too if there are too many.
func (i *Intake) refundRepeat(m message) {
	if i.limiter.Allow(&limit.Tokens{}, limit.PerMinute("again "+string(m.by.Person), i.options.Rates.Person)) == 0 {
		i.limiter.Refund(m.tokens)
	}
}

// refundFailure gives back what a message took from the limits of this process if something
// failed, because it is delivered again. Counters that workers share count it each time.
func (i *Intake) refundFailure(t *limit.Tokens, err error) {
	if err != nil && !errors.As(err, new(*service.Error)) {
		i.limiter.Refund(t)
	}
}

// tooFastCode is of the [*Error] that a message came too fast.
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
