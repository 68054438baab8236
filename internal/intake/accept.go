package intake

import (
	"cmp"
	"context"

	"github.com/google/uuid"

	"errand/internal/actor"
	"errand/internal/commands"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/probe"
	"errand/internal/service"
	"errand/internal/store"
)

type message struct {
	Inbound
	by       actor.Actor
	tokens   *limit.Tokens // the tokens that it was counted with
	admitted bool          // counted when its sender was let in
	// notify tells the sender what errand refuses, once per about; nil: the sender gets no notice.
	notify func(ctx context.Context, about, text string) error
}

// Accept accepts a message from a door, which has checked its core.Person. If it returns no error,
// the message is durable, and the watchdog repeats lost signals.
func (i *Intake) Accept(ctx context.Context, in Inbound) (Outcome, error) {
	if in.MessageID == "" {
		in.MessageID = uuid.NewString()
	}
	if !service.IsExternalID(in.MessageID) {
		return Outcome{}, service.BadMessageID()
	}
	by, err := i.deps.ActorAs(ctx, in.Person, in.Role)
	if err != nil {
		return Outcome{}, err
	}
	m := message{Inbound: in, by: by.Through(in.Route.Channel).WithTokenOf(in.By), tokens: &limit.Tokens{}}
	if len(in.Attachments) > 0 {
		m.notify = refuseFiles
	}
	return i.enqueueOrRefund(ctx, m)
}

// refuseFiles refuses the whole message, because the sender can send it again without the files.
func refuseFiles(_ context.Context, _, text string) error {
	return &service.Error{Kind: service.KindTooLarge, Code: "not_taken", Message: text}
}

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
	text, unclean := service.CleanText(in.Text, i.deps.MessageBytes)
	if service.IsEmpty(unclean) && (len(in.Attachments)+len(in.Outputs) > 0 || in.Replaces != "") {
		unclean = nil
	}
	// Refused messages count, too, because their senders get an answer.
	silent, again, err := i.allowOrRepeat(ctx, in, text)
	if err = cmp.Or(err, unclean); err != nil {
		return Outcome{}, err
	}
	in.by.Counted = true // also for repeats and /stop: a command takes effect once per message
	row := i.row(in)
	row.ReplyTo, row.Replaces, row.Text = in.ReplyTo, in.Replaces, commands.Unescape(text)
	out := Outcome{Key: row.Session(), MessageID: in.MessageID, Duplicate: again, silent: silent}
	if commands.In(text) && in.Replaces != "" {
		return out, service.Invalid("command", "refusal.edit_command")
	}
	if commands.In(text) && !in.Forwarded {
		done, err := i.deps.Commands.Run(ctx, commands.Request{
			By: in.by, Message: i.row(in), Text: text, Open: in.Group && !in.Private, Attached: len(in.Attachments) > 0})
		out.Answer, out.Duplicate, out.HasMessage = done.Answer, done.Repeated, done.HasMessage
		if err != nil || !done.HasMessage {
			return out, err
		}
		row.Text, row.Answer = commands.Unescape(done.Then), done.Answer
	} else if again {
		return out, nil // if its session was not signalled, the watchdog signals it
	} else if in.Replaces != "" || len(in.Outputs) > 0 && row.Text == "" {
		// Replacements of messages and outputs of programs do not answer questions.
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
		i.deps.Logger.Info("message seen before", "channel", in.Route.Channel, "chat", in.Route.Chat)
	} else {
		i.deps.Logger.Info("message accepted", "channel", in.Route.Channel, "chat", in.Route.Chat, "bytes", len(text))
	}
	if kept.Claimed {
		return out, nil // a signal would end the wait of the turn that took it
	}
	// Signal for duplicates, too, because the first delivery may have failed before the signal.
	if err := i.deps.Sessions.PromptlyWakeSession(ctx, out.Key, kept.ID); err != nil {
		i.deps.Logger.Warn("session not signaled; the watchdog will signal it", "channel", in.Route.Channel, "chat", in.Route.Chat, "error", err)
	}
	i.options.Probe.At(probe.AfterSignal)
	return out, nil
}

// allowOrRepeat does not refuse a message that the inbox already has. again reports that.
func (i *Intake) allowOrRepeat(ctx context.Context, in message, text string) (silent, again bool, err error) {
	if silent, err = i.allow(in, text); err == nil {
		return silent, false, nil
	}
	again, fault := i.deps.Store.Has(ctx, i.row(in))
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

func (i *Intake) shares(r core.Route) bool {
	return i.options.Shared != nil && i.options.Shared(r)
}
