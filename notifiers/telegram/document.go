package telegram

import (
	"context"
	"errors"
	"unicode/utf16"

	"errand/internal/channels/telegram"
	"errand/internal/core"
	"errand/notifiers"
)

// MaxFile is the size limit for files that a bot sends:
// https://core.telegram.org/bots/api#sending-files.
func (t *Notifier) MaxFile() int64 { return 50_000_000 }

const longestCaption = 1024 // UTF-16 units

func (t *Notifier) sendFile(ctx context.Context, a *account, to *target, n core.Notification) (notifiers.Receipt, error) {
	var caption part
	if n.Text != "" {
		caption = render(n.Event, n.Text)[0]
		if room := longestCaption - len(mark); len(utf16.Encode([]rune(caption.text))) > room {
			caption = part{text: core.Cut(caption.text, room/2)} // a character has at most two units
		}
	}
	if n.Repeated {
		caption = caption.marked()
	}
	chat := to.route.Chat
	if err := a.limiter.Wait(ctx, chat); err != nil {
		return notifiers.Receipt{}, err
	}
	id, err := a.sendDocument(ctx, to, caption, n.File)
	var no *telegram.Error
	switch {
	case errors.As(err, &no) && no.MovedTo != 0: // the message did not arrive
		from := to.chat.ID
		to.chat = telegram.Chat{ID: no.MovedTo, Moved: true}
		if err := a.chats.Move(ctx, from, no.MovedTo); err != nil {
			return notifiers.Receipt{}, notifiers.NotSentf(0, "note what the chat is called now: %w", err)
		}
		id, err = a.sendDocument(ctx, to, caption, n.File)
	case isRefused(err, "entit"): // send it without formatting
		caption.entities = nil
		if wait := a.limiter.Wait(ctx, chat); wait != nil {
			return notifiers.Receipt{}, wait
		}
		id, err = a.sendDocument(ctx, to, caption, n.File)
	}
	if err != nil {
		return notifiers.Receipt{}, a.failed(chat, err)
	}
	return notifiers.Receipt{IDs: []string{to.chat.FormatMessageID(id)}}, nil
}

// sendDocument returns the id of the message:
// https://core.telegram.org/bots/api#senddocument.
func (a *account) sendDocument(ctx context.Context, to *target, caption part, f *core.SentFile) (int, error) {
	params := map[string]any{"chat_id": to.chat.ID, "disable_content_type_detection": true}
	if to.thread != 0 {
		params["message_thread_id"] = to.thread
	}
	if caption.text != "" {
		params["caption"] = caption.text
		if len(caption.entities) > 0 {
			params["caption_entities"] = caption.entities
		}
	}
	var sent struct {
		ID int `json:"message_id"`
	}
	err := a.client.Upload(ctx, "sendDocument", params, telegram.File{Field: "document", Name: f.Name, Type: f.Type, Data: f.Data}, &sent)
	return sent.ID, err
}
