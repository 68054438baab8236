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

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

// progress shows the tasks of a turn in one message. Each change is rendered from the store, which
// also decides which process may make it. So any process may receive an event, any number of times.
type progress struct {
	p     *Presence
	slots chan struct{} // limits the sessions that are handled concurrently

	mu      sync.Mutex
	due     map[core.SessionID]*due
	stopped bool
}

const (
	// atOnce is how many sessions are handled concurrently.
	atOnce  = 8
	settle  = 100 * time.Millisecond
	showing = 10 * time.Second
	claim   = 15 * time.Second
	// later is the pause if a platform names none.
	later     = 30 * time.Second
	mostTasks = 10
)

type due struct {
	at    time.Time
	timer *time.Timer
}

func (l *progress) changed(ctx context.Context, session core.SessionID, to core.Route) {
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

func (l *progress) schedule(ctx context.Context, session core.SessionID, in time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return
	}
	at := time.Now().Add(in)
	if d := l.due[session]; d != nil {
		// If the timer has fired already, show waits for the lock and then reads the latest state.
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

func (l *progress) after(ctx context.Context, session core.SessionID) {
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

// show returns when to look again; 0: at the next change. Its errors come from the store.
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
	case !there && over: // it ended before anything was shown
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
	stored := context.WithoutCancel(ctx) // record the result even when time is up
	if err != nil {
		return l.failed(stored, t, to, have, err)
	}
	return 0, l.p.Store.NoteProgress(stored, t.session, t.number, store.Progress{Message: id, Shown: shown, Open: !over}, l.p.EditEvery)
}

func (l *progress) failed(ctx context.Context, t turn, to core.Route, have store.Progress, err error) (time.Duration, error) {
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
		// The message is gone, or it may exist with an unknown id. No message is better than two.
		have.Open = false
		return 0, l.p.Store.NoteProgress(ctx, t.session, t.number, have, 0)
	}
	return wait, l.p.Store.NoteProgress(ctx, t.session, t.number, have, wait)
}

func untilShown(tasks []core.Task, after time.Duration) time.Duration {
	for _, t := range tasks { // in the order of creation
		if !t.State.Terminal() {
			return max(0, time.Until(t.Created.Add(after)))
		}
	}
	return 0
}

// render uses only titles and marks, so that it needs no language. over means that nothing will
// change any more.
func render(tasks []core.Task) (text string, over bool) {
	var b strings.Builder
	over = true
	for i, t := range tasks {
		over = over && t.State.Terminal()
		if i >= mostTasks {
			continue
		}
		mark := "⏳"
		switch {
		case t.State == core.InputRequired:
			mark = "❓"
		case t.State == core.Completed:
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

// hash returns a hash, so that the store can compare texts without having them.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
