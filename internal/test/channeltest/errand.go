// Package channeltest is the suite of promises for every channel: what comes in is
// committed before its platform is acknowledged, in order, once, and from people
// only.
package channeltest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"errand/internal/agents"
	"errand/internal/channels"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/intaketest"
	"errand/internal/test/storetest"
)

// An Errand is what a channel hands over to: an intake on a store of its own,
// which outlives the channel, and can be told to fail. It is a receiver, safe for
// concurrent use.
type Errand struct {
	intaketest.House
	Store *store.Store

	t        testing.TB
	mu       sync.Mutex
	before   func(intake.Inbound) error
	after    func()
	attempts int
	came     []intake.Inbound
	got      []intake.Outcome
	states   []channels.Status
	changed  chan struct{}
	log      bytes.Buffer
}

// New returns an errand that lets in on a channel as mode says. Each change is made to what its
// intake depends on.
func New(t testing.TB, channel string, mode service.AccessMode, changes ...func(*intaketest.Deps)) *Errand {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	primary, list := agents.Default()
	roster, err := agents.New(primary, list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	deps := intaketest.Deps{Deps: service.Deps{Dispatch: dispatchtest.New(t, nil, s), Env: &service.Env{Store: s, Logger: slog.New(slog.DiscardHandler)}, Roster: roster, Sticky: true,
		Access: map[string]service.Access{channel: {Mode: mode}}}}
	for _, change := range changes {
		change(&deps)
	}
	return &Errand{House: intaketest.New(t, deps), Store: s, t: t, changed: make(chan struct{})}
}

var _ channels.Receiver = (*Errand)(nil)

// Receive takes a message in, unless it was told to fail.
func (e *Errand) Receive(ctx context.Context, in intake.Inbound) (intake.Outcome, error) {
	e.mu.Lock()
	before := e.before
	e.attempts++
	e.happened()
	e.mu.Unlock()
	if before != nil {
		if err := before(in); err != nil {
			return intake.Outcome{}, err
		}
	}
	out, err := e.House.Receive(ctx, in)
	if err != nil && !errors.As(err, new(*service.Error)) {
		return out, err // it comes again
	}
	e.mu.Lock()
	after := e.after
	e.after = nil
	e.came, e.got = append(e.came, in), append(e.got, out)
	e.happened()
	e.mu.Unlock()
	if after != nil {
		after()
	}
	return out, err
}

// happened wakes all waiters. The caller holds mu.
func (e *Errand) happened() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// Fail makes every Receive fail; nil: not any more.
func (e *Errand) Fail(err error) { e.Before(func(intake.Inbound) error { return err }) }

// Trip has something done n times, each before a message with this text is received.
func (e *Errand) Trip(n int, text string, do func() error) {
	var left atomic.Int64
	left.Store(int64(n))
	e.Before(func(in intake.Inbound) error {
		if in.Text == text && left.Add(-1) >= 0 {
			return do()
		}
		return nil
	})
}

// Before has something done before each message is received; it may panic, and an error of its
// is what Receive returns.
func (e *Errand) Before(do func(intake.Inbound) error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.before = do
}

// After has something done once, when the next message was received and the
// channel does not know yet.
func (e *Errand) After(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.after = do
}

// Attempts is how often something was handed over, or was tried to be.
func (e *Errand) Attempts() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.attempts
}

// Arrivals are what was received, in order.
func (e *Errand) Arrivals() []intake.Inbound {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.came)
}

// Outcomes is what became of the messages.
func (e *Errand) Outcomes() []intake.Outcome {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.got)
}

// Changed notes a status of the connection.
func (e *Errand) Changed(s channels.Status) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.states = append(e.states, s)
	e.happened()
}

// States are all that were noted.
func (e *Errand) States() []channels.Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.states)
}

// Status is the last that was noted.
func (e *Errand) Status() channels.Status {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.states) == 0 {
		return channels.Status{}
	}
	return e.states[len(e.states)-1]
}

// Logger writes to [Errand.Log].
func (e *Errand) Logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(writer{e}, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type writer struct{ *Errand }

func (w writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.log.Write(p)
}

// Log is what was logged.
func (e *Errand) Log() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.log.String()
}

// Logged is how often something was logged.
func (e *Errand) Logged(what string) int { return strings.Count(e.Log(), what) }

// Until waits for a condition that follows from what comes in.
func (e *Errand) Until(what string, cond func() bool) {
	e.t.Helper()
	deadline := time.After(time.Minute)
	for !cond() {
		e.mu.Lock()
		changed := e.changed
		e.mu.Unlock()
		select {
		case <-changed:
		case <-time.After(5 * time.Millisecond): // what the platform does tells nobody here
		case <-deadline:
			e.t.Fatalf("it never comes to this: %s\ncame: %+v\nstatus: %+v\nlog: %s", what, e.Arrivals(), e.Status(), e.Log())
		}
	}
}

// Inbox is what there is to answer in a chat, in order: what the events of all
// its sessions say, edits in the place of what they edit.
func (e *Errand) Inbox(route core.Route) []string {
	e.t.Helper()
	var texts []string
	seen := map[core.SessionKey]bool{}
	for i, in := range e.Arrivals() {
		key := core.NewSessionKey(route, e.Outcomes()[i].Person)
		if in.Route != route || seen[key] {
			continue
		}
		seen[key] = true
		events, err := e.Store.Events(e.t.Context(), key, 0, 10_000)
		if err != nil {
			e.t.Fatal(err)
		}
		for _, event := range events {
			if event.Type == core.EventMessage {
				texts = append(texts, event.Text)
			}
		}
	}
	return texts
}
