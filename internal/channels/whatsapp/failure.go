package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"errand/notifiers"
)

// Name is the name of the channel in a route.
const Name = "whatsapp"

const (
	retrySoon = 5 * time.Second
	retryBusy = time.Minute // WhatsApp does not say how long to wait
)

const (
	noMember = "the account is not in the group: somebody has to add it, and then this can be retried"
	noGroup  = "the group does not exist any more"
	nobody   = "there is nobody on WhatsApp with this number"
)

// LinkAdvice tells the operator how to link an account.
func LinkAdvice(account string) string {
	return "link it with " + notifiers.SetUp(Name, account) + ", or scan the QR code on the page /channels: on the phone, Settings, Linked devices, Link a device"
}

func notDone(after time.Duration, format string, args ...any) notifiers.Failure {
	return notifiers.Failure{Kind: notifiers.FailureNotDone, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

func refused(format string, args ...any) notifiers.Failure {
	return notifiers.Failure{Kind: notifiers.FailureRefused, Err: fmt.Errorf(format, args...)}
}

func unknown(format string, args ...any) notifiers.Failure {
	return notifiers.Failure{Kind: notifiers.FailureUnknown, Err: fmt.Errorf(format, args...)}
}

func chatGone(why string) notifiers.Failure {
	return notifiers.Failure{Kind: notifiers.FailureRefused, ChatGone: true, Err: errors.New(why)}
}

// ErrOvertaken means that a message was not sent, because another one arrived from the same person
// during its encryption. See sessions.
var ErrOvertaken = errors.New("a message came while another was encrypted for the same person")

// Explain classifies an error of whatsmeow's SendMessage. Requests that precede the message, such
// as one for a person's devices, fail before anything is sent. Explain does not pass on error
// texts that may contain addresses.
func Explain(err error, to types.JID, account string) notifiers.Failure {
	var iq *whatsmeow.IQError
	var broke *whatsmeow.DisconnectedError
	switch {
	case errors.Is(err, ErrOvertaken):
		return notDone(0, "a message came in between")
	case errors.Is(err, whatsmeow.ErrServerReturnedError):
		return explainCode(codeOf(err), to)
	case errors.Is(err, whatsmeow.ErrNotInGroup):
		return chatGone(noMember)
	case errors.Is(err, whatsmeow.ErrGroupNotFound):
		return chatGone(noGroup)
	case strings.Contains(err.Error(), "no LID found for"):
		return refused(nobody)
	case errors.Is(err, whatsmeow.ErrNotLoggedIn):
		return notifiers.Failure{Kind: notifiers.FailureLoggedOut, RetryAfter: retrySoon, Err: errors.New("no phone has linked the account"), Advice: LinkAdvice(account)}
	case err == whatsmeow.ErrNotConnected: // a resend failed, but the first attempt may have arrived
		return unknown("the connection broke before WhatsApp answered")
	case errors.Is(err, whatsmeow.ErrNotConnected):
		return notDone(0, "the account is not connected")
	case errors.As(err, &broke) && broke.Action == "info query":
		return notDone(0, "the connection broke before it was sent")
	case errors.As(err, &broke):
		return unknown("the connection broke before WhatsApp answered")
	case errors.As(err, &iq) && iq.Code == 429:
		return notDone(retryBusy, "too many questions for WhatsApp (429)")
	case errors.As(err, &iq):
		return notDone(0, "WhatsApp does not answer what has to be known first (%d)", iq.Code)
	case errors.Is(err, whatsmeow.ErrIQTimedOut):
		return notDone(0, "WhatsApp does not answer what has to be known first")
	case errors.Is(err, whatsmeow.ErrUnknownServer), errors.Is(err, whatsmeow.ErrRecipientADJID):
		return refused("that is no chat on WhatsApp")
	case errors.Is(err, whatsmeow.ErrMessageTimedOut), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return unknown("no answer from WhatsApp in time")
	}
	return unknown("WhatsApp broke off")
}

func codeOf(err error) int {
	words := strings.Fields(err.Error())
	code, _ := strconv.Atoi(words[len(words)-1])
	return code
}

// WhatsApp does not document these codes; they were observed.
func explainCode(code int, to types.JID) notifiers.Failure {
	group := to.Server == types.GroupServer
	switch {
	case code == 429:
		return notDone(retryBusy, "too many messages for WhatsApp (429)")
	case code == 463:
		return refused("WhatsApp does not let this number write to people who have not written to it, for now (463): they have to write first, and then this can be retried")
	case code == 421 && group: // the addresses of the members have changed
		return notDone(retrySoon, "the group has changed (421)")
	case code == 413:
		return refused("the message is too long for WhatsApp (413)")
	case group && (code == 401 || code == 403):
		return chatGone(noMember)
	case group && (code == 404 || code == 410):
		return chatGone(noGroup)
	case code == 404:
		return refused(nobody)
	case code >= 500:
		return unknown("WhatsApp has a fault (%d)", code)
	}
	return refused("WhatsApp does not take the message (%d)", code)
}

// ExplainEnd classifies an event that ends a connection. It is false for other events. RetryAfter
// comes from WhatsApp, if the event has it.
func ExplainEnd(event any, account string) (notifiers.Failure, bool) {
	switch event := event.(type) {
	case *events.LoggedOut:
		return notifiers.Failure{Kind: notifiers.FailureLoggedOut, Err: errors.New(whyLoggedOut(event.Reason)), Advice: LinkAdvice(account)}, true
	case *events.StreamReplaced:
		return notifiers.Failure{Kind: notifiers.FailureReplaced, Err: errors.New("another program has connected as the same device"),
			Advice: "stop the other program: it uses a copy of errand's data. If there is none, unlink the device on the phone and " + LinkAdvice(account)}, true
	case *events.TemporaryBan:
		f := notDone(event.Expire, "WhatsApp has banned the number for a while: %s", event.Code)
		f.Advice = "write to fewer people who have not written first; nothing can be sent until the ban is over"
		if event.Expire > 0 {
			f.Advice += ", which WhatsApp says is in " + event.Expire.String()
		}
		return f, true
	case *events.ClientOutdated:
		f := notDone(0, "WhatsApp does not serve this version any more (405)")
		f.Advice = "update errand"
		return f, true
	case *events.ConnectFailure:
		return notDone(0, "WhatsApp refuses the login (%d)", int(event.Reason)), true
	case *events.StreamError:
		return notDone(0, "WhatsApp ended the connection (%s)", event.Code), true
	case *events.Disconnected:
		return notDone(0, "the connection broke"), true
	}
	return notifiers.Failure{}, false
}

func whyLoggedOut(reason events.ConnectFailureReason) string {
	switch reason {
	case events.ConnectFailureMainDeviceGone: // 403
		return "WhatsApp has locked the account, or its phone is gone (403): see WhatsApp on the phone"
	case events.ConnectFailureUnknownLogout: // 406
		return "WhatsApp has banned the number (406): see WhatsApp on the phone, where a review can be asked for"
	}
	return "it was logged out on the phone"
}
