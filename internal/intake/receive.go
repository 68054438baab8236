package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// Receive accepts a message of a platform if its sender may come in. errand's own answer, to a
// command or about a refusal, goes to the outbox, once per message. An [*Error] is a final refusal;
// after any other error the channel has to deliver the message again.
func (i *Intake) Receive(ctx context.Context, in Inbound) (Outcome, error) {
	in.Sender.IDs = slices.DeleteFunc(slices.Clone(in.Sender.IDs), func(id string) bool { return !service.IsExternalID(id) })
	in.Sender.Name, in.Sender.Language = service.ShortName(in.Sender.Name), service.KnownLanguage(in.Sender.Language)
	// A sender may choose the ids, and the platform would deliver an invalid one again and again.
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
		if came, err := i.deps.Store.Came(ctx, in.Route, in.MessageID); err != nil || !came {
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
	p, err := i.deps.Store.Identify(ctx, m.Route.Channel, m.Route.Account, m.Sender.IDs...)
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
		return i.answer(ctx, m, core.NewSessionKey(m.Route, p.ID), key, text)
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

// unreadable tells a sender what errand cannot read of their message, at a limited rate. nothing
// means that the message has nothing else; only then it counts the message.
func (i *Intake) unreadable(ctx context.Context, m message, t texts.Texts) (nothing bool, err error) {
	nothing = strings.TrimSpace(m.Text) == "" && len(m.Attachments) == 0
	if nothing {
		_, err = i.allow(m, "")
	}
	if err != nil || !i.allowAnswer("unreadable", m.by.Person, m.tokens) {
		return nothing, err
	}
	text := t.Localize("unreadable.sorry", "content", t.Localize("unreadable."+string(m.Unreadable)))
	return nothing, i.answer(ctx, m, core.NewSessionKey(m.Route, m.by.Person), "unreadable:"+cmp.Or(m.Album, m.MessageID), text)
}

// privately moves an error into the Outcome, so that the channel can show it to the sender.
func privately(by core.PersonID, t texts.Texts, out Outcome, err error) (Outcome, error) {
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
		text, about = service.ErrorText(err, t), core.NewSessionKey(in.Route, in.by.Person)
		if no.Code == tooFastCode { // at most once a minute, because they write more often
			key = fmt.Sprintf("%s:%s:%d", tooFastCode, in.by.Person, i.deps.Now().Unix()/60)
		}
	case err != nil || text == "" || out.silent:
		return err
	}
	return cmp.Or(i.answer(ctx, in, about, key, text), err)
}

func (i *Intake) answer(ctx context.Context, in message, session core.SessionKey, key, text string) error {
	r := in.Route
	added, err := i.deps.Store.Answer(ctx, core.Notification{
		Key:   strings.Join([]string{"answer", r.Channel, r.Account, r.Chat, key}, ":"),
		Route: r, Session: session, Event: core.EventNotice, Text: text, ReplyTo: in.MessageID,
	})
	if added {
		i.deps.Internal.WakeOutbox(ctx, r)
	}
	return err
}
