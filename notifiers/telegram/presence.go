package telegram

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"errand"
	"errand/notifiers"
)

// Typing shows "typing…" for five seconds, or until the next message. When much
// is to be sent, or Telegram has asked to wait, it is left out.
func (t *Notifier) Typing(ctx context.Context, r errand.Route) error {
	a, to, err := t.target(ctx, r)
	if err != nil || !a.pace.Aside(r.Chat) {
		return err
	}
	_, err = a.bot.SendChatAction(ctx, &bot.SendChatActionParams{ChatID: to.chat, MessageThreadID: to.thread, Action: models.ChatActionTyping})
	if err != nil {
		return a.failed(r.Chat, err)
	}
	return nil
}

// notNow is when something is shown that there was no room for.
const notNow = 3 * time.Second

// ShowProgress sends a message without a sound, or changes it. It counts as a
// message, and goes only where none waits.
func (t *Notifier) ShowProgress(ctx context.Context, r errand.Route, text, id string) (string, error) {
	a, to, err := t.target(ctx, r)
	if err != nil {
		return "", err
	}
	if !a.pace.Try(r.Chat) {
		return "", notSent(notNow, "messages are on their way")
	}
	text = errand.Cut(text, longest/2) // characters, of at most two units
	if id == "" {
		p := to.message(part{text: text})
		p.DisableNotification = true
		m, err := a.bot.SendMessage(ctx, p)
		if err != nil {
			return "", a.failed(r.Chat, err)
		}
		return to.id(m.ID), nil
	}
	message, ok := to.messageID(id)
	if !ok {
		return "", refused("%q is no message of the chat as it is now", errand.Cut(id, 40))
	}
	_, err = a.bot.EditMessageText(ctx, &bot.EditMessageTextParams{ChatID: to.chat, MessageID: message, Text: text})
	if err != nil && !unchanged(err) {
		return "", a.failed(r.Chat, err)
	}
	return id, nil
}

// unchanged reports whether a message already says what it was to be changed to.
func unchanged(err error) bool {
	return errors.Is(err, bot.ErrorBadRequest) && strings.Contains(err.Error(), "message is not modified")
}

// emoji are the marks, of those that Telegram permits
// (https://core.telegram.org/bots/api#reactiontypeemoji).
var emoji = map[notifiers.Mark]string{notifiers.Seen: "👀", notifiers.Done: "👌"}

// React marks a message. Whatever is no message, such as a button that was
// pressed, has no mark.
func (t *Notifier) React(ctx context.Context, r errand.Route, messageID string, mark notifiers.Mark) error {
	a, to, err := t.target(ctx, r)
	if err != nil {
		return err
	}
	message, ok := to.messageID(messageID)
	if !ok || !a.pace.Aside(r.Chat) {
		return nil
	}
	p := &bot.SetMessageReactionParams{ChatID: to.chat, MessageID: message, Reaction: []models.ReactionType{}}
	if e := emoji[mark]; e != "" {
		p.Reaction = []models.ReactionType{{Type: models.ReactionTypeTypeEmoji, ReactionTypeEmoji: &models.ReactionTypeEmoji{Type: models.ReactionTypeTypeEmoji, Emoji: e}}}
	}
	if _, err := a.bot.SetMessageReaction(ctx, p); err != nil {
		return a.failed(r.Chat, err)
	}
	return nil
}
