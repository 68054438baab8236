package gateway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand"
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
func (g *Gateway) Receive(ctx context.Context, in Arrival) (Received, error) {
	in.Sender.IDs = slices.DeleteFunc(slices.Clone(in.Sender.IDs), func(id string) bool { return !service.IsExternalID(id) })
	in.Sender.Name, in.Sender.Language = service.ShortName(in.Sender.Name), service.KnownLanguage(in.Sender.Language)
	// A sender may have drawn these ids, and what no database takes would come
	// again and again.
	if !service.IsExternalID(in.MessageID) {
		return Received{}, service.Invalid("message_id", "the message has no id that could be one")
	}
	if !service.IsExternalID(in.ReplyTo) {
		in.ReplyTo = ""
	}
	if !service.IsExternalID(in.Album) {
		in.Album = ""
	}
	in.ForwardedFrom = service.ShortName(in.ForwardedFrom)
	if in.Deleted {
		return g.takeBack(ctx, in)
	}
	if in.Unaddressed {
		if came, err := g.Store.Came(ctx, in.Route, in.MessageID); err != nil || !came {
			return Received{Refused: "is not for us"}, err
		}
	}
	if len(in.Sender.IDs) == 0 {
		return Received{}, service.Invalid("sender", "the message says nothing of whom it is from")
	}
	in.counted = &counted{sent: in.Sent}
	out, err := g.receive(ctx, in)
	g.excuse(in.counted, err)
	return out, err
}

// receive takes a message of a sender who may be anybody.
func (g *Gateway) receive(ctx context.Context, in Arrival) (Received, error) {
	p, err := g.Store.Identify(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs...)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return Received{}, err
	}
	unknown := p.ID == ""
	p, refused, err := g.admit(ctx, in, p)
	if err != nil || refused.Refused != "" {
		return refused, err
	}
	t := g.Texts.For(p.Language, in.Sender.Language, g.Language)
	taken := Inbound{Route: in.Route, Person: p.ID, Group: in.Group, Private: in.Private, MessageID: in.MessageID,
		Revision: in.Revision, ReplyTo: in.ReplyTo, Text: in.Text, Forwarded: in.Forwarded, ForwardedFrom: in.ForwardedFrom,
		Attachments: in.Attachments, language: in.Sender.Language,
		counted: in.counted, paced: unknown,
		tell: func(ctx context.Context, about, text string) error {
			key := "attached:" + cmp.Or(about, in.Album, in.MessageID)
			return g.answer(ctx, in, errand.NewSessionKey(in.Route, p.ID), key, text)
		}}
	if in.Unreadable != "" {
		if nothing, err := g.unreadable(ctx, in, taken, p, t); err != nil || nothing {
			return Received{Person: p.ID, Refused: "is no text"}, g.answered(ctx, in, p.ID, t, Accepted{}, err)
		}
	}
	out, err := g.Accept(ctx, taken)
	if in.Private {
		return privately(p.ID, t, out, err)
	}
	received := Received{Accepted: out, Person: p.ID}
	if out.Empty {
		received.Refused = "has nothing that is taken"
	}
	return received, g.answered(ctx, in, p.ID, t, out, err)
}

// unreadable tells a sender what of their message is not taken, unless they have
// been told so often. nothing says that there is no more of it; it is counted
// then, as what is more is when it is accepted.
func (g *Gateway) unreadable(ctx context.Context, in Arrival, taken Inbound, p service.Person, t texts.Texts) (nothing bool, err error) {
	nothing = strings.TrimSpace(in.Text) == "" && len(in.Attachments) == 0
	if taken.Role = p.Role; nothing {
		_, err = g.inTime(taken, "")
	}
	if err != nil || g.answeredOften("unreadable", p.ID, in.counted) {
		return nothing, err
	}
	text := t.Say("unreadable.sorry", "content", t.Say("unreadable."+string(in.Unreadable)))
	return nothing, g.answer(ctx, in, errand.NewSessionKey(in.Route, p.ID), "unreadable:"+cmp.Or(in.Album, in.MessageID), text)
}

// privately leaves it to the channel to tell a sender what became of their
// message.
func privately(by errand.PersonID, t texts.Texts, out Accepted, err error) (Received, error) {
	var no *service.Error
	if errors.As(err, &no) {
		return Received{Person: by, Refused: no.Code, Told: service.Say(err, t)}, nil
	}
	return Received{Accepted: out, Person: by, Told: out.Answer}, err
}

// answered tells a sender what became of their message, where no agent will.
func (g *Gateway) answered(ctx context.Context, in Arrival, by errand.PersonID, t texts.Texts, out Accepted, err error) error {
	key, text, about := fmt.Sprintf("%s:%d", in.MessageID, in.Revision), out.Answer, out.Key
	var no *service.Error
	switch {
	case errors.As(err, &no):
		text, about = service.Say(err, t), errand.NewSessionKey(in.Route, by)
		if no.Code == tooFastCode { // once a minute: they write more than they are to be told
			key = fmt.Sprintf("%s:%s:%d", tooFastCode, by, g.Now().Unix()/60)
		}
	case err != nil || text == "" || out.often:
		return err
	}
	return cmp.Or(g.answer(ctx, in, about, key, text), err)
}

// answer puts something into the outbox that errand itself says about a message.
func (g *Gateway) answer(ctx context.Context, in Arrival, session errand.SessionKey, key, text string) error {
	r := in.Route
	told, err := g.Store.Answer(ctx, errand.Notification{
		Key:   strings.Join([]string{"answer", r.Channel, r.Account, r.Chat, key}, ":"),
		Route: r, Session: session, Event: errand.EventNotice, Text: text, ReplyTo: in.MessageID,
	})
	if told {
		g.WakeOutbox(ctx, r)
	}
	return err
}
