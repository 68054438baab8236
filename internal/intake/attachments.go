package intake

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"errand/internal/probe"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/texts"
)

// commit commits a message to the inbox with what it came with; empty if nothing of
// it is taken. Of those that bring something only so many are taken at once: all
// that they bring is in memory until it is committed. The others wait.
func (i *Intake) commit(ctx context.Context, in message, m store.InboxMessage) (row store.InboxRow, empty bool, err error) {
	if len(in.Attachments) > 0 {
		var release func()
		if release, err = i.downloads.Acquire(ctx, in.Route.At()); err != nil {
			return row, false, err
		}
		defer release()
		defer func() {
			if err == nil { // it comes no more
				i.attempts.forget(in.key())
			}
		}()
		if empty, err = i.attach(ctx, in, &m); err != nil || empty {
			return row, empty, err
		}
	}
	i.options.Probe.At(probe.BeforeInbox)
	row, err = i.service.Store.Accept(ctx, m)
	var spent *store.BudgetError
	if errors.As(err, &spent) {
		// Others of theirs came in meanwhile.
		if empty, err = i.dropAttachments(ctx, in, &m, spent); err != nil || empty {
			return row, empty, err
		}
		row, err = i.service.Store.Accept(ctx, m)
	}
	switch {
	case err == nil:
		i.options.Probe.At(probe.AfterInbox)
	case errors.Is(err, store.ErrNoSuchCall):
		err = service.UnknownCall()
	}
	return row, false, err
}

// attach makes what a message came with a part of it; empty if there is nothing to
// it then. What the inbox has already is not fetched again.
func (i *Intake) attach(ctx context.Context, in message, m *store.InboxMessage) (empty bool, err error) {
	if has, err := i.service.Store.Has(ctx, *m); err != nil || has {
		return false, err
	}
	got, err := i.fetch(ctx, in, i.textsFor(in))
	if err != nil {
		return false, err
	}
	m.Attached, m.Note = got.kept, strings.Join(got.note, "\n")
	return m.Text == "" && got.empty(), i.notify(ctx, in, got)
}

func (i *Intake) dropAttachments(ctx context.Context, in message, m *store.InboxMessage, spent *store.BudgetError) (empty bool, err error) {
	limits := i.service.Store.FileLimits()
	over := personDay(limits, 0)
	if spent.Budget != "person_day" {
		over = everybodysDay(limits, 0)
	}
	var got fetchResult
	for _, a := range m.Attached {
		got.refuseFor(&over, a.Name, i.textsFor(in))
	}
	empty = m.Text == "" && m.Note == ""
	m.Attached, m.Note = nil, strings.TrimPrefix(m.Note+"\n"+strings.Join(got.note, "\n"), "\n")
	return empty, i.notify(ctx, in, got)
}

func (i *Intake) textsFor(in message) texts.Texts {
	return i.service.Texts.For(in.by.Language, in.Sender.Language, i.service.Language)
}

// notify tells a sender what is not taken of what they sent: before the message is
// in the inbox, for after it nobody would come back to it. That a day's bytes are
// used up is told once a minute: they may go on sending for long.
func (i *Intake) notify(ctx context.Context, in message, got fetchResult) error {
	if in.notify == nil {
		return nil
	}
	if len(got.notices) > 0 {
		if err := in.notify(ctx, "", strings.Join(got.notices, "\n")); err != nil {
			return err
		}
	}
	if len(got.quotaNotices) == 0 {
		return nil
	}
	return in.notify(ctx, fmt.Sprintf("spent:%s:%d", in.by.Person, i.service.Now().Unix()/60), strings.Join(got.quotaNotices, "\n"))
}
