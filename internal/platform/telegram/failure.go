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

	"errand/internal/platform"
)

// tokenRetry is how soon it is tried again when the token is not valid: whoever
// sets another need not release every message by hand.
const tokenRetry = time.Minute

var refusals = []struct {
	piece, text string
	gone        bool // the chat is, or we are not in it
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

// tokenAdvice is what to do about a token that Telegram does not know.
const tokenAdvice = "it is mistyped, or was revoked. Ask @BotFather for it with /token"

// Explain says what an error of a call means for an account. Only what never
// reached Telegram, or what it turned down in so many words, is known not to have
// been done.
func Explain(err error, account string) platform.Failure {
	var no *Error
	var dial *net.OpError
	switch {
	case errors.As(err, &no):
		return no.explain(account)
	case errors.As(err, &dial) && dial.Op == "dial":
		return platform.Failure{Kind: platform.NotDone, Err: fmt.Errorf("Telegram cannot be reached: %w", dial)}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return platform.Failure{Kind: platform.Unknown, Err: errors.New("no answer from Telegram in time")}
	}
	return unreadable
}

var unreadable = platform.Failure{Kind: platform.Unknown, Err: errors.New("no answer that can be read: Telegram broke off")}

func (e *Error) explain(account string) platform.Failure {
	switch {
	case e.Foreign:
		return unreadable
	case e.Code == http.StatusTooManyRequests:
		after := max(time.Second, e.RetryAfter)
		return platform.Failure{Kind: platform.NotDone, RetryAfter: after, Err: fmt.Errorf("too many messages for Telegram (429): again in %s", after)}
	case e.MovedTo != 0:
		return platform.Failure{Kind: platform.NotDone, Err: errors.New("the group has another id now")}
	case e.Code == http.StatusUnauthorized, e.Code == http.StatusNotFound:
		return platform.Failure{Kind: platform.LoggedOut, RetryAfter: tokenRetry, Err: fmt.Errorf("Telegram does not know the token (%d)", e.Code),
			Advice: tokenAdvice + ", give it to " + platform.SetUp(Channel, account) + ", and restart the worker"}
	case e.Code == http.StatusForbidden, e.Code == http.StatusBadRequest:
		return e.refusal()
	case e.ByWebhook():
		return platform.Failure{Kind: platform.Unknown, Err: e,
			Advice: "another program sets a webhook for this bot, and gets its messages: stop it, or revoke the token with @BotFather"}
	case e.Code == http.StatusConflict:
		return platform.Failure{Kind: platform.Replaced, Err: e,
			Advice: "another program polls with the same token, and each ends the other's poll. Stop it; if you do not know what it is, revoke the token with @BotFather"}
	}
	return unreadable
}

func (e *Error) refusal() platform.Failure {
	answer := strings.ToLower(e.Text)
	for _, r := range refusals {
		if strings.Contains(answer, r.piece) {
			return platform.Failure{Kind: platform.Refused, Err: errors.New(r.text), ChatGone: r.gone}
		}
	}
	return platform.Failure{Kind: platform.Refused, Err: fmt.Errorf("Telegram does not take the message: %w", e)}
}

// ByWebhook reports whether Telegram has no updates to be asked for, because it
// delivers them to a webhook.
func (e *Error) ByWebhook() bool {
	return e.Code == http.StatusConflict && strings.Contains(strings.ToLower(e.Text), "webhook")
}
