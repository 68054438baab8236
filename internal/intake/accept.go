package intake

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"errand"
	"errand/internal/commands"
	"errand/internal/limit"
	"errand/internal/probe"
	"errand/internal/service"
	"errand/internal/store"
)

// A message is an Inbound on its way in, and who wrote it: read once, and handed on.
type message struct {
	Inbound
	by       service.Actor
	tokens   *limit.Tokens // what it was counted with
	admitted bool          // it was counted when its sender was let in
	// notify tells the sender what is not taken of it, once for each thing that it is
	// about; nil: nobody is told.
	notify func(ctx context.Context, about, text string) error
}

// Accept takes a message from a door, which has made sure who its service.Person is. When it
// returns without error the message is durably accepted: a signal that is lost is made
// up for by the watchdog.
func (i *Intake) Accept(ctx context.Context, in Inbound) (Outcome, error) {
	if in.MessageID == "" {
		in.MessageID = uuid.NewString()
	}
	if !service.IsExternalID(in.MessageID) {
		return Outcome{}, service.BadMessageID()
	}
	by, err := i.service.ActorAs(ctx, in.Person, in.Role)
	if err != nil {
		return Outcome{}, err
	}
	m := message{Inbound: in, by: by.Through(in.Route.Channel).WithTokenOf(in.By), tokens: &limit.Tokens{}}
	if len(in.Attachments) > 0 {
		m.notify = refuseFiles
	}
	return i.enqueueOrRefund(ctx, m)
}

// refuseFiles refuses a message of a door for what it brings: whoever sent it is still
// there, and may send it without.
func refuseFiles(_ context.Context, _, text string) error {
	return &service.Error{Kind: service.KindTooLarge, Code: "not_taken", Message: text}
}

// enqueueOrRefund checks a message, of a door or a platform, commits it to the inbox and
// signals its session.
func (i *Intake) enqueueOrRefund(ctx context.Context, m message) (Outcome, error) {
	out, err := i.enqueue(ctx, m)
	out.Person = m.by.Person
	if out.Duplicate {
		i.refundRepeat(m)
	}
	i.refundFailure(m.tokens, err)
	return out, err
}

func (i *Intake) enqueue(ctx context.Context, in message) (Outcome, error) {
	text, unclean := service.CleanText(in.Text, i.service.MessageBytes)
	if service.IsEmpty(unclean) && len(in.Attachments)+len(in.Outputs) > 0 {
		unclean = nil
	}
	// What is refused is counted too: its sender is told why.
	silent, again, err := i.allowOrRepeat(ctx, in, text)
	if err = cmp.Or(err, unclean); err != nil {
		return Outcome{}, err
	}
	row := i.row(in)
	row.ReplyTo, row.Text = in.ReplyTo, commands.Unescape(text)
	out := Outcome{Key: row.Session(), MessageID: in.MessageID, Duplicate: again, silent: silent}
	if commands.In(text) && !in.Forwarded {
		done, err := i.commands.Run(ctx, commands.Request{
			By: in.by, Message: i.row(in), Text: text, Open: in.Group && !in.Private, Attached: len(in.Attachments) > 0})
		out.Answer, out.Duplicate, out.HasMessage = done.Answer, done.Repeated, done.HasMessage
		if err != nil || !done.HasMessage {
			return out, err
		}
		row.Text, row.Answer = commands.Unescape(done.Then), done.Answer
	} else if again {
		return out, nil // if its session was not signalled, the watchdog sees to that
	} else if len(in.Outputs) > 0 && row.Text == "" {
		// A program's words answer nothing else.
	} else if done, err := i.answerQuestion(ctx, in, row); err != nil || done.Answer != "" {
		out.Answer, out.Duplicate = done.Answer, done.Repeated
		return out, err
	} else if done, err := i.addToTask(ctx, in, row); err != nil || done.Answer != "" {
		out.Answer, out.Duplicate = done.Answer, done.Repeated
		return out, err
	}
	kept, empty, err := i.commit(ctx, in, row)
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
		i.service.Logger.Info("message seen before", "channel", in.Route.Channel, "chat", in.Route.Chat)
	} else {
		i.service.Logger.Info("message accepted", "channel", in.Route.Channel, "chat", in.Route.Chat, "bytes", len(text))
	}
	if kept.Claimed {
		return out, nil // a signal would end the wait of the turn that has taken it
	}
	// Signalled for a duplicate too: the first time may have died in between.
	if err := i.service.Dispatch.PromptlyWakeSession(ctx, out.Key, kept.ID); err != nil {
		i.service.Logger.Warn("session not signalled; the watchdog will", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
	}
	i.options.Probe.At(probe.AfterSignal)
	return out, nil
}

// allowOrRepeat is [Intake.allow], but for what the inbox has already: that is not
// refused, and again says so.
func (i *Intake) allowOrRepeat(ctx context.Context, in message, text string) (silent, again bool, err error) {
	if silent, err = i.allow(in, text); err == nil {
		return silent, false, nil
	}
	again, fault := i.service.Store.Has(ctx, i.row(in))
	if again || fault != nil {
		err = fault
	}
	return silent, again, err
}

func (i *Intake) row(in message) store.InboxMessage {
	return store.InboxMessage{
		Route: in.Route, Person: in.by.Person, Shared: in.Group && i.shares(in.Route), Group: in.Group, Role: in.by.Role,
		MessageID: in.MessageID, Revision: in.Revision, Forwarded: in.Forwarded, From: in.ForwardedFrom,
		Tools: in.Tools, Outputs: in.Outputs,
	}
}

// shares reports whether the people of a group chat share one session.
func (i *Intake) shares(r errand.Route) bool {
	return i.options.Shared != nil && i.options.Shared(r)
}
