package discord

//lint:file-ignore ST1005 Discord is a name.

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"errand/notifiers"
)

// Portal is the page on which applications are created and configured.
const Portal = "https://discord.com/developers/applications"

// retryLater is the wait while a person fixes the account. Without retries they would have to
// release every message by hand.
const retryLater = time.Minute

// refusals has advice by error code:
// https://docs.discord.com/developers/topics/opcodes-and-status-codes#json
var refusals = map[int]string{
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

var gone = []int{10003, 10004, 40007, 50001}

var passing = map[int]time.Duration{
	20016:  10 * time.Second, // slow mode
	20028:  10 * time.Second, // rate limit of the channel
	20029:  10 * time.Second, // rate limit of the server
	40003:  time.Minute,      // too many direct messages opened
	40004:  time.Minute,      // sending is temporarily disabled
	40006:  time.Minute,      // the feature is temporarily disabled
	130000: 10 * time.Second, // overloaded
}

// Explain classifies an error of a call. A call certainly had no effect only if it never reached
// Discord, or if Discord rejected it explicitly.
func Explain(err error, account string) notifiers.Failure {
	var no *Error
	if !errors.As(err, &no) {
		return notifiers.Failure{Kind: notifiers.FailureUnknown, Err: err}
	}
	switch wait, passes := passing[no.Code]; {
	case no.Status == http.StatusTooManyRequests:
		return notDone(no.RetryAfter, "too many messages for Discord (429): again in %s", no.RetryAfter.Round(time.Millisecond))
	case no.NotSent:
		return notDone(0, "%w", no)
	case no.Status == http.StatusUnauthorized, no.Code == 40001, no.Code == 50014:
		return badToken(no.Status, account)
	case passes:
		return notDone(max(wait, no.RetryAfter), "Discord takes no more messages just now: %w", no)
	case refusals[no.Code] != "":
		return notifiers.Failure{Kind: notifiers.FailureRefused, Err: errors.New(refusals[no.Code]), ChatGone: slices.Contains(gone, no.Code)}
	case no.Status >= 400 && no.Status < 500 && no.Code > 0:
		return notifiers.Failure{Kind: notifiers.FailureRefused, Err: fmt.Errorf("Discord does not take the message: %w", no)}
	case no.Status == http.StatusForbidden:
		return notDone(retryLater, "Discord lets nobody in from this address (403): something else here may have called it too often")
	}
	return notifiers.Failure{Kind: notifiers.FailureUnknown, Err: no}
}

func notDone(after time.Duration, format string, args ...any) notifiers.Failure {
	return notifiers.Failure{Kind: notifiers.FailureNotDone, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

func badToken(code int, account string) notifiers.Failure {
	return notifiers.Failure{Kind: notifiers.FailureLoggedOut, RetryAfter: retryLater, Err: fmt.Errorf("Discord does not take the token (%d)", code),
		Advice: tokenAdvice + NewToken(account)}
}

const tokenAdvice = "it is mistyped, or was reset. Reset it at " + Portal + ", under Bot"

// NewToken returns what to do with a reset token. Advice appends it to where the token is reset.
func NewToken(account string) string {
	return ", give the new one to " + notifiers.SetUp(Name, account) + ", and restart the worker"
}

// ExplainClose classifies the code with which Discord closed a gateway connection. It is false for
// codes that need no action by a person
// (https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway).
func ExplainClose(code int, account string) (notifiers.Failure, bool) {
	f := notifiers.Failure{Kind: notifiers.FailureUnknown}
	switch code {
	case 4004:
		return badToken(code, account), true
	case 4014:
		f.Kind, f.RetryAfter, f.Err = notifiers.FailureLoggedOut, retryLater, errors.New("the bot may not read what people write (4014)")
		f.Advice = "switch on \"Message Content Intent\" at " + Portal + ", under Bot, Privileged Gateway Intents"
	case 4013:
		f.Err, f.Advice = errors.New("Discord does not know what errand asks for (4013)"), "a newer errand may be needed"
	case 4010, 4011:
		f.Err, f.Advice = fmt.Errorf("the bot has to be sharded (%d)", code), "the bot is in too many servers: take it out of some"
	case 4012:
		f.Err, f.Advice = errors.New("Discord does not know this version of its API any more (4012)"), "a newer errand is needed"
	default:
		return f, false
	}
	return f, true
}
