package gateway

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"errand"
	"errand/internal/service"
	"errand/internal/store"
)

// An Inbound is a message as a channel received it. Nothing in it is trusted.
type Inbound struct {
	Route     errand.Route
	Person    errand.PersonID
	Role      errand.Role // at most; empty: the person's
	Group     bool        // the chat has more people than this one
	Private   bool        // but only this one reads what errand itself answers
	MessageID string      // the platform's; drawn when empty
	Revision  int
	ReplyTo   string
	Text      string
	// Forwarded says that Person did not write it: it is somebody else's, ForwardedFrom's
	// if that is known, and no command.
	Forwarded     bool
	ForwardedFrom string
	// Attachments are what it came with. Of those that are not taken tell says
	// so, once for the message.
	Attachments []Attachment

	counted  *counted // at which rates it was
	paced    bool     // it was counted when its sender was let in
	language string   // of the platform's client
	tell     func(ctx context.Context, about, text string) error
}

// An Accepted is a message that will be answered, whatever happens now.
type Accepted struct {
	Key       errand.SessionKey
	MessageID string
	Duplicate bool
	// Answer is set for a command, which no agent sees. Goes says that a message
	// followed it, which one answers.
	Answer string
	Goes   bool
	// Empty says that nothing of the message could be taken. Its sender was told.
	Empty bool

	often bool // it is a /stop after many others: on a platform it is not answered
}

// Accept checks a message, commits it to the inbox and signals its session.
// When it returns without error the message is durably accepted: a signal that
// is lost is made up for by the watchdog.
func (g *Gateway) Accept(ctx context.Context, in Inbound) (Accepted, error) {
	if in.counted == nil {
		in.counted = &counted{}
	}
	out, err := g.accept(ctx, in)
	g.settle(in, out.Duplicate, err)
	return out, err
}

func (g *Gateway) accept(ctx context.Context, in Inbound) (Accepted, error) {
	text, unclean := service.CleanText(in.Text, g.MessageBytes)
	if service.IsEmpty(unclean) && len(in.Attachments) > 0 {
		unclean = nil
	}
	if in.MessageID == "" {
		in.MessageID = uuid.NewString()
	}
	if !service.IsExternalID(in.MessageID) {
		return Accepted{}, service.Invalid("message_id", "the message id must be at most 200 bytes of printable text")
	}
	by, err := g.ActorAs(ctx, in.Person, in.Role)
	if err != nil {
		return Accepted{}, err
	}
	in.Role = by.Role
	// What is refused is counted too: its sender is told why.
	often, again, err := g.inTurn(ctx, in, text)
	if err = cmp.Or(err, unclean); err != nil {
		return Accepted{}, err
	}
	message := g.row(in)
	message.ReplyTo, message.Text = in.ReplyTo, forAgent(text)
	out := Accepted{Key: message.Session(), MessageID: in.MessageID, Duplicate: again, often: often}
	if errand.IsCommand(text) && !in.Forwarded {
		done, err := g.command(ctx, in, out.Key, text)
		out.Answer, out.Duplicate, out.Goes = done.answer, done.again, done.goes
		if err != nil || !done.goes {
			return out, err
		}
		message.Text, message.Answer = forAgent(done.then), done.answer
	} else if again {
		return out, nil // if its session was not signalled, the watchdog sees to that
	}
	row, empty, err := g.take(ctx, in, by, message)
	if err != nil || empty {
		out.Empty = empty && out.Answer == ""
		return out, err
	}
	out.Duplicate = row.Duplicate
	if row.Duplicate {
		g.Logger.Info("message seen before", "channel", in.Route.Channel, "chat", in.Route.Chat)
	} else {
		g.Logger.Info("message accepted", "channel", in.Route.Channel, "chat", in.Route.Chat, "bytes", len(text))
	}
	if row.Taken {
		return out, nil // a signal would end the wait of the turn that has taken it
	}
	// Signalled for a duplicate too: the first time may have died in between.
	if err := g.Dispatch.PromptlyWakeSession(ctx, out.Key, row.ID); err != nil {
		g.Logger.Warn("session not signalled; the watchdog will", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
	}
	g.Probe("after signal")
	return out, nil
}

// inTurn is [Gateway.inTime], but for what the inbox has already: that is not
// refused, and again says so.
func (g *Gateway) inTurn(ctx context.Context, in Inbound, text string) (often, again bool, err error) {
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
func (g *Gateway) row(in Inbound) store.InboxMessage {
	return store.InboxMessage{
		Route: in.Route, Person: in.Person, Shared: in.Group && g.shares(in.Route), Group: in.Group, Role: in.Role,
		MessageID: in.MessageID, Revision: in.Revision, Forwarded: in.Forwarded, From: in.ForwardedFrom,
	}
}

// shares reports whether the people of a group chat share one session.
func (g *Gateway) shares(r errand.Route) bool {
	return g.Shared != nil && g.Shared(r)
}
