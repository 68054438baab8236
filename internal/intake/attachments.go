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

// commit stores a message. It reports empty if nothing of the message is accepted. All files are in
// memory until then, so it processes few messages with files at once; the others wait.
func (i *Intake) commit(ctx context.Context, in message, m store.InboxMessage) (row store.InboxRow, empty bool, err error) {
	if len(in.Attachments) > 0 {
		var release func()
		if release, err = i.downloads.Acquire(ctx, in.Route.At()); err != nil {
			return row, false, err
		}
		defer release()
		defer func() {
			if err == nil { // the message will not come again
				i.attempts.forget(in.key())
			}
		}()
		if empty, err = i.attach(ctx, in, &m); err != nil || empty {
			return row, empty, err
		}
	}
	i.options.Probe.At(probe.BeforeInbox)
	row, err = i.deps.Store.Accept(ctx, m)
	var spent *store.BudgetError
	if errors.As(err, &spent) {
		// Meanwhile the sender's other messages have used the rest of the budget.
		if empty, err = i.dropAttachments(ctx, in, &m, spent); err != nil || empty {
			return row, empty, err
		}
		row, err = i.deps.Store.Accept(ctx, m)
	}
	switch {
	case err == nil:
		i.options.Probe.At(probe.AfterInbox)
	case errors.Is(err, store.ErrNoSuchCall):
		err = service.UnknownCall()
	case m.Replaces != "":
		err = service.Replaceable(err)
	}
	return row, false, err
}

// attach reports empty if nothing is left of the message. It fetches no files of a message that the
// inbox already has.
func (i *Intake) attach(ctx context.Context, in message, m *store.InboxMessage) (empty bool, err error) {
	if has, err := i.deps.Store.Has(ctx, *m); err != nil || has {
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
	limits := i.deps.Store.Limits().Files
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
	return i.deps.Texts.For(in.by.Language, in.Sender.Language, i.deps.Language)
}

// notify tells the sender what errand refuses. It runs before the message is in the inbox, because
// after that there is no retry. The notice about a day's limit comes once a minute.
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
	return in.notify(ctx, fmt.Sprintf("spent:%s:%d", in.by.Person, i.deps.Now().Unix()/60), strings.Join(got.quotaNotices, "\n"))
}
