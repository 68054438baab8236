package telegram

//lint:file-ignore ST1005 Telegram is a name.

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"errand/notifiers"
)

// tokenRetry is the wait for a new token. Without retries a person would have to release every
// message by hand.
const tokenRetry = time.Minute

var refusals = []struct {
	piece, text string
	gone        bool // the chat no longer exists, or the bot is not a member of it
}{
	{"bot was blocked by the user", "the person has blocked the bot: they have to unblock it, or press Start in its chat, and then this can be retried", false},
	{"user is deactivated", "the person's Telegram account is deleted", false},
	{"bot can't initiate conversation", "the person has never written to the bot: they have to press Start in its chat first", false},
	{"bots can't send messages to bots", "the chat is with another bot, and Telegram lets no bot write to one", false},
	{"bot was kicked", "the bot was removed from the group: somebody has to add it again, and then this can be retried", true},
	{"bot is not a member", "the bot is not in the group: somebody has to add it, and then this can be retried", true},
	{"group chat was deleted", "the group is deleted", true},
	{"group chat was deactivated", "the group is deleted", true},
	{"channel_private", "the group is deleted, or the bot was removed from it: somebody has to add it again, and then this can be retried", true},
	{"chat not found", "Telegram does not know the chat: the person has to press Start in the bot's chat, or the bot has to be added to the group; after another token was set, that is so for each chat", true},
	{"message thread not found", "the topic is deleted: retry does not help, dismiss it", true},
	{"topic_deleted", "the topic is deleted: retry does not help, dismiss it", true},
	{"topic_closed", "the topic is closed: somebody has to open it again, and then this can be retried", false},
	{"not enough rights", "the bot may not write in the group: an admin has to allow it, and then this can be retried", false},
	{"have no rights", "the bot may not write in the group: an admin has to allow it, and then this can be retried", false},
	{"chat_write_forbidden", "the bot may not write in the group: an admin has to allow it, and then this can be retried", false},
}

const tokenAdvice = "it is mistyped, or was revoked. Ask @BotFather for it with /token"

// Explain classifies an error of a call. A call certainly had no effect only if it never reached
// Telegram, or if Telegram rejected it explicitly.
func Explain(err error, account string) notifiers.Failure {
	var no *Error
	var dial *net.OpError
	switch {
	case errors.As(err, &no):
		return no.explain(account)
	case errors.As(err, &dial) && dial.Op == "dial":
		return notifiers.Failure{Kind: notifiers.FailureNotDone, Err: fmt.Errorf("Telegram cannot be reached: %w", dial)}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return notifiers.Failure{Kind: notifiers.FailureUnknown, Err: errors.New("no answer from Telegram in time")}
	}
	return unreadable
}

var unreadable = notifiers.Failure{Kind: notifiers.FailureUnknown, Err: errors.New("no answer that can be read: Telegram broke off")}

func (e *Error) explain(account string) notifiers.Failure {
	switch {
	case e.Foreign:
		return unreadable
	case e.Code == http.StatusTooManyRequests:
		after := max(time.Second, e.RetryAfter)
		return notifiers.Failure{Kind: notifiers.FailureNotDone, RetryAfter: after, Err: fmt.Errorf("too many messages for Telegram (429): again in %s", after)}
	case e.MovedTo != 0:
		return notifiers.Failure{Kind: notifiers.FailureNotDone, Err: errors.New("the group has another id now")}
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusNotFound:
		return notifiers.Failure{Kind: notifiers.FailureLoggedOut, RetryAfter: tokenRetry, Err: fmt.Errorf("Telegram does not know the token (%d)", e.Code),
			Advice: tokenAdvice + ", give it to " + notifiers.SetUp(Name, account) + ", and restart the worker"}
	case e.Code == http.StatusForbidden, e.Code == http.StatusBadRequest:
		return e.refusal()
	case e.ByWebhook():
		return notifiers.Failure{Kind: notifiers.FailureUnknown, Err: e,
			Advice: "another program sets a webhook for this bot, and gets its messages: stop it, or revoke the token with @BotFather"}
	case e.Code == http.StatusConflict:
		return notifiers.Failure{Kind: notifiers.FailureReplaced, Err: e,
			Advice: "another program polls with the same token, and each ends the other's poll. Stop it; if you do not know what it is, revoke the token with @BotFather"}
	}
	return unreadable
}

func (e *Error) refusal() notifiers.Failure {
	answer := strings.ToLower(e.Text)
	for _, r := range refusals {
		if strings.Contains(answer, r.piece) {
			return notifiers.Failure{Kind: notifiers.FailureRefused, Err: errors.New(r.text), ChatGone: r.gone}
		}
	}
	return notifiers.Failure{Kind: notifiers.FailureRefused, Err: fmt.Errorf("Telegram does not take the message: %w", e)}
}

// ByWebhook reports whether polling failed because a webhook is set.
func (e *Error) ByWebhook() bool {
	return e.Code == http.StatusConflict && strings.Contains(strings.ToLower(e.Text), "webhook")
}
