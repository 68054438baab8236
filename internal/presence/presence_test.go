package presence

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store"
	"errand/internal/test/storetest"
	"errand/notifiers"
)

// A platform shows what it is told to, and keeps it.
type platform struct {
	mu     sync.Mutex
	typing int
	busy   int      // calls of Typing under way
	late   int      // of them, those that took too long
	hangs  bool     // Typing takes until it is ended
	fail   error    // of the next ShowProgress
	lines  []string // the messages that show progress; their ids count from 1
	edits  int      // how often one was changed
	marks  []string // "message mark"
	shown  []core.Route
}

func (p *platform) Notify(context.Context, core.Notification) (notifiers.Receipt, error) {
	return notifiers.Receipt{}, nil
}

func (p *platform) Typing(ctx context.Context, _ core.Route) error {
	p.mu.Lock()
	p.typing++
	p.busy++
	hangs := p.hangs
	p.mu.Unlock()
	if hangs {
		<-ctx.Done()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busy--
	if ctx.Err() == context.DeadlineExceeded {
		p.late++
	}
	return ctx.Err()
}

func (p *platform) ShowProgress(_ context.Context, to core.Route, text, id string) (string, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.fail; err != nil {
		p.fail = nil
		return "", err
	}
	if id == "" {
		p.lines, p.shown = append(p.lines, text), append(p.shown, to)
		return strconv.Itoa(len(p.lines)), nil
	}
	n, err := strconv.Atoi(id)
	if err != nil {
		return "", err
	}
	p.lines[n-1] = text
	p.edits++
	return id, nil
}

func (p *platform) React(_ context.Context, _ core.Route, message string, mark notifiers.Mark) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.marks = append(p.marks, message+" "+string(mark))
	return nil
}

// saw reads what the platform has under its lock.
func saw[T any](p *platform, what func(*platform) T) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	return what(p)
}

func (p *platform) texts() []string {
	return saw(p, func(p *platform) []string { return slices.Clone(p.lines) })
}

// A rig is one chat on a platform, with its store.
type rig struct {
	t        *testing.T
	store    *store.Store
	platform *platform
	key      core.SessionKey
	session  core.SessionID
	route    core.Route
	messages int
	slow     atomic.Pointer[string] // how the statement begins that takes the store too long, once
}

// play has a rig in a bubble: there time passes when nothing is under way, and
// however long something takes on a busy machine, nothing else is late for it.
func play(t *testing.T, do func(*testing.T, *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { do(t, newRig(t)) })
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, platform: &platform{}, route: core.Route{Channel: "test", Account: "main", Chat: "42"}}
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t), TraceTx: func(query string) {
		if what := r.slow.Load(); what != nil && strings.HasPrefix(query, *what) && r.slow.CompareAndSwap(what, nil) {
			time.Sleep(2 * changing)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	r.store = s
	if _, err := s.EnsurePerson(t.Context(), "ada", "Ada", core.Partner); err != nil {
		t.Fatal(err)
	}
	r.session = r.rehydrate("42")
	r.key = core.NewSessionKey(r.route, "ada")
	return r
}

func (r *rig) rehydrate(chat string) core.SessionID {
	r.t.Helper()
	found, err := r.store.Rehydrate(r.t.Context(), core.NewSessionKey(core.Route{Channel: "test", Account: "main", Chat: chat}, "ada"), "nikki")
	if err != nil {
		r.t.Fatal(err)
	}
	return found.Session
}

// run runs a process; what it returns ends it.
func (r *rig) run(change func(*Options)) (*Presence, func()) {
	r.t.Helper()
	var out notifiers.Router
	out.Handle("test", r.platform)
	o := Options{Store: r.store, Notifiers: &out, Logger: slog.New(slog.DiscardHandler),
		TypeEvery: 5 * time.Millisecond, ShowAfter: time.Millisecond, EditEvery: 5 * time.Millisecond, SweepEvery: time.Hour}
	if change != nil {
		change(&o)
	}
	p, err := New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan struct{})
	ready := make(chan struct{})
	go func() { defer close(done); close(ready); p.Run(ctx) }()
	<-ready
	stop := sync.OnceFunc(func() { cancel(); <-done })
	r.t.Cleanup(stop)
	r.until("it watches", func() bool { return watched(r.store.Bus()) })
	return p, stop
}

