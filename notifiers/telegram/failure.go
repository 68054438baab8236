package telegram

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/go-telegram/bot"

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

// advice says what to do about a refusal, by a piece of what Telegram answers.
var advice = []struct {
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

// explain says what became of a message, from what the library says. Only what
// never reached Telegram, or what it turned down in so many words, is known not
// to have arrived. The library's own words are not passed on where they may hold
// what was sent.
func (a *account) explain(err error) *notifiers.SendError {
	var send *notifiers.SendError
	var busy *bot.TooManyRequestsError
	var dial *net.OpError
	switch {
	case errors.As(err, &send):
		return send
	case errors.As(err, &busy):
		after := time.Duration(max(1, busy.RetryAfter)) * time.Second
		return notSent(after, "too many messages for Telegram (429): again in %s", after)
	case errors.As(err, new(*bot.MigrateError)):
		return notSent(0, "the group has another id now")
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound):
		send := notSent(noToken, "Telegram does not know the token of account %q: get one from @BotFather, with /token, give it to `starter channels add telegram`, and restart the worker", a.name)
		send.AccountDown = true
		return send
	case errors.Is(err, bot.ErrorForbidden), errors.Is(err, bot.ErrorBadRequest):
		said := strings.ToLower(err.Error())
		for _, d := range advice {
			if strings.Contains(said, d.piece) {
				send := refused("%s", d.text)
				send.ChatGone = d.gone
				return send
			}
		}
		return refused("Telegram does not take the message: %w", err)
	case errors.As(err, &dial) && dial.Op == "dial":
		return notSent(0, "Telegram cannot be reached: %w", dial)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &notifiers.SendError{Fate: notifiers.Doubt, Err: fmt.Errorf("no answer from Telegram in time")}
	}
	return &notifiers.SendError{Fate: notifiers.Doubt, Err: errors.New("no answer that can be read: Telegram broke off")}
}
