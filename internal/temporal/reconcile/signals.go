package reconcile

import (
	"context"
	"iter"
	"time"

	"errand/internal/store"
)

func (p *pass) signalDeadlines(ctx context.Context) {
	signal(ctx, p, p.Store.Overdue(ctx), func(t store.OverdueTask) time.Time { return t.Signalled }, func(t store.OverdueTask) error {
		delivered, err := p.Dispatch.DeadlinePassed(ctx, t.ID)
		if !delivered {
			return err
		}
		return p.Store.NoteSignalled(ctx, t)
	})
}

// signalAdded signals messages that agents have not read, because an agent that waits for an answer
// does not poll for them.
func (p *pass) signalAdded(ctx context.Context, before time.Time) {
	signal(ctx, p, p.Store.UntakenMessages(ctx, before), func(m store.UntakenMessage) time.Time { return m.Signalled }, func(m store.UntakenMessage) error {
		delivered, err := p.Dispatch.TaskSteered(ctx, m.Task, m.Agents, m.Row)
		if !delivered {
			return err
		}
		return p.Store.NoteSignalled(ctx, m)
	})
}

// endOverdue ends approved calls whose turn was interrupted and whose worker has died, and informs
// their agents.
func (p *pass) endOverdue(ctx context.Context) {
	ids, err := p.Store.OverdueApprovals(ctx, p.Store.Now())
	p.note(err)
	for _, id := range ids {
		p.note(p.write(func() error {
			p.Logger.Warn("nobody has kept what an approved call came to; its agent is told so", "question", id)
			return p.Store.LoseOutcome(ctx, id)
		}))
	}
}

// signalAnswers signals closed questions to sub-agents, which do not poll for them. A worker may
// have died before it sent the signal.
func (p *pass) signalAnswers(ctx context.Context, before time.Time) {
	signal(ctx, p, p.Store.UndeliveredAnswers(ctx, before), func(q store.ClosedQuestion) time.Time { return q.Signalled }, func(q store.ClosedQuestion) error {
		if err := p.Dispatch.QuestionAnswered(ctx, q.ID, q.Owner, q.Key, q.Refused); err != nil {
			return err
		}
		return p.Store.NoteSignalled(ctx, q)
	})
}

// signal skips rows that were signalled recently: the workflow has the signal in its history.
func signal[T any](ctx context.Context, p *pass, rows iter.Seq2[T, error], last func(T) time.Time, send func(T) error) {
	for row, err := range rows {
		if err != nil {
			p.note(err)
			return
		}
		if ctx.Err() != nil || !p.isLeader() {
			return
		}
		if !isRecent(last(row)) {
			p.note(p.write(func() error { return send(row) }))
		}
	}
}
