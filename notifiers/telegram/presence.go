package telegram

import (
	"context"
	"time"

	"github.com/go-telegram/bot/models"

	"errand"
	"errand/notifiers"
)

// Typing shows "typing…" for five seconds, or until the next message. When much
// is to be sent, or Telegram has asked to wait, it is left out.
func (t *Notifier) Typing(ctx context.Context, r errand.Route) error {
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

// ShowProgress sends a message without a sound, or changes it. It counts as a
// message, and goes only where none waits.
func (t *Notifier) ShowProgress(ctx context.Context, r errand.Route, text, id string) (string, error) {
	a, to, err := t.target(ctx, r)
	if err != nil {
		return "", err
	}
	if !a.limiter.Try(r.Chat) {
		return "", notifiers.NotSentf(notNow, "messages are on their way")
	}
	text = errand.Cut(text, longest/2) // characters, of at most two units
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
		return "", notifiers.Refusedf("%q is no message of the chat as it is now", errand.Cut(id, 40))
	}
	err = a.client.Call(ctx, "editMessageText", editMessage{Chat: to.chat.ID, Message: message, Text: text}, nil)
	if err != nil && !isRefused(err, "message is not modified") { // it says that already
		return "", a.failed(r.Chat, err)
	}
	return id, nil
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
