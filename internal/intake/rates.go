package intake

import (
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"errand"
	"errand/internal/commands"
	"errand/internal/service"
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

// Pace counts a message of a person to an account. It fails with an [*Error] that
// says how long to wait if they, or all people there, are too fast. Accept calls
// it.
func (i *Intake) Pace(by service.Actor, at errand.Account) error {
	return i.paceOf(by, at, &counted{})
}

func (i *Intake) paceOf(by service.Actor, at errand.Account, c *counted) error {
	return tooFast(i.pace.count(c, c.sent, pace{"person " + string(by.Person), i.options.Rates.Person}, i.together(at, by.Role)))
}

// strangerPerMinute is how many messages of somebody whom nobody knows are looked
// at in a minute: enough to ask, and so few that it takes a crowd to use up what all
// strangers of an account have.
const strangerPerMinute = 10

// paceStranger counts a message of somebody whom nobody knows: however many there
// are, they keep nobody from writing who is known.
func (i *Intake) paceStranger(in Inbound, c *counted) error {
	most := strangerPerMinute
	if i.options.Rates.Person > 0 {
		most = min(most, i.options.Rates.Person)
	}
	stranger := pace{"stranger " + in.Route.Channel + " " + in.Sender.IDs[0], most}
	return tooFast(i.pace.count(c, in.Sent, stranger, i.strangers(in.Route.At())))
}

// strangers is the rate of all whom nobody knows.
func (i *Intake) strangers(at errand.Account) pace {
	return pace{"strangers " + at.String(), i.options.Rates.Channel}
}

// together is the rate of all who write to an account. Where anybody is let in, a
// flood of strangers is one of people who have just become known: they are
// measured with the strangers, and keep nobody waiting who has a higher role.
// Elsewhere somebody has let each guest in, and strangers keep none waiting.
func (i *Intake) together(at errand.Account, role errand.Role) pace {
	access := i.service.Access.On(errand.Route{Channel: at.Channel, Account: at.Name})
	switch {
	case access.Mode == service.AccessOpen && (!role.Includes(errand.Member) || access.RoleOr(errand.Guest).Includes(role)):
		return i.strangers(at)
	case !role.Includes(errand.Member):
		return pace{"guests " + at.String(), i.options.Rates.Channel}
	}
	return pace{"known " + at.String(), i.options.Rates.Channel}
}

// inTime paces a message. Whoever wants to stop need not wait; often says that
// they want to so often that they are not answered any more.
func (i *Intake) inTime(in message, text string) (often bool, err error) {
	if commands.Is("/stop", text) && !in.Forwarded {
		return i.answeredOften("stop", in.by.Person, in.counted), nil
	}
	if in.admitted {
		return false, nil
	}
	return false, i.paceOf(in.by, in.Route.At(), in.counted)
}

// answeredOften counts an answer to somebody, and reports whether it is one too
// many.
func (i *Intake) answeredOften(what string, to errand.PersonID, c *counted) bool {
	return i.pace.count(c, time.Time{}, pace{what + " " + string(to), answersPerMinute}) > 0
}

// settle sees to it that a message counts once, however often it is delivered. Who
// draws the ids of messages could send one without end: what comes again counts
// too when there is too much of that.
func (i *Intake) settle(in message, before bool, err error) {
	if before && i.pace.count(&counted{}, time.Time{}, pace{"again " + string(in.by.Person), i.options.Rates.Person}) == 0 {
		i.pace.uncount(in.counted)
	}
	i.excuse(in.counted, err)
}

// excuse does not count a message that comes again because something failed.
func (i *Intake) excuse(c *counted, err error) {
	if err != nil && !errors.As(err, new(*service.Error)) {
		i.pace.uncount(c)
	}
}

// tooFastCode is of the [*Error] that a message came too fast.
const tooFastCode = "too_fast"

func tooFast(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	no := &service.Error{Status: http.StatusTooManyRequests, Code: tooFastCode, Message: "that was too fast: " + seconds(wait) + " from now it can be sent again; everything before it is taken in"}
	return service.Spoken(no, "refused.fast", "seconds", strconv.Itoa(wholeSeconds(wait)))
}

func wholeSeconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

func seconds(d time.Duration) string {
	n := wholeSeconds(d)
	if n == 1 {
		return "1 second"
	}
	return strconv.Itoa(n) + " seconds"
}
