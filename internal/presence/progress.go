package presence

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"
	"strings"
	"sync"
	"time"

	"errand"
	"errand/internal/store"
	"errand/notifiers"
)

// progress shows how far the tasks of a turn are, in one message for the turn that
// changes. What is shown is made of the store each time, and who may change it is
// decided there: it does not matter which process sees that a task has changed,
// nor how often.
type progress struct {
	p     *Presence
	slots chan struct{} // how many are looked after at once

	mu      sync.Mutex
	due     map[errand.SessionID]*due
	stopped bool
}

const (
	// atOnce is how many sessions are looked after at the same time.
	atOnce  = 8
	settle  = 100 * time.Millisecond
	showing = 10 * time.Second
	claim   = 15 * time.Second
	// later is when it is tried again where the platform does not say.
	later     = 30 * time.Second
	mostTasks = 10
)

// A due is when a session is looked after.
type due struct {
	at    time.Time
	timer *time.Timer
}

// changed notes that a task of a session has changed.
func (l *progress) changed(ctx context.Context, session errand.SessionID, to errand.Route) {
	if session != "" && l.p.Notifiers.ShowsProgress(to) {
		l.schedule(ctx, session, settle)
	}
}

func (l *progress) sweep(ctx context.Context) {
	l.p.work.Go(func() {
		sessions, err := l.p.Store.ProgressSessions(ctx)
		if err != nil && ctx.Err() == nil {
			l.p.Logger.Warn("progress not looked after", "error", err)
		}
		for _, s := range sessions {
			l.schedule(ctx, s, settle)
		}
	})
}

// schedule looks after a session in a while, or before that if it is to be anyway.
func (l *progress) schedule(ctx context.Context, session errand.SessionID, in time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return
	}
	at := time.Now().Add(in)
	if d := l.due[session]; d != nil {
		// Where it cannot be stopped, it waits for us, and then looks at what is there.
		if at.Before(d.at) && d.timer.Stop() {
			d.at = at
			d.timer.Reset(in)
		}
		return
	}
	l.p.work.Add(1)
	l.due[session] = &due{at, time.AfterFunc(in, func() {
		defer l.p.work.Done()
		l.mu.Lock()
		delete(l.due, session)
		l.mu.Unlock()
		l.after(ctx, session)
	})}
}

// stop drops what is due; what is under way ends by its context.
func (l *progress) stop() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stopped = true
	for _, d := range l.due {
		if d.timer.Stop() {
			l.p.work.Done()
		}
	}
}

// after brings what is shown of a session up to date.
func (l *progress) after(ctx context.Context, session errand.SessionID) {
	select {
	case l.slots <- struct{}{}:
	case <-ctx.Done():
		return
	}
	defer func() { <-l.slots }()
	turns, err := l.p.Store.ProgressTurns(ctx, session)
	next := time.Duration(0)
	for _, n := range turns {
		var wait time.Duration
		if wait, err = l.show(ctx, turn{session, n}); err != nil {
			break
		}
		if wait > 0 && (next == 0 || wait < next) {
			next = wait
		}
	}
	if err != nil && ctx.Err() == nil {
		l.p.Logger.Warn("progress not shown", "session", session, "error", err)
		next = later
	}
	if next > 0 {
		l.schedule(ctx, session, next)
	}
}

// show brings the message of a turn up to date, and returns when to look again;
// 0: when something changes. Its errors are the store's.
func (l *progress) show(ctx context.Context, t turn) (time.Duration, error) {
	tasks, err := l.p.Store.TurnTasks(ctx, t.session, t.number)
	if err != nil || len(tasks) == 0 {
		return 0, err
	}
	to := tasks[0].Origin.Route
	if !l.p.Notifiers.ShowsProgress(to) {
		return 0, nil
	}
	text, over := render(tasks)
	shown := hash(text)
	have, there, err := l.p.Store.Progress(ctx, t.session, t.number)
	switch {
	case err != nil || there && !have.Open:
		return 0, err
	case !there && over: // it was so quick that nothing was shown
		return 0, nil
	case !there && untilShown(tasks, l.p.ShowAfter) > 0:
		return untilShown(tasks, l.p.ShowAfter), nil
	case there && have.Shown == shown && !over:
		return 0, nil
	}
	have, claimed, wait, err := l.p.Store.ClaimProgress(ctx, t.session, t.number, claim)
	if err != nil || !claimed {
		return wait, err
	}
	call, cancel := context.WithTimeout(ctx, showing)
	defer cancel()
	id, err := l.p.Notifiers.ShowProgress(call, to, text, have.Message)
	stored := context.WithoutCancel(ctx) // what is known of it is noted even when time is up
	if err != nil {
		return l.failed(stored, t, to, have, err)
	}
	return 0, l.p.Store.NoteProgress(stored, t.session, t.number, store.Progress{Message: id, Shown: shown, Open: !over}, l.p.EditEvery)
}

// failed notes that a message was not sent, or not changed.
func (l *progress) failed(ctx context.Context, t turn, to errand.Route, have store.Progress, err error) (time.Duration, error) {
	send := &notifiers.SendError{Outcome: notifiers.Unknown, Err: err}
	errors.As(err, &send)
	l.p.Logger.Debug("progress not shown", "session", t.session, "channel", to.Channel, "account", to.Account, "error", send)
	wait := send.RetryAfter
	if wait <= 0 {
		wait = later
	}
	switch {
	case send.Outcome == notifiers.NotSent && have.Message == "":
		return wait, l.p.Store.DropProgress(ctx, t.session, t.number)
	case send.Outcome == notifiers.Refused, have.Message == "":
		// It is gone, or may be there without our knowing which it is. Better
		// none than two.
		have.Open = false
		return 0, l.p.Store.NoteProgress(ctx, t.session, t.number, have, 0)
	}
	return wait, l.p.Store.NoteProgress(ctx, t.session, t.number, have, wait)
}

// untilShown is how long it is until the first task that is open has taken so
// long that it is shown.
func untilShown(tasks []errand.Task, after time.Duration) time.Duration {
	for _, t := range tasks { // in the order in which they were made
		if !t.State.Terminal() {
			return max(0, time.Until(t.Created.Add(after)))
		}
	}
	return 0
}

// render is what people read of tasks, and whether nothing of it will change any
// more. It has no words but theirs: everybody understands it.
func render(tasks []errand.Task) (text string, over bool) {
	var b strings.Builder
	over = true
	for i, t := range tasks {
		over = over && t.State.Terminal()
		if i >= mostTasks {
			continue
		}
		mark := "⏳"
		switch {
		case t.State == errand.InputRequired:
			mark = "❓"
		case t.State == errand.Completed:
			mark = "✔"
		case t.State.Terminal():
			mark = "✖"
		}
		names := make([]string, len(t.Agents))
		for i, a := range t.Agents {
			names[i] = a.Display()
		}
		b.WriteString(mark + " " + strings.Join(names, ", ") + ": " + t.Title + "\n")
		if line := t.PlanLine(); line != "" {
			b.WriteString("    " + line + "\n")
		}
	}
	if more := len(tasks) - mostTasks; more > 0 {
		b.WriteString("… +" + strconv.Itoa(more) + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n"), over
}

// hash tells one text from another without keeping its words.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
