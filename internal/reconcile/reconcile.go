// Package reconcile makes the store and Temporal agree again after one of them, or
// a worker, was gone: it signals, starts and ends what the store knows to be open. One
// worker of an installation does it, see [Reconciler.Run].
package reconcile

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"errand"
	"errand/internal/dispatch"
	"errand/internal/store"
)

// Service is what a Reconciler has done by the rules for people and programs. All
// methods may be called again with the same arguments.
type Service interface {
	// AcceptPairingMessages accepts what somebody wrote before they were let in with a code.
	AcceptPairingMessages(ctx context.Context, code string) error
	// EndTask ends a task and everything it delegated.
	EndTask(ctx context.Context, id errand.TaskID, reason string) (errand.Task, error)
	// RemindOfQuestions reminds people of questions that wait for them, and ends those
	// that have expired.
	RemindOfQuestions(ctx context.Context) error
	// NoteGoneAccounts says of what has waited since before a time for an account
	// that no worker has what it waits for.
	NoteGoneAccounts(ctx context.Context, before time.Time) error
	// PollLatePeers has told what peers say of tasks that nobody waits for any more.
	PollLatePeers(ctx context.Context) error
}

// A Reconciler compares what is open in the store with the workflows of it. What it
// does is harmless when it was not needed, or is done twice. It reads no words of
// people, and waits for no model. All fields are needed, Worker by Run alone.
type Reconciler struct {
	Store    *store.Store
	Dispatch *dispatch.Dispatcher
	Service  Service
	Logger   *slog.Logger
	Worker   string // its id, as the store knows it
}

// dueSoon is how long before its time a reminder must have its workflow. Asking
// about those that come in a year, every minute, would be in vain.
const dueSoon = 5 * time.Minute

// signalAgain is after what time a session that runs is told once more of what
// still waits for it: it should know.
const signalAgain = time.Hour

// Once makes one pass over what is older than before, whether or not this worker has
// the duty. It signals sessions whose inbox has rows that no turn has taken, starts
// tasks and reminders that have no workflow, gives tasks whose workflow is gone an
// outcome, makes sure that outcomes are told and deliveries made, and polls late peers.
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
	compare(ctx, p, p.Store.OpenTurns(ctx, before), comparison[errand.SessionKey]{
		id:      func(key errand.SessionKey) string { return string(key) },
		missing: p.resumeTurn,
	})
	compare(ctx, p, p.Store.OpenTasks(ctx), comparison[errand.Task]{
		id:      func(t errand.Task) string { return string(t.ID) },
		skip:    func(t errand.Task) bool { return !t.Created.Before(before) },
		missing: p.mendTask,
	})
	p.signalDeadlines(ctx)
	p.signalAdded(ctx, before)
	compare(ctx, p, p.Store.DueReminders(ctx, before.Add(dueSoon)), comparison[errand.ReminderID]{
		id:      func(id errand.ReminderID) string { return string(id) },
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
	compare(ctx, p, p.Store.OpenRoutes(ctx), comparison[errand.Route]{
		id:      dispatch.OutboxID,
		missing: func(ctx context.Context, r errand.Route) (bool, error) { return false, p.ensureOutbox(ctx, r) },
	})
	return p.err()
}

// isRecent reports whether a signal was sent so lately that a workflow which runs has
// it: in its history, or read from the store when it began. Temporal takes only so many
// signals for one run, and a session may be busy or paused for days.
func isRecent(signalled time.Time) bool {
	return !signalled.IsZero() && time.Since(signalled) <= signalAgain
}

// isHandledElsewhere reports whether nobody has to be told of an outcome by a signal.
func isHandledElsewhere(t store.UndecidedTask) bool {
	if _, _, below := t.Caller.Owner.Task(); below {
		return !t.Signalled.IsZero() // a sub-agent that was told asks the store for the rest
	}
	return t.Origin.SessionKey == "" // there is nobody to tell
}
