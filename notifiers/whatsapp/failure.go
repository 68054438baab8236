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

	"errand/notifiers"
)

// How soon it is tried again.
const (
	notHere = 5 * time.Second // somebody else may hold the connection by then
	later   = 5 * time.Second
	tooMany = time.Minute // WhatsApp does not say how long
)

func refused(format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Fate: notifiers.Refused, Err: fmt.Errorf(format, args...)}
}

func notSent(after time.Duration, format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Fate: notifiers.NotSent, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

func doubt(format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Fate: notifiers.Doubt, Err: fmt.Errorf(format, args...)}
}

// goneChat refuses what is for a chat that is not there any more, or that the
// account is not in.
func goneChat(why string) *notifiers.SendError {
	send := refused("%s", why)
	send.ChatGone = true
	return send
}

// down says that the account cannot send just now, wherever to.
func down(format string, args ...any) *notifiers.SendError {
	send := notSent(notHere, format, args...)
	send.AccountDown = true
	return send
}

const (
	noMember = "the account is not in the group: somebody has to add it, and then this can be retried"
	noGroup  = "the group does not exist any more"
	nobody   = "there is nobody on WhatsApp with this number"
)

// explain says what became of a message, from what whatsmeow says. What it asks
// WhatsApp beforehand, such as for somebody's devices, failed before anything was
// sent. Its own words are not passed on where they may hold addresses.
func explain(err error, to types.JID) *notifiers.SendError {
	var iq *whatsmeow.IQError
	var gone *whatsmeow.DisconnectedError
	switch {
	case errors.Is(err, whatsmeow.ErrServerReturnedError):
		return explainCode(codeOf(err), to)
	case errors.Is(err, whatsmeow.ErrNotInGroup):
		return goneChat(noMember)
	case errors.Is(err, whatsmeow.ErrGroupNotFound):
		return goneChat(noGroup)
	case strings.Contains(err.Error(), "no LID found for"):
		return refused(nobody)
	case errors.Is(err, whatsmeow.ErrNotLoggedIn):
		return down("no phone has linked the account")
	case err == whatsmeow.ErrNotConnected: // while it sent it again: the first time may have arrived
		return doubt("the connection broke before WhatsApp answered")
	case errors.Is(err, whatsmeow.ErrNotConnected):
		return notSent(0, "the account is not connected")
	case errors.As(err, &gone) && gone.Action == "info query":
		return notSent(0, "the connection broke before it was sent")
	case errors.As(err, &gone):
		return doubt("the connection broke before WhatsApp answered")
	case errors.As(err, &iq) && iq.Code == 429:
		return notSent(tooMany, "too many questions for WhatsApp (429)")
	case errors.As(err, &iq):
		return notSent(0, "WhatsApp does not answer what has to be known first (%d)", iq.Code)
	case errors.Is(err, whatsmeow.ErrIQTimedOut):
		return notSent(0, "WhatsApp does not answer what has to be known first")
	case errors.Is(err, whatsmeow.ErrUnknownServer), errors.Is(err, whatsmeow.ErrRecipientADJID):
		return refused("that is no chat on WhatsApp")
	case errors.Is(err, whatsmeow.ErrMessageTimedOut), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return doubt("no answer from WhatsApp in time")
	}
	return doubt("WhatsApp broke off")
}

// codeOf reads the number that whatsmeow puts behind what the server returned.
func codeOf(err error) int {
	words := strings.Fields(err.Error())
	code, _ := strconv.Atoi(words[len(words)-1])
	return code
}

// explainCode says what it means that WhatsApp turned a message down. The codes
// are documented nowhere; these are what people have seen.
func explainCode(code int, to types.JID) *notifiers.SendError {
	group := to.Server == types.GroupServer
	switch {
	case code == 429:
		return notSent(tooMany, "too many messages for WhatsApp (429)")
	case code == 463:
		return refused("WhatsApp does not let this number write to people who have not written to it, for now (463): they have to write first, and then this can be retried")
	case code == 421 && group: // the members are known by other addresses now
		return notSent(later, "the group has changed (421)")
	case code == 413:
		return refused("the message is too long for WhatsApp (413)")
	case group && (code == 401 || code == 403):
		return goneChat(noMember)
	case group && (code == 404 || code == 410):
		return goneChat(noGroup)
	case code == 404:
		return refused(nobody)
	case code >= 500:
		return doubt("WhatsApp has a fault (%d)", code)
	}
	return refused("WhatsApp does not take the message (%d)", code)
}
