// Package reconcile makes the store and Temporal agree again after one of them, or a worker, was
// unavailable. It signals, starts and ends workflows for the open work in the store. One worker of
// an installation does this, see [Reconciler.Run].
package reconcile

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
)

// Service is what a Reconciler calls. All methods may be called again with the same arguments.
type Service interface {
	// AcceptPairingMessages accepts messages that were sent before an approval.
	AcceptPairingMessages(ctx context.Context, code string) error
	// EndTask ends a task and everything it delegated.
	EndTask(ctx context.Context, id core.TaskID, reason string) (core.Task, error)
	// RemindOfQuestions reminds people of open questions, and ends expired ones.
	RemindOfQuestions(ctx context.Context) error
	// NoteGoneAccounts records on rows older than before that no worker has their account.
	NoteGoneAccounts(ctx context.Context, before time.Time) error
	// PollLatePeers reports late answers of peers.
	PollLatePeers(ctx context.Context) error
}

// A Reconciler compares open work in the store with its workflows. Its actions are harmless if they
// were not needed or are repeated. It reads no texts of people, and waits for no model. All fields
// are required, except that only Run needs the worker and its attempts.
type Reconciler struct {
	Store     *store.Store
	Dispatch  *dispatch.Dispatcher
	Service   Service
	Logger    *slog.Logger
	Worker    string        // its id in the store
	WorkerTTL time.Duration // of all workers
	Attempts  Attempts

	releasing sync.Mutex // one pass that releases activities runs at a time
}

// dueSoon is how long before its time a reminder must have a workflow. A reminder for next year is
// not checked every minute.
const dueSoon = 5 * time.Minute

// signalAgain is when a running session is signalled again for the same waiting rows.
const signalAgain = time.Hour

// Once makes one pass over work that is older than before. It needs no lease. It signals sessions
// with untaken messages, starts missing workflows of tasks and reminders, ends tasks whose workflow
// is gone, ensures that outcomes and deliveries arrive, and polls late peers.
func (r *Reconciler) Once(ctx context.Context, before time.Time) error {
	p := &pass{Reconciler: r, isLeader: func() bool { return true }}
	return errors.Join(p.run(ctx, before), p.Service.PollLatePeers(ctx))
}

func (p *pass) run(ctx context.Context, before time.Time) error {
	p.note(p.write(func() error { return p.Store.ForgetExpired(ctx) }))
	p.note(p.write(func() error { return p.Store.ForgetRates(ctx) }))
	codes, err := p.Store.ApprovedPairingMessages(ctx)
	p.note(err)
	for _, code := range codes {
		p.note(p.write(func() error { return p.Service.AcceptPairingMessages(ctx, code) }))
	}
	compare(ctx, p, p.Store.WaitingSessions(ctx, before), comparison[store.WaitingSession]{
		id:        func(w store.WaitingSession) string { return string(w.Key) },
		needsNone: func(w store.WaitingSession) bool { return !isRecent(w.Signalled) },
		missing:   p.wakeWaiting,
	})
	compare(ctx, p, p.Store.OpenTurns(ctx, before), comparison[core.SessionKey]{
		id:      func(key core.SessionKey) string { return string(key) },
		missing: p.resumeTurn,
	})
	compare(ctx, p, p.Store.OpenTasks(ctx), comparison[core.Task]{
		id:      func(t core.Task) string { return string(t.ID) },
		skip:    func(t core.Task) bool { return !t.Created.Before(before) },
		missing: p.mendTask,
	})
	p.signalDeadlines(ctx)
	p.signalAdded(ctx, before)
	compare(ctx, p, p.Store.DueReminders(ctx, before.Add(dueSoon)), comparison[core.ReminderID]{
		id:      func(id core.ReminderID) string { return string(id) },
		missing: p.mendReminder,
	})
	compare(ctx, p, p.Store.UndecidedTasks(ctx, before), comparison[store.UndecidedTask]{
		id:        func(t store.UndecidedTask) string { return string(t.Origin.SessionKey) },
		skip:      isHandledElsewhere,
		needsNone: func(t store.UndecidedTask) bool { return !isRecent(t.Signalled) },
		missing:   p.signalOutcome,
	})
	compare(ctx, p, p.Store.AllDueWebhooks(ctx, before), comparison[store.DueWebhook]{
		id:      func(w store.DueWebhook) string { return w.ID },
		missing: func(ctx context.Context, w store.DueWebhook) (bool, error) { return false, p.startWebhook(ctx, w) },
	})
	compare(ctx, p, p.Store.AllDuePushes(ctx, before), comparison[store.DuePush]{
		id:      func(due store.DuePush) string { return due.ID },
		missing: func(ctx context.Context, due store.DuePush) (bool, error) { return false, p.startPush(ctx, due) },
	})
	p.note(p.write(func() error { return p.Service.RemindOfQuestions(ctx) }))
	p.endOverdue(ctx)
	p.signalAnswers(ctx, before)
	p.note(p.write(func() error { return p.Service.NoteGoneAccounts(ctx, before) }))
	compare(ctx, p, p.Store.OpenRoutes(ctx), comparison[core.Route]{
		id:      dispatch.OutboxID,
		missing: func(ctx context.Context, r core.Route) (bool, error) { return false, p.ensureOutbox(ctx, r) },
	})
	return p.err()
}

// isRecent reports whether a running workflow has the signal in its history or in what it has read
// from the store. Temporal limits the signals of one run, and a session may be busy or paused for
// days.
func isRecent(signalled time.Time) bool {
	return !signalled.IsZero() && time.Since(signalled) <= signalAgain
}

func isHandledElsewhere(t store.UndecidedTask) bool {
	if _, _, below := t.Caller.Owner.Task(); below {
		return !t.Signalled.IsZero() // a sub-agent that was signalled polls the store for the rest
	}
	return t.Origin.SessionKey == "" // no session to signal
}
