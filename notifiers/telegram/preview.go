package telegram

import (
	"context"
	"errors"
	"hash/fnv"
	"net/http"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"errand/internal/channels/telegram"
	"errand/internal/core"
	"errand/notifiers"
)

// In a private chat the preview is a draft, which disappears after 30 seconds. In a group it is a
// message. Its edits count against the group's 20 messages a minute, so groupEvery leaves some of
// them to other messages.
const (
	draftEvery, draftFades = time.Second, 30 * time.Second
	chatEvery, groupEvery  = 2 * time.Second, 4 * time.Second
)

// A preview first sends notYet. If the process never learns the message's id, no half-written
// reply stays in the chat.
const notYet = "…"

// PreviewStyle returns how previews appear on a route.
func (t *Notifier) PreviewStyle(r core.Route) notifiers.PreviewStyle {
	a, ok := t.accounts[r.Account]
	switch {
	case !ok:
		return notifiers.PreviewStyle{}
	case strings.HasPrefix(r.Chat, "-"):
		return notifiers.PreviewStyle{Every: groupEvery}
	case a.noDrafts.Load():
		return notifiers.PreviewStyle{Every: chatEvery}
	}
	return notifiers.PreviewStyle{Every: draftEvery, Fades: draftFades}
}

// Preview shows the unfinished reply, as far as it fits into one message. A preview that is a
// message counts against the rate limits, and is sent or edited only if no other message waits.
func (t *Notifier) Preview(ctx context.Context, n core.Notification, id string) (string, error) {
	a, to, err := t.target(ctx, n.Route)
	if err != nil {
		return "", err
	}
	m := render(n.Event, n.Text)[0]
	if id == "" && t.PreviewStyle(n.Route).Fades > 0 {
		return "", t.draft(ctx, a, to, n.Key, m)
	}
	if !a.limiter.Try(n.Route.Chat) {
		return "", notifiers.NotSentf(notNow, "messages are on their way")
	}
	if id == "" {
		p := to.message(part{text: notYet})
		p.ReplyTo = to.replyTo(n.ReplyTo)
		sent, err := a.sendMessage(ctx, p)
		if err != nil {
			return "", a.failed(n.Route.Chat, err)
		}
		return to.chat.FormatMessageID(sent), nil
	}
	there, err := t.change(ctx, a, to, id, m, nil)
	if err == nil && !there {
		err = notifiers.Refusedf("the message is not there any more")
	}
	return id, err
}

// draft uses the same draft id for all changes of a preview.
func (t *Notifier) draft(ctx context.Context, a *account, to *target, key string, m part) error {
	if !a.limiter.TryTyping(to.route.Chat) {
		return notifiers.NotSentf(notNow, "others are on their way first")
	}
	number := fnv.New32a()
	number.Write([]byte(key))
	p := messageDraft{to.chat.ID, to.thread, int(number.Sum32()>>1 | 1), m.text, m.entities}
	err := a.client.Call(ctx, "sendMessageDraft", p, nil)
	var no *telegram.Error
	if errors.As(err, &no) && !no.Foreign && no.Code == http.StatusNotFound {
		a.noDrafts.Store(true)
		return notifiers.NotSentf(notNow, "the server knows no drafts")
	}
	if err != nil {
		return a.explain(err) // a rate-limit error for drafts does not pause messages
	}
	return nil
}

// remove waits for the rate limit. Telegram does not delete messages older than two days.
func (t *Notifier) remove(ctx context.Context, a *account, to *target, id string) error {
	message, ok := to.chat.ParseMessageID(id)
	if !ok { // its id is from before the group moved
		return nil
	}
	if err := a.limiter.Wait(ctx, to.route.Chat); err != nil {
		return err
	}
	err := a.client.Call(ctx, "deleteMessage", deleteMessage{to.chat.ID, message}, nil)
	if err == nil {
		return nil
	}
	if send := a.failed(to.route.Chat, err).Repeatable(); send.Outcome != notifiers.Refused {
		return send
	}
	return nil
}

// replace edits a message. It is false if the message is gone or cannot be edited. It repeats
// edits with an unknown outcome.
func (t *Notifier) replace(ctx context.Context, a *account, to *target, id string, m part, keyboard models.ReplyMarkup) (bool, error) {
	if err := a.limiter.Wait(ctx, to.route.Chat); err != nil {
		return false, err
	}
	there, err := t.change(ctx, a, to, id, m, keyboard)
	if isRefused(err, "entit") { // show it without formatting
		if wait := a.limiter.Wait(ctx, to.route.Chat); wait != nil {
			return false, wait
		}
		there, err = t.change(ctx, a, to, id, part{text: m.text}, keyboard)
	}
	var send *notifiers.SendError
	if errors.As(err, &send) {
		return false, send.Repeatable()
	}
	return there, err
}

func (t *Notifier) change(ctx context.Context, a *account, to *target, id string, m part, keyboard models.ReplyMarkup) (bool, error) {
	message, ok := to.chat.ParseMessageID(id)
	if !ok { // its id is from before the group moved
		return false, nil
	}
	as := to.message(m)
	err := a.client.Call(ctx, "editMessageText", editMessage{as.Chat, message, as.Text, as.Entities, as.LinkPreview, keyboard}, nil)
	var no *telegram.Error
	switch {
	case err == nil, isRefused(err, "message is not modified"):
		return true, nil
	case isRefused(err, "message to edit not found"), isRefused(err, "message can't be edited"), isRefused(err, "message_id_invalid"):
		return false, nil
	case errors.As(err, &no) && no.MovedTo != 0: // the group has a new id, which sending will find out
		return false, nil
	case isRefused(err, "entit"):
		return false, err
	}
	return false, a.failed(to.route.Chat, err)
}