// watched reports whether somebody takes in what happens.
func watched(b events.Bus) bool { return b.(*events.Local).Watchers() > 0 }

// until waits for something once all that is under way is done. Its minute is one
// of the bubble.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		synctest.Wait()
		if cond() {
			return
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("it never comes to this: %s; shown: %q", what, r.platform.texts())
		}
	}
}

// begin begins a turn of a new message.
func (r *rig) begin(number int) *store.StepInput {
	r.t.Helper()
	r.messages++
	_, err := r.store.Accept(r.t.Context(), store.InboxMessage{Route: r.route, Person: "ada", Role: core.Member, MessageID: fmt.Sprint("m", r.messages), Text: "please"})
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := r.store.BeginStep(r.t.Context(), store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(r.session), Turn: number, Step: 1},
		Session: r.key, Rows: store.ClaimAll, Results: true, Window: 10})
	if err != nil {
		r.t.Fatal(err)
	}
	r.step(number)
	return b
}

func (r *rig) step(number int) {
	r.store.Bus().Publish(core.Event{Type: core.EventStep, Key: r.key, Session: r.session, Turn: number})
}

func (r *rig) commit(in store.CommitStep) store.StepResult {
	r.t.Helper()
	out, err := r.store.CommitStep(r.t.Context(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *rig) reply(b *store.StepInput) {
	r.t.Helper()
	r.commit(store.CommitStep{Step: b, Text: "done"})
}

// delegate lets a turn ask sasha for tasks, and go on.
func (r *rig) delegate(number int, texts ...string) []core.TaskID {
	r.t.Helper()
	in := store.CommitStep{Step: r.begin(number), Tasks: map[int]store.NewTask{}}
	for i, text := range texts {
		in.Calls = append(in.Calls, core.ToolCall{ID: fmt.Sprint(i), Name: "call_agent_async", Arguments: "{}"})
		in.Planned = append(in.Planned, store.PlannedCall{By: store.ByDelegation, Tool: "call_agent_async"})
		in.Tasks[i+1] = store.NewTask{Agents: []core.AgentName{"sasha"}, Text: text}
	}
	var ids []core.TaskID
	for _, c := range r.commit(in).Calls {
		ids = append(ids, c.Task)
	}
	b, err := r.store.BeginStep(r.t.Context(), store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(r.session), Turn: number, Step: 2}, Session: r.key, Window: 10})
	if err != nil {
		r.t.Fatal(err)
	}
	r.reply(b)
	return ids
}

func (r *rig) finish(id core.TaskID, state core.TaskState) {
	r.t.Helper()
	if _, _, err := r.store.FinishTask(r.t.Context(), id, state, "as it is"); err != nil {
		r.t.Fatal(err)
	}
}

// TestMarks proves that a message is marked when it is there and when it was
// answered, in this order, where that is wanted, and that the mark of one that was
// stopped is taken away.
func TestMarks(t *testing.T) { play(t, testMarks) }

func testMarks(t *testing.T, r *rig) {
	r.run(func(o *Options) { o.Reacts = func(to core.Route) bool { return to.Account == "main" } })
	marks := func() string {
		return strings.Join(saw(r.platform, func(p *platform) []string { return slices.Clone(p.marks) }), ", ")
	}
	r.reply(r.begin(1))
	r.until("it is marked", func() bool { return marks() == "m1 seen, m1 done" })
	b := r.begin(2)
	if err := r.store.CloseTurn(t.Context(), b.Key.Owner, 2, store.StoppedTurn); err != nil {
		t.Fatal(err)
	}
	r.until("it is taken away", func() bool { return marks() == "m1 seen, m1 done, m2 seen, m2 " })
}
