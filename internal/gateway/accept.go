package gateway

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
)

// A message is an Inbound on its way in, and who wrote it: read once, and handed on.
type message struct {
	Inbound
	by       service.Actor
	counted  *counted // at which rates it was
	admitted bool     // it was counted when its sender was let in
	// notify tells the sender what is not taken of it, once for each thing that it is
	// about; nil: nobody is told.
	notify func(ctx context.Context, about, text string) error
}

// Accept takes a message from a door, which has made sure who its service.Person is. When it
// returns without error the message is durably accepted: a signal that is lost is made
// up for by the watchdog.
func (g *Gateway) Accept(ctx context.Context, in Inbound) (Outcome, error) {
	if in.MessageID == "" {
		in.MessageID = uuid.NewString()
	}
	if !service.IsExternalID(in.MessageID) {
		return Outcome{}, service.Invalid("message_id", "the message id must be at most 200 bytes of printable text")
	}
	by, err := g.ActorAs(ctx, in.Person, in.Role)
	if err != nil {
		return Outcome{}, err
	}
	return g.accept(ctx, message{Inbound: in, by: by, counted: &counted{}})
}

// accept checks a message, of a door or a platform, commits it to the inbox and
// signals its session.
func (g *Gateway) accept(ctx context.Context, m message) (Outcome, error) {
	out, err := g.enqueue(ctx, m)
	out.Person = m.by.Person
	g.settle(m, out.Duplicate, err)
	return out, err
}

func (g *Gateway) enqueue(ctx context.Context, in message) (Outcome, error) {
	text, unclean := service.CleanText(in.Text, g.MessageBytes)
	if service.IsEmpty(unclean) && len(in.Attachments) > 0 {
		unclean = nil
	}
	// What is refused is counted too: its sender is told why.
	often, again, err := g.inTurn(ctx, in, text)
	if err = cmp.Or(err, unclean); err != nil {
		return Outcome{}, err
	}
	row := g.row(in)
	row.ReplyTo, row.Text = in.ReplyTo, forAgent(text)
	out := Outcome{Key: row.Session(), MessageID: in.MessageID, Duplicate: again, often: often}
	if errand.IsCommand(text) && !in.Forwarded {
		done, err := g.command(ctx, in, out.Key, text)
		out.Answer, out.Duplicate, out.Goes = done.answer, done.again, done.goes
		if err != nil || !done.goes {
			return out, err
		}
		row.Text, row.Answer = forAgent(done.then), done.answer
	} else if again {
		return out, nil // if its session was not signalled, the watchdog sees to that
	}
	kept, empty, err := g.take(ctx, in, row)
	if err != nil {
		return out, err
	}
	if empty {
		if out.Answer == "" {
			out.Refused = "has nothing that is taken"
		}
		return out, nil
	}
	out.Duplicate = kept.Duplicate
	if kept.Duplicate {
		g.Logger.Info("message seen before", "channel", in.Route.Channel, "chat", in.Route.Chat)
	} else {
		g.Logger.Info("message accepted", "channel", in.Route.Channel, "chat", in.Route.Chat, "bytes", len(text))
	}
	if kept.Taken {
		return out, nil // a signal would end the wait of the turn that has taken it
	}
	// Signalled for a duplicate too: the first time may have died in between.
	if err := g.Dispatch.PromptlyWakeSession(ctx, out.Key, kept.ID); err != nil {
		g.Logger.Warn("session not signalled; the watchdog will", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
	}
	g.Probe("after signal")
	return out, nil
}

// inTurn is [Gateway.inTime], but for what the inbox has already: that is not
// refused, and again says so.
func (g *Gateway) inTurn(ctx context.Context, in message, text string) (often, again bool, err error) {
	if often, err = g.inTime(in, text); err == nil {
		return often, false, nil
	}
	again, fault := g.Store.Has(ctx, g.row(in))
	if again || fault != nil {
		err = fault
	}
	return often, again, err
}

// row is a message as the inbox has it, but for what it says.
func (g *Gateway) row(in message) store.InboxMessage {
	return store.InboxMessage{
		Route: in.Route, Person: in.by.Person, Shared: in.Group && g.shares(in.Route), Group: in.Group, Role: in.by.Role,
		MessageID: in.MessageID, Revision: in.Revision, Forwarded: in.Forwarded, From: in.ForwardedFrom,
	}
}

// shares reports whether the people of a group chat share one session.
func (g *Gateway) shares(r errand.Route) bool {
	return g.Shared != nil && g.Shared(r)
}
