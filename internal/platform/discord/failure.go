package discord

//lint:file-ignore ST1005 Discord is a name.

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"errand/internal/platform"
)

// Portal is where applications are made and switched.
const Portal = "https://discord.com/developers/applications"

// retryLater is how soon it is tried again what a person has to do something about
// first: whoever does need not release every message by hand.
const retryLater = time.Minute

// refusals are what Discord turns down, and what can be done about each, by its code
// (https://docs.discord.com/developers/topics/opcodes-and-status-codes#json).
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

// gone are the codes of a channel that is not there any more, or that we are not in.
var gone = []int{10003, 10004, 40007, 50001}

var passing = map[int]time.Duration{
	20016:  10 * time.Second, // slow mode
	20028:  10 * time.Second, // the channel's limit of writes
	20029:  10 * time.Second, // the server's
	40003:  time.Minute,      // direct messages are opened too fast
	40004:  time.Minute,      // sending is switched off for now
	40006:  time.Minute,      // the feature is switched off for now
	130000: 10 * time.Second, // overloaded
}

// Explain says what an error of a call means for an account. Only what never reached
// Discord, or what it turned down in so many words, is known not to have been done.
func Explain(err error, account string) platform.Failure {
	var no *Error
	if !errors.As(err, &no) {
		return platform.Failure{Kind: platform.Unknown, Err: err}
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
		return platform.Failure{Kind: platform.Refused, Err: errors.New(refusals[no.Code]), ChatGone: slices.Contains(gone, no.Code)}
	case no.Status >= 400 && no.Status < 500 && no.Code > 0:
		return platform.Failure{Kind: platform.Refused, Err: fmt.Errorf("Discord does not take the message: %w", no)}
	case no.Status == http.StatusForbidden:
		return notDone(retryLater, "Discord lets nobody in from this address (403): something else here may have called it too often")
	}
	return platform.Failure{Kind: platform.Unknown, Err: no}
}

func notDone(after time.Duration, format string, args ...any) platform.Failure {
	return platform.Failure{Kind: platform.NotDone, RetryAfter: after, Err: fmt.Errorf(format, args...)}
}

func badToken(code int, account string) platform.Failure {
	return platform.Failure{Kind: platform.LoggedOut, RetryAfter: retryLater, Err: fmt.Errorf("Discord does not take the token (%d)", code),
		Advice: tokenAdvice + NewToken(account)}
}

// tokenAdvice is what to do about a token that Discord does not take.
const tokenAdvice = "it is mistyped, or was reset. Reset it at " + Portal + ", under Bot"

// NewToken is what to do with a token that was reset, as an advice goes on behind
// where that is done.
func NewToken(account string) string {
	return ", give the new one to " + platform.SetUp(Channel, account) + ", and restart the worker"
}

// ExplainClose says what it means that Discord has closed a connection to its
// gateway with a code; false: nothing that anybody can do something about
// (https://docs.discord.com/developers/topics/opcodes-and-status-codes#gateway).
func ExplainClose(code int, account string) (platform.Failure, bool) {
	f := platform.Failure{Kind: platform.Unknown}
	switch code {
	case 4004:
		return badToken(code, account), true
	case 4014:
		f.Kind, f.RetryAfter, f.Err = platform.LoggedOut, retryLater, errors.New("the bot may not read what people write (4014)")
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
