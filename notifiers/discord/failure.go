package discord

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"errand/internal/platform/discord"
	"errand/notifiers"
)

// noToken is how soon it is tried again when the token is not valid: whoever
// sets another need not release every message by hand.
const noToken = time.Minute

func refused(format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Fate: notifiers.Refused, Err: fmt.Errorf(format, args...)}
}

func notSent(after time.Duration, format string, args ...any) *notifiers.SendError {
	return &notifiers.SendError{Fate: notifiers.NotSent, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

// advice says what to do about a refusal, by Discord's code
// (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json).
var advice = map[int]string{
	10003:  "the channel is deleted, or the bot was never in it: retry does not help, dismiss it",
	10004:  "the bot is not in the server any more: somebody has to invite it again, and then this can be retried",
	40007:  "the bot is banned from the server: an admin has to lift that, and then this can be retried",
	50001:  "the bot cannot see the channel, or was removed from the server: an admin has to give it \"View Channel\" or invite it again, and then this can be retried",
	50007:  "the person takes no direct messages from the bot: they have to share a server with it, allow direct messages there (Privacy Settings of the server) and not block it; then this can be retried",
	50008:  "the bot cannot write in a voice channel",
	50013:  "the bot may not write in the channel: an admin has to give it \"Send Messages\" (in threads \"Send Messages in Threads\"), and then this can be retried",
	50083:  "the thread is archived and locked: a moderator has to open it again, and then this can be retried",
	160005: "the thread is locked: a moderator has to unlock it, and then this can be retried",
	200000: "the server's AutoMod holds the message back: a moderator has to exempt the bot, and then this can be retried",
	240000: "Discord holds the message back for an address in it that it takes for harmful",
	50009:  "the server's verification level keeps the bot from writing",
	20009:  "Discord holds the message back as explicit",
	50006:  "Discord finds the message empty",
}

// gone are the codes of a channel that is not there any more, or that we are not
// in.
var gone = []int{10003, 10004, 40007, 50001}

// later are the codes of what passes by itself, and when to come again.
var later = map[int]time.Duration{
	20016:  10 * time.Second, // slow mode
	20028:  10 * time.Second, // the channel's limit of writes
	20029:  10 * time.Second, // the server's
	40003:  time.Minute,      // direct messages are opened too fast
	40004:  time.Minute,      // sending is switched off for now
	40006:  time.Minute,      // the feature is switched off for now
	130000: 10 * time.Second, // overloaded
}

// explain says what became of a message. Only what never reached Discord, or what
// it turned down in so many words, is known not to have arrived.
func (a *account) explain(err error) *notifiers.SendError {
	var send *notifiers.SendError
	if errors.As(err, &send) {
		return send
	}
	var no *discord.Error
	if !errors.As(err, &no) {
		return &notifiers.SendError{Fate: notifiers.Doubt, Err: err}
	}
	switch wait, passes := later[no.Code]; {
	case no.Status == http.StatusTooManyRequests:
		return notSent(no.RetryAfter, "too many messages for Discord (429): again in %s", no.RetryAfter.Round(time.Millisecond))
	case no.NotSent:
		return notSent(0, "%w", no)
	case no.Status == http.StatusUnauthorized, no.Code == 40001, no.Code == 50014:
		send := notSent(noToken, "Discord does not know the token of account %q: reset it at https://discord.com/developers/applications, under Bot, give the new one to `starter channels add discord`, and restart the worker", a.name)
		send.AccountDown = true
		return send
	case passes:
		return notSent(max(wait, no.RetryAfter), "Discord takes no more messages just now: %w", no)
	case advice[no.Code] != "":
		send := refused("%s", advice[no.Code])
		send.ChatGone = slices.Contains(gone, no.Code)
		return send
	case no.Status >= 400 && no.Status < 500 && no.Code > 0:
		return refused("Discord does not take the message: %w", no)
	case no.Status == http.StatusForbidden:
		return notSent(noToken, "Discord lets nobody in from this address (403): something else here may have called it too often")
	}
	return &notifiers.SendError{Fate: notifiers.Doubt, Err: no}
}
