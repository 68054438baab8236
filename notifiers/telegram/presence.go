package telegram

import (
	"context"
	"time"

	"github.com/go-telegram/bot/models"

	"errand/internal/core"
	"errand/notifiers"
)

// Typing shows "typing…" for five seconds, or until the next message. It does nothing during a
// pause or when many indicators were shown.
func (t *Notifier) Typing(ctx context.Context, r core.Route) error {
	a, to, err := t.target(ctx, r)
	if err != nil || !a.limiter.TryTyping(r.Chat) {
		return err
	}
	err = a.client.Call(ctx, "sendChatAction", chatAction{to.chat.ID, to.thread, models.ChatActionTyping}, nil)
	if err != nil {
		return a.failed(r.Chat, err)
	}
	return nil
}

const notNow = 3 * time.Second

// ShowProgress sends a message without sound, or edits it. Both count as messages. It shows nothing
// if other messages wait.
func (t *Notifier) ShowProgress(ctx context.Context, r core.Route, text, id string) (string, error) {
	a, to, err := t.target(ctx, r)
	if err != nil {
		return "", err
	}
	if !a.limiter.Try(r.Chat) {
		return "", notifiers.NotSentf(notNow, "messages are on their way")
	}
	text = core.Cut(text, longest/2) // a character has at most two units
	if id == "" {
		p := to.message(part{text: text})
		p.Silent = true
		id, err := a.sendMessage(ctx, p)
		if err != nil {
			return "", a.failed(r.Chat, err)
		}
		return to.chat.FormatMessageID(id), nil
	}
	message, ok := to.chat.ParseMessageID(id)
	if !ok {
		return "", notifiers.Refusedf("%q is no message of the chat as it is now", core.Cut(id, 40))
	}
	err = a.client.Call(ctx, "editMessageText", editMessage{Chat: to.chat.ID, Message: message, Text: text}, nil)
	if err != nil && !isRefused(err, "message is not modified") { // it has that text already
		return "", a.failed(r.Chat, err)
	}
	return id, nil
}

// emoji are among those that Telegram permits
// (https://core.telegram.org/bots/api#reactiontypeemoji).
var emoji = map[notifiers.Mark]string{notifiers.Seen: "👀", notifiers.Done: "👌"}

// React puts a mark on a message. Other updates, such as a pressed button, cannot have one.
func (t *Notifier) React(ctx context.Context, r core.Route, messageID string, mark notifiers.Mark) error {
	a, to, err := t.target(ctx, r)
	if err != nil {
		return err
	}
	message, ok := to.chat.ParseMessageID(messageID)
	if !ok || !a.limiter.TryTyping(r.Chat) {
		return nil
	}
	p := setReaction{to.chat.ID, message, []models.ReactionType{}}
	if e := emoji[mark]; e != "" {
		p.Reaction = []models.ReactionType{{Type: models.ReactionTypeTypeEmoji, ReactionTypeEmoji: &models.ReactionTypeEmoji{Type: models.ReactionTypeTypeEmoji, Emoji: e}}}
	}
	if err := a.client.Call(ctx, "setMessageReaction", p, nil); err != nil {
		return a.failed(r.Chat, err)
	}
	return nil
}
