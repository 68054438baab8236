package presence

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"errand"
	"errand/notifiers"
	"errand/store"
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
	shown  []errand.Route
}

func (p *platform) Notify(context.Context, errand.Notification) (notifiers.Receipt, error) {
	return notifiers.Receipt{}, nil
}

func (p *platform) Typing(ctx context.Context, _ errand.Route) error {
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

func (p *platform) ShowProgress(_ context.Context, to errand.Route, text, id string) (string, error) {
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

func (p *platform) React(_ context.Context, _ errand.Route, message string, mark notifiers.Mark) error {
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
	key      errand.SessionKey
	session  errand.SessionID
	route    errand.Route
	messages int
}

func newRig(t *testing.T) *rig {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{SQLite: filepath.Join(t.TempDir(), "errand.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.EnsurePerson(t.Context(), "ada", "Ada", errand.Partner); err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, store: s, platform: &platform{}, route: errand.Route{Channel: "test", Account: "main", Chat: "42"}}
	r.session = r.rehydrate("42")
	r.key = errand.NewSessionKey(r.route, "ada")
	return r
}

func (r *rig) rehydrate(chat string) errand.SessionID {
	r.t.Helper()
	found, err := r.store.Rehydrate(r.t.Context(), errand.NewSessionKey(errand.Route{Channel: "test", Account: "main", Chat: chat}, "ada"), "nikki")
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
	r.until("it watches", func() bool { return watched(r.store.Hub()) })
	return p, stop
}

// watched reports whether somebody takes in what happens.
func watched(h *store.Hub) bool { return h.Watchers() > 0 }

func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !cond(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			r.t.Fatalf("it never comes to this: %s; shown: %q", what, r.platform.texts())
		}
	}
}

// begin begins a turn of a new message.
func (r *rig) begin(number int) *store.Begun {
	r.t.Helper()
	r.messages++
	_, err := r.store.Accept(r.t.Context(), store.InboxMessage{Route: r.route, Person: "ada", Role: errand.Member, MessageID: fmt.Sprint("m", r.messages), Text: "please"})
	if err != nil {
		r.t.Fatal(err)
	}
	b, err := r.store.BeginStep(r.t.Context(), store.BeginStep{Key: errand.StepKey{Owner: errand.SessionOwner(r.session), Turn: number, Step: 1},
		Session: r.key, Rows: store.ClaimAll, Results: true, Window: 10})
	if err != nil {
		r.t.Fatal(err)
	}
	r.step(number)
	return b
}

func (r *rig) step(number int) {
	r.store.Hub().Publish(errand.Event{Type: errand.EventStep, Key: r.key, Session: r.session, Turn: number})
}

func (r *rig) commit(in store.CommitStep) store.StepResult {
	r.t.Helper()
	out, err := r.store.CommitStep(r.t.Context(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *rig) reply(b *store.Begun) { r.t.Helper(); r.commit(store.CommitStep{Begun: b, Text: "done"}) }

// delegate lets a turn ask sasha for tasks, and go on.
func (r *rig) delegate(number int, texts ...string) []errand.TaskID {
	r.t.Helper()
	in := store.CommitStep{Begun: r.begin(number), Tasks: map[int]store.NewTask{}}
	for i, text := range texts {
		in.Calls = append(in.Calls, errand.ToolCall{ID: fmt.Sprint(i), Name: "call_agent_async", Arguments: "{}"})
		in.Plan = append(in.Plan, store.PlannedCall{Kind: store.CallDelegate, Tool: "call_agent_async"})
		in.Tasks[i+1] = store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: text}
	}
	var ids []errand.TaskID
	for _, c := range r.commit(in).Calls {
		ids = append(ids, c.Task)
	}
	b, err := r.store.BeginStep(r.t.Context(), store.BeginStep{Key: errand.StepKey{Owner: errand.SessionOwner(r.session), Turn: number, Step: 2}, Session: r.key, Window: 10})
	if err != nil {
		r.t.Fatal(err)
	}
	r.reply(b)
	return ids
}

func (r *rig) finish(id errand.TaskID, state errand.TaskState) {
	r.t.Helper()
	if _, _, err := r.store.FinishTask(r.t.Context(), id, state, "as it is"); err != nil {
		r.t.Fatal(err)
	}
}

// TestTyping proves that it is shown that somebody writes from the first step of
// a turn, again and again, until it ends, however that is, and not after it.
func TestTyping(t *testing.T) {
	ends := map[string]func(*rig, *store.Begun){
		"a reply": func(r *rig, b *store.Begun) { r.reply(b) },
		"a stop": func(r *rig, b *store.Begun) {
			if err := r.store.CloseTurn(r.t.Context(), b.Key.Owner, 1, store.StoppedTurn); err != nil {
				r.t.Error(err)
			}
		},
		"another message": func(r *rig, b *store.Begun) { // of which no event tells
			if err := r.store.CloseTurn(r.t.Context(), b.Key.Owner, 1, "interrupted"); err != nil {
				r.t.Error(err)
			}
		},
		"a pause": func(r *rig, _ *store.Begun) {
			if err := r.store.Pause(r.t.Context(), "ada"); err != nil {
				r.t.Error(err)
			}
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			p, stop := r.run(nil)
			b := r.begin(1)
			r.until("it is shown again and again", func() bool { return saw(r.platform, func(p *platform) int { return p.typing }) > 3 })
			end(r, b)
			r.until("it ends", func() bool {
				return p.typing.count() == 0 && saw(r.platform, func(p *platform) int { return p.busy }) == 0
			})
			before := saw(r.platform, func(p *platform) int { return p.typing })
			r.step(1) // which comes late
			r.until("nothing is under way", func() bool { return p.typing.count() == 0 })
			stop()
			if after := saw(r.platform, func(p *platform) int { return p.typing }); after != before {
				t.Errorf("it is shown %d times after the end", after-before)
			}
		})
	}
}

// TestTypingIsCutOff proves that a platform that is slow is not waited for: what
// is under way when the reply is there is ended.
func TestTypingIsCutOff(t *testing.T) {
	r := newRig(t)
	r.platform.hangs = true
	p, _ := r.run(nil)
	b := r.begin(1)
	r.until("it is under way", func() bool { return saw(r.platform, func(p *platform) int { return p.busy }) == 1 })
	one := turn{r.session, 1}
	first := p.typing.running[one]
	p.typing.start(t.Context(), one, r.route)
	if p.typing.running[one] != first {
		t.Error("one turn shows it twice at once")
	}
	r.reply(b)
	r.until("it is cut off", func() bool { return saw(r.platform, func(p *platform) int { return p.busy }) == 0 })
	if saw(r.platform, func(p *platform) int { return p.late }) > 0 {
		t.Error("it took its time")
	}
}

// TestLines proves that what takes long is shown once and then changed, that what
// is quick is not shown, and that of two processes one does it.
func TestLines(t *testing.T) {
	r := newRig(t)
	r.run(nil)
	r.run(nil)
	long := r.delegate(1, "night trains to Oslo", "a room in Oslo")
	want := "⏳ Sasha: night trains to Oslo\n⏳ Sasha: a room in Oslo"
	r.until("it is shown", func() bool { return slices.Equal(r.platform.texts(), []string{want}) })
	if to := saw(r.platform, func(p *platform) errand.Route { return p.shown[0] }); to != r.route {
		t.Errorf("it is shown in %+v", to)
	}
	r.finish(long[0], errand.Completed)
	r.finish(long[1], errand.Failed)
	want = "✔ Sasha: night trains to Oslo\n✖ Sasha: a room in Oslo"
	if task, err := r.store.Task(t.Context(), long[0]); err != nil || task.State != errand.Completed {
		want = "✖ Sasha: night trains to Oslo\n✖ Sasha: a room in Oslo" // without a report it has failed
	}
	r.until("its end is shown", func() bool { return slices.Equal(r.platform.texts(), []string{want}) })
	r.until("it is over", func() bool {
		turns, err := r.store.ProgressTurns(t.Context(), r.session)
		return err == nil && len(turns) == 0
	})
	if edits := saw(r.platform, func(p *platform) int { return p.edits }); edits > 2 {
		t.Errorf("two changes are %d edits", edits)
	}
}

// TestQuickTasks proves that a task that ends soon is not shown.
func TestQuickTasks(t *testing.T) {
	r := newRig(t)
	p, _ := r.run(func(o *Options) { o.ShowAfter = 150 * time.Millisecond })
	quick := r.delegate(1, "what day it is")
	r.finish(quick[0], errand.Completed)
	r.delegate(2, "night trains to Oslo")
	r.until("the long one is shown", func() bool { return len(r.platform.texts()) > 0 })
	r.until("nothing is due", func() bool { return p.lines.count() == 0 })
	if got := r.platform.texts(); !slices.Equal(got, []string{"⏳ Sasha: night trains to Oslo"}) {
		t.Errorf("it shows %q", got)
	}
}

// TestAfterARestart proves that another process changes the message that is
// there, also when what changed was told to nobody.
func TestAfterARestart(t *testing.T) {
	r := newRig(t)
	_, stop := r.run(nil)
	id := r.delegate(1, "night trains to Oslo")[0]
	r.until("it is shown", func() bool { return len(r.platform.texts()) == 1 })
	stop()
	p, stop := r.run(nil) // nothing has changed meanwhile
	r.until("it is looked after", func() bool {
		wait, err := p.lines.show(t.Context(), turn{r.session, 1})
		return wait == 0 && err == nil
	})
	stop()
	if edits := saw(r.platform, func(p *platform) int { return p.edits }); edits != 0 {
		t.Errorf("no change is %d edits", edits)
	}
	r.finish(id, errand.Canceled)
	r.run(nil)
	r.until("its end is shown", func() bool {
		return slices.Equal(r.platform.texts(), []string{"✖ Sasha: night trains to Oslo"})
	})
}

// TestLineFailures proves that what was not sent is sent later, and that nothing
// is sent again that may be there.
func TestLineFailures(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want int
	}{
		{"not sent", &notifiers.SendError{Fate: notifiers.NotSent, RetryAfter: time.Millisecond, Err: errors.New("too many")}, 1},
		{"refused", &notifiers.SendError{Fate: notifiers.Refused, Err: errors.New("blocked")}, 0},
		{"in doubt", errors.New("broke off"), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.platform.fail = tt.err
			p, stop := r.run(nil)
			id := r.delegate(1, "night trains to Oslo")[0]
			r.until("it was tried", func() bool { return saw(r.platform, func(p *platform) bool { return p.fail == nil }) })
			if tt.want > 0 {
				r.until("it is shown", func() bool { return len(r.platform.texts()) == tt.want })
			}
			r.finish(id, errand.Canceled)
			r.until("nothing is due", func() bool { return p.lines.count() == 0 })
			stop()
			if got := r.platform.texts(); len(got) != tt.want {
				t.Errorf("it shows %q", got)
			}
		})
	}
}

// TestMarks proves that a message is marked when it is there and when it was
// answered, in this order, where that is wanted, and that the mark of one that was
// stopped is taken away.
func TestMarks(t *testing.T) {
	r := newRig(t)
	r.run(func(o *Options) { o.Reacts = func(to errand.Route) bool { return to.Account == "main" } })
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
