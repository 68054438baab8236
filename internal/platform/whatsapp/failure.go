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

	"errand/internal/platform"
)

// Channel is what errand calls WhatsApp in a route.
const Channel = "whatsapp"

// How soon it is tried again.
const (
	retrySoon = 5 * time.Second
	retryBusy = time.Minute // WhatsApp does not say how long
)

const (
	noMember = "the account is not in the group: somebody has to add it, and then this can be retried"
	noGroup  = "the group does not exist any more"
	nobody   = "there is nobody on WhatsApp with this number"
)

// LinkAdvice is what to do about an account that no phone has linked.
func LinkAdvice(account string) string {
	return "link it with " + platform.SetUp(Channel, account) + ", or scan the QR code on the page /channels: on the phone, Settings, Linked devices, Link a device"
}

func notDone(after time.Duration, format string, args ...any) platform.Failure {
	return platform.Failure{Kind: platform.NotDone, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

func refused(format string, args ...any) platform.Failure {
	return platform.Failure{Kind: platform.Refused, Err: fmt.Errorf(format, args...)}
}

func unknown(format string, args ...any) platform.Failure {
	return platform.Failure{Kind: platform.Unknown, Err: fmt.Errorf(format, args...)}
}

// chatGone refuses what is for a chat that is not there any more, or that the account is
// not in.
func chatGone(why string) platform.Failure {
	return platform.Failure{Kind: platform.Refused, ChatGone: true, Err: errors.New(why)}
}

// ErrOvertaken says that a message was not sent, for one came from the same person while
// it was encrypted: see the store of devices in package internal/channels/whatsapp.
var ErrOvertaken = errors.New("a message came while another was encrypted for the same person")

// Explain says what it means for a message to a chat that whatsmeow failed. What
// it asks WhatsApp beforehand, such as for somebody's devices, failed before anything
// was sent. Its own words are not passed on where they may hold addresses.
func Explain(err error, to types.JID, account string) platform.Failure {
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
		return platform.Failure{Kind: platform.LoggedOut, RetryAfter: retrySoon, Err: errors.New("no phone has linked the account"), Advice: LinkAdvice(account)}
	case err == whatsmeow.ErrNotConnected: // while it sent it again: the first time may have arrived
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

// explainCode says what it means that WhatsApp turned a message down. The codes
// are documented nowhere; these are what people have seen.
func explainCode(code int, to types.JID) platform.Failure {
	group := to.Server == types.GroupServer
	switch {
	case code == 429:
		return notDone(retryBusy, "too many messages for WhatsApp (429)")
	case code == 463:
		return refused("WhatsApp does not let this number write to people who have not written to it, for now (463): they have to write first, and then this can be retried")
	case code == 421 && group: // the members are known by other addresses now
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

// ExplainEnd says what an event that ends a connection means for an account; false
// if it is none of those. RetryAfter is what WhatsApp says, if it does.
func ExplainEnd(event any, account string) (platform.Failure, bool) {
	switch event := event.(type) {
	case *events.LoggedOut:
		return platform.Failure{Kind: platform.LoggedOut, Err: errors.New(whyLoggedOut(event.Reason)), Advice: LinkAdvice(account)}, true
	case *events.StreamReplaced:
		return platform.Failure{Kind: platform.Replaced, Err: errors.New("another program has connected as the same device"),
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
	return platform.Failure{}, false
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
