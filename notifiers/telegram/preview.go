package telegram

import (
	"context"
	"errors"
	"hash/fnv"
	"net/http"
	"strings"
	"time"

	"github.com/go-telegram/bot/models"

	"errand"
	"errand/internal/platform/telegram"
	"errand/notifiers"
)

// How a reply is shown while it is being written. In a private chat that is a draft, which
// Telegram shows for half a minute and nobody has to take away; Telegram does not say how
// often one may change. In a group it is a message, whose changes count as messages: a
// minute has room for all of them, and for others.
const (
	draftEvery, draftFades = time.Second, 30 * time.Second
	chatEvery, groupEvery  = 2 * time.Second, 4 * time.Second
)

// notYet is what a message says before it shows anything: should nobody learn which it is,
// because this process dies or Telegram does not answer, no half reply is left in the chat.
const notYet = "…"

// PreviewStyle says how a reply is shown while it is being written.
func (t *Notifier) PreviewStyle(r errand.Route) notifiers.PreviewStyle {
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

// Preview shows as much of a reply as is written and one message holds. A message counts as
// one, and is sent or changed only where none waits.
func (t *Notifier) Preview(ctx context.Context, n errand.Notification, id string) (string, error) {
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

// draft shows a part as a draft. One that is changed keeps its number.
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
		return a.explain(err) // if there were too many, messages need not wait for that
	}
	return nil
}

// RemovePreview deletes a message.
func (t *Notifier) RemovePreview(ctx context.Context, r errand.Route, id string) error {
	a, to, err := t.target(ctx, r)
	if err != nil {
		return err
	}
	message, ok := to.chat.ParseMessageID(id)
	if !ok { // it is in the chat as it was before it moved
		return nil
	}
	if !a.limiter.TryTyping(r.Chat) {
		return notifiers.NotSentf(notNow, "others are on their way first")
	}
	err = a.client.Call(ctx, "deleteMessage", deleteMessage{to.chat.ID, message}, nil)
	if err != nil && !isRefused(err, "message to delete not found") {
		return a.failed(r.Chat, err)
	}
	return nil
}

// replace puts the first part of a notification in the place of a message, when its pace
// allows; false if that is not there any more, or cannot be changed. It may be done again:
// what is in doubt is as good as not sent.
func (t *Notifier) replace(ctx context.Context, a *account, to *target, id string, m part, keyboard models.ReplyMarkup) (bool, error) {
	if err := a.limiter.Wait(ctx, to.route.Chat); err != nil {
		return false, err
	}
	there, err := t.change(ctx, a, to, id, m, keyboard)
	if isRefused(err, "entit") { // better read without marks than not at all
		if wait := a.limiter.Wait(ctx, to.route.Chat); wait != nil {
			return false, wait
		}
		there, err = t.change(ctx, a, to, id, part{text: m.text}, keyboard)
	}
	var send *notifiers.SendError
	if errors.As(err, &send) && send.Outcome == notifiers.Unknown {
		again := *send
		again.Outcome = notifiers.NotSent
		return false, &again
	}
	return there, err
}

// change changes a message; false if it is not there any more, or cannot be changed.
func (t *Notifier) change(ctx context.Context, a *account, to *target, id string, m part, keyboard models.ReplyMarkup) (bool, error) {
	message, ok := to.chat.ParseMessageID(id)
	if !ok { // it is in the chat as it was before it moved
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
	case errors.As(err, &no) && no.MovedTo != 0: // the chat is another one, and sending finds out which
		return false, nil
	case isRefused(err, "entit"):
		return false, err
	}
	return false, a.failed(to.route.Chat, err)
}
