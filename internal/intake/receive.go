package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand"
	"errand/internal/limit"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// Receive is what the channel of a platform calls with each message: it lets in
// who may come in, and accepts what they say. Whoever does not get in starts
// nothing. What they are told is in the outbox, once for a message however often
// it is received: the answer of a command, or why the message was not taken. An
// [*Error] says that it never will be; after any other the channel has to come
// back with the message.
func (i *Intake) Receive(ctx context.Context, in Inbound) (Outcome, error) {
	in.Sender.IDs = slices.DeleteFunc(slices.Clone(in.Sender.IDs), func(id string) bool { return !service.IsExternalID(id) })
	in.Sender.Name, in.Sender.Language = service.ShortName(in.Sender.Name), service.KnownLanguage(in.Sender.Language)
	// A sender may have drawn these ids, and what no database takes would come
	// again and again.
	if !service.IsExternalID(in.MessageID) {
		return Outcome{}, service.Invalid("message_id", "refusal.no_message_id")
	}
	if !service.IsExternalID(in.ReplyTo) {
		in.ReplyTo = ""
	}
	if !service.IsExternalID(in.Album) {
		in.Album = ""
	}
	in.ForwardedFrom = service.ShortName(in.ForwardedFrom)
	if in.Deleted {
		return i.takeBack(ctx, in)
	}
	if in.Unaddressed {
		if came, err := i.service.Store.Came(ctx, in.Route, in.MessageID); err != nil || !came {
			return Outcome{Refused: "is not for us"}, err
		}
	}
	if another, err := i.nameAgents(ctx, &in); another || err != nil {
		return Outcome{Refused: "is for another account"}, err
	}
	if len(in.Sender.IDs) == 0 {
		return Outcome{}, service.Invalid("sender", "refusal.no_sender")
	}
	m := message{Inbound: in, tokens: &limit.Tokens{}}
	out, err := i.admitAndAccept(ctx, m)
	i.refundFailure(m.tokens, err)
	if in.Private {
		return privately(out.Person, i.textsFor(m), out, err)
	}
	return out, err
}

func (i *Intake) admitAndAccept(ctx context.Context, m message) (Outcome, error) {
	p, err := i.service.Store.Identify(ctx, m.Route.Channel, m.Route.Account, m.Sender.IDs...)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Outcome{}, err
	}
	m.admitted = p.ID == ""
	p, refused, err := i.admit(ctx, m.Inbound, p, m.tokens)
	if err != nil || refused.Refused != "" {
		return refused, err
	}
	if taken, err := i.isTaken(ctx, m.Inbound); taken || err != nil {
		return Outcome{Person: p.ID, Refused: "is for another account"}, err
	}
	m.by = service.ActorFor(p).Through(m.Route.Channel)
	t := i.textsFor(m)
	m.notify = func(ctx context.Context, about, text string) error {
		key := "attached:" + cmp.Or(about, m.Album, m.MessageID)
		return i.answer(ctx, m, errand.NewSessionKey(m.Route, p.ID), key, text)
	}
	if m.Unreadable != "" {
		if nothing, err := i.unreadable(ctx, m, t); err != nil || nothing {
			return Outcome{Person: p.ID, Refused: "is no text"}, i.reply(ctx, m, t, Outcome{}, err)
		}
	}
	out, err := i.enqueueOrRefund(ctx, m)
	if m.Private {
		return privately(p.ID, t, out, err)
	}
	return out, i.reply(ctx, m, t, out, err)
}

// unreadable tells a sender what of their message is not taken, unless they have
// been told so often. nothing says that there is no more of it; it is counted
// then, as what is more is when it is accepted.
func (i *Intake) unreadable(ctx context.Context, m message, t texts.Texts) (nothing bool, err error) {
	nothing = strings.TrimSpace(m.Text) == "" && len(m.Attachments) == 0
	if nothing {
		_, err = i.allow(m, "")
	}
	if err != nil || !i.allowAnswer("unreadable", m.by.Person, m.tokens) {
		return nothing, err
	}
	text := t.Localize("unreadable.sorry", "content", t.Localize("unreadable."+string(m.Unreadable)))
	return nothing, i.answer(ctx, m, errand.NewSessionKey(m.Route, m.by.Person), "unreadable:"+cmp.Or(m.Album, m.MessageID), text)
}

// privately leaves it to the channel to tell a sender what became of their
// message.
func privately(by errand.PersonID, t texts.Texts, out Outcome, err error) (Outcome, error) {
	var no *service.Error
	if errors.As(err, &no) {
		return Outcome{Person: by, Refused: no.Code, Answer: service.ErrorText(err, t)}, nil
	}
	return out, err
}

func (i *Intake) reply(ctx context.Context, in message, t texts.Texts, out Outcome, err error) error {
	key, text, about := fmt.Sprintf("%s:%d", in.MessageID, in.Revision), out.Answer, out.Key
	var no *service.Error
	switch {
	case errors.As(err, &no):
		text, about = service.ErrorText(err, t), errand.NewSessionKey(in.Route, in.by.Person)
		if no.Code == tooFastCode { // once a minute: they write more than they are to be told
			key = fmt.Sprintf("%s:%s:%d", tooFastCode, in.by.Person, i.service.Now().Unix()/60)
		}
	case err != nil || text == "" || out.silent:
		return err
	}
	return cmp.Or(i.answer(ctx, in, about, key, text), err)
}

func (i *Intake) answer(ctx context.Context, in message, session errand.SessionKey, key, text string) error {
	r := in.Route
	added, err := i.service.Store.Answer(ctx, errand.Notification{
		Key:   strings.Join([]string{"answer", r.Channel, r.Account, r.Chat, key}, ":"),
		Route: r, Session: session, Event: errand.EventNotice, Text: text, ReplyTo: in.MessageID,
	})
	if added {
		i.service.WakeOutbox(ctx, r)
	}
	return err
}
