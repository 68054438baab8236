package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/test/notifiertest"
	"errand/internal/test/sim/a2a"
	"errand/internal/test/storetest"
)

// A point is where a process is killed, and what may follow from it.
type point struct {
	name  string
	probe string // "point#n" in the worker; empty: killed from outside while a model call is held
	hold  string // the model call that is held
	// again: model calls may be made twice that were under way, or whose outcome
	// was not committed yet.
	again bool
	// beside is how the model calls begin that somebody may be making beside
	// what is killed: one that is under way then may be made twice too.
	beside []string
	turns  int // continue as new after so many turns
	sleep  int // suspend after so many milliseconds
	story  *story
	// alive is the story where only the server is killed: the worker knows what a call of its did.
	alive *story
	first bool // of its kind: it stands for the others where not all are tried
	usual bool // it is tried by every go test
}

const (
	sending   = "nikki: send Sasha"                   // the session has been told of the message
	starting  = "nikki: say that Sasha is at it"      // Sasha may have finished before it is said
	sashas    = "sasha: "                             // she is at work
	telling   = "nikki: tell the result"              // the session has been woken
	deciding  = "verdict: "                           // the other agent is at work
	hearing   = "nikki: tell what has come late"      // the session has been woken
	promising = "nikki: say that the reminder is set" // its time may come before it is said
)

var points = []point{
	{name: "before the inbox row", first: true, probe: "before inbox"},
	{name: "after the inbox row, before the signal", probe: "after inbox"},
	{name: "after the signal", probe: "after signal", beside: []string{sending}},
	{name: "before T1", probe: "before T1"},
	{name: "in a model call of the session", first: true, usual: true, hold: "nikki: send Sasha, message 1", again: true},
	{name: "in a model call of the sub-agent", first: true, hold: "sasha: look at notes for night trains to Oslo", again: true},
	{name: "between answer and T2", first: true, usual: true, probe: "before T2", again: true},
	{name: "after T2, before the task is started", first: true, probe: "after T2"},
	{name: "between model call and tool", first: true, probe: "before tool", beside: []string{starting}},
	{name: "after T2 of the reply", probe: "after T2#2", beside: []string{sashas, starting}},
	{name: "finished with its report, before the signal", first: true, usual: true, probe: "after finish", beside: []string{starting}},
	{name: "finished with its report, after the signal", probe: "after task-finished", beside: []string{telling, starting}},
	{name: "finished, not yet folded in", first: true, probe: "fold"},
	{name: "before send", probe: "before send", beside: []string{sashas}},
	{name: "between send and receipt", first: true, usual: true, probe: "before receipt", beside: []string{sashas}},
	{name: "before the session suspends", probe: "before suspend", sleep: 150, beside: []string{sashas}},
	{name: "while the session suspends", first: true, probe: "after suspend", sleep: 150, beside: []string{sashas}},
	{name: "during continue-as-new", first: true, usual: true, probe: "before rehydrate#2", turns: 1, beside: []string{sashas}},

	{name: "read_only tool: before it", probe: "before tool", story: usesTool("ledger.read", "noted", 1)},
	{name: "read_only tool: in it", probe: "in tool", story: usesTool("ledger.read", "noted", 1)},
	{name: "read_only tool: after it", probe: "after tool", story: usesTool("ledger.read", "noted", 2), alive: usesTool("ledger.read", "noted", 1)},
	{name: "idempotent tool: before it", probe: "before tool", story: usesTool("ledger.put", "noted", 1)},
	{name: "idempotent tool: in it", probe: "in tool", story: usesTool("ledger.put", "noted", 1)},
	{name: "idempotent tool: after it", first: true, probe: "after tool", story: usesTool("ledger.put", "noted", 2), alive: usesTool("ledger.put", "noted", 1)},
	{name: "once tool: before it", probe: "before tool", story: usesTool("ledger.pay", "noted", 1)},
	{name: "once tool: in it", first: true, usual: true, probe: "in tool", story: usesTool("ledger.pay", "error: outcome unknown", 0), alive: usesTool("ledger.pay", "noted", 1)},
	{name: "once tool: after it", first: true, probe: "after tool", story: usesTool("ledger.pay", "error: outcome unknown", 1), alive: usesTool("ledger.pay", "noted", 1)},

	{name: "file tool: before it", probe: "before tool", story: file},
	{name: "file tool: in it", probe: "in tool", story: file},
	{name: "file tool: after it", first: true, probe: "after tool", story: file},
	{name: "MCP, read_only: before it", probe: "before tool", story: usesServer("echo", "you said: night trains", 1)},
	{name: "MCP, read_only: in it", probe: "in tool", story: usesServer("echo", "you said: night trains", 1)},
	{name: "MCP, read_only: after it", probe: "after tool", story: usesServer("echo", "you said: night trains", 2), alive: usesServer("echo", "you said: night trains", 1)},
	{name: "MCP, once: before it", probe: "before tool", story: usesServer("write", "you said: night trains", 1)},
	{name: "MCP, once: in it", probe: "in tool", story: usesServer("write", "error: outcome unknown", 0), alive: usesServer("write", "you said: night trains", 1)},
	{name: "MCP, once: after it", first: true, probe: "after tool", story: usesServer("write", "error: outcome unknown", 1), alive: usesServer("write", "you said: night trains", 1)},

	{name: "maintenance: before a stage", probe: "before sweep", sleep: 150, story: maintenance},
	{name: "maintenance: after a stage", first: true, probe: "after sweep", sleep: 150, story: maintenance},
	{name: "maintenance: in a later stage", probe: "before sweep#5", sleep: 150, story: maintenance},

	{name: "several: before finish", first: true, probe: "before finish", story: several},
	{name: "several: after finish, before the signal", probe: "after finish", story: several},
	{name: "several: after the signal of finish", probe: "after task-finished", beside: []string{telling}, story: several},

	{name: "task message: its row, not signalled", first: true, probe: "after task message", story: steered},
	{name: "task message: before the T1 that takes it", probe: "before T1#3", story: steered},
	{name: "task message: its T2", probe: "after T2#2", story: steered},
	{name: "gone on: the new task's row, not started", first: true, probe: "after task message", story: goneOn},

	{name: "question: between answer and T2", probe: "before T2#2", again: true, story: asked},
	{name: "question: its row, not shown", first: true, probe: "after T2#2", story: asked},
	{name: "question: before it is shown", probe: "before send#2", story: asked},
	{name: "question: shown, without a receipt", probe: "before receipt#2", story: asked},
	{name: "question: before its answer", probe: "before answer", story: asked},
	{name: "question: its answer, not signalled", first: true, usual: true, probe: "after answer", story: asked},
	{name: "question: before the T1 that gives the answer", probe: "before T1#3", story: asked},
	{name: "question: the T2 behind it", probe: "after T2#3", story: asked},

	{name: "approval: its row, not shown", probe: "after T2", story: approved},
	{name: "approval: before its yes", probe: "before answer", story: approved},
	{name: "approval: its yes, not signalled", first: true, probe: "after answer", story: approved},
	{name: "approval: approved, before it runs", first: true, probe: "before tool", story: approved},

	{name: "decision: between a verdict and its T2", probe: "before T2#2", again: true, beside: []string{deciding}, story: decided("YES")},
	{name: "decision: a verdict", probe: "after T2#2", beside: []string{deciding}, story: decided("YES")},
	{name: "decision: before it is counted", probe: "before finish", story: decided("YES")},
	{name: "decision: counted, with the task that follows a yes", first: true, usual: true, probe: "after finish", story: decided("YES")},
	{name: "decision: counted, with the task that follows a no", probe: "after finish", beside: []string{deciding}, story: decided("NO")},
	{name: "decision: the task that follows, started and signalled", probe: "after task-finished", beside: []string{telling, sashas}, story: decided("YES")},

	{name: "late answer: before it is kept", probe: "before late answer", story: late(core.LateResult)},
	{name: "late answer: kept, not signalled", first: true, usual: true, probe: "after late answer", story: late(core.LateResult)},
	{name: "late answer: signalled", probe: "after late signal", beside: []string{hearing}, story: late(core.LateResult)},
	{name: "late answer: before its T1", probe: "before T1#3", story: late(core.LateResult)},
	{name: "late answer: between the turn's answer and T2", first: true, probe: "before T2#3", again: true, story: late(core.LateResult)},
	{name: "late answer: after its T2", probe: "after T2#3", story: late(core.LateResult)},
	{name: "late answer: told, without a receipt", probe: "before receipt#3", story: late(core.LateResult)},
	{name: "late status: kept, not signalled", probe: "after late answer", story: late(core.LateStatus)},
	{name: "late error: kept, not signalled", probe: "after late answer", story: late(core.LateError)},
	{name: "late question: kept, not signalled", probe: "after late answer", story: late(core.LateInputRequired)},

	{name: "A2A: it asks, and that is kept", probe: "after T2#2", story: askedOverA2A},
	{name: "A2A: its client's answer, not signalled", first: true, probe: "after answer", story: askedOverA2A},

	{name: "handover: between answer and T2", probe: "before T2", again: true, story: handover},
	{name: "handover: after T2", first: true, probe: "after T2", story: handover},
	{name: "handover: before its notice is sent", probe: "before send", story: handover},
	{name: "handover: between send and receipt", probe: "before receipt", story: handover},
	{name: "handover: before the specialist's T1", probe: "before T1#2", story: handover},
	{name: "handover: after the specialist's T2", probe: "after T2#2", story: handover},

	{name: "reminder: before it is set", probe: "before tool", story: reminder},
	{name: "reminder: after it was set", probe: "before T1#2", story: reminder},
	{name: "reminder: before its row", probe: "before reminder", beside: []string{promising}, story: reminder},
	{name: "reminder: between its row and the signal", first: true, probe: "after reminder", beside: []string{promising}, story: reminder},
	{name: "reminder: before its T1", probe: "before T1#3", story: reminder},
	{name: "reminder: between its answer and T2", probe: "before T2#3", again: true, story: reminder},
	{name: "reminder: after its T2", probe: "after T2#3", story: reminder},
	{name: "reminder: between its send and receipt", probe: "before receipt#2", story: reminder},
}

// A target says which process is killed.
type target string

const (
	embedded target = "one process" // the default: worker and server together
	worker   target = "worker"
	server   target = "server"
	both     target = "both"
)

// A setting is on what a point is tried.
type setting struct {
	target   target
	postgres string // a database where schemas may be made; empty: SQLite
	tries    func(point) bool
}

func isEvery(point) bool     { return true }
func isFirst(p point) bool   { return p.first }
func isUsual(p point) bool   { return p.usual }
func isUnusual(p point) bool { return !p.usual }

func (s setting) String() string {
	if s.postgres != "" {
		return string(s.target) + ", PostgreSQL"
	}
	return string(s.target)
}

// settings are one process on SQLite, at a few points. ERRAND_CHAOS=some has its other
// points instead, and the first of each kind with Temporal in a process of its own, on
// both databases; full has every point, with the worker, the server and both killed.
func settings(t *testing.T) []setting {
	list, database := []setting{{target: embedded, tries: isEvery}}, os.Getenv("ERRAND_TEST_APP_POSTGRES")
	switch os.Getenv("ERRAND_CHAOS") {
	case "":
		list[0].tries = isUsual
	case "some":
		list[0].tries = isUnusual
		list = append(list, setting{target: both, tries: isFirst})
		if database != "" {
			list = append(list, setting{target: worker, postgres: database, tries: isFirst})
		}
	case "full":
		for _, killed := range []target{worker, server, both} {
			list = append(list, setting{target: killed, tries: isEvery})
		}
		if database != "" {
			for _, killed := range []target{embedded, worker, server, both} {
				list = append(list, setting{target: killed, postgres: database, tries: isEvery})
			}
		}
	default:
		t.Fatalf("ERRAND_CHAOS is %q: it may be some or full", os.Getenv("ERRAND_CHAOS"))
	}
	return list
}

// TestKill proves that a process may be killed anywhere: every accepted message
// is answered once, every task has one end, every late result is told once in
// its own chat, and no model call that had finished is paid again.
func TestKill(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var table []string
	t.Run("at", func(t *testing.T) {
		for _, on := range settings(t) {
			for _, p := range points {
				if !on.tries(p) {
					continue
				}
				t.Run(on.String()+"/"+p.name, func(t *testing.T) {
					t.Parallel()
					row := kill(t, p, on)
					mu.Lock()
					defer mu.Unlock()
					table = append(table, fmt.Sprintf("%-24s %-42s %s", on, p.name, row))
				})
			}
		}
	})
	slices.Sort(table)
	t.Logf("%-24s %-42s %s\n%s", "killed", "point", "killed  answers  tasks  results  repeated calls  back after", strings.Join(table, "\n"))
}

// A world is one installation and everything outside of it.
type world struct {
	t        *testing.T
	ledger   *ledger
	platform *notifiertest.Platform
	dir      string
	env      []string
	listen   string // where the worker is reached by programs
	control  string
	model    string    // URL
	oracle   *a2a.Peer // nil: the story has none
	worker   *process
	before   *process // the worker that was killed; nil: none was
	server   *process
	target   target
}

func newWorld(t *testing.T, p point, on setting) *world {
	target := on.target
	w := &world{t: t, ledger: newLedger(), platform: notifiertest.NewPlatform(true), dir: t.TempDir(), target: target}
	w.ledger.hold = p.hold
	model := httptest.NewServer(w.ledger)
	w.model = model.URL
	t.Cleanup(model.Close)
	platform := httptest.NewServer(w.platform)
	t.Cleanup(platform.Close)
	temporal := devserver.FreePort(t)
	w.control, w.listen = fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(t)), fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(t))
	w.env = []string{
		"ERRAND_DATA=" + filepath.Join(w.dir, "data"), "ERRAND_LISTEN=" + w.listen,
		"OPENAI_BASE_URL=" + model.URL + "/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=ledger", "ERRAND_CHECK_MODELS=false",
		"CHAOS_PLATFORM=" + platform.URL, "CHAOS_LEDGER=" + model.URL, "CHAOS_CONTROL=" + w.control,
		fmt.Sprintf("CHAOS_TEMPORAL_PORT=%d", temporal),
		fmt.Sprintf("CHAOS_TURNS_PER_RUN=%d", p.turns), fmt.Sprintf("CHAOS_SUSPEND_MS=%d", p.sleep),
		"CHAOS_TARGET=" + string(target),
	}
	if on.postgres != "" {
		w.env = append(w.env, "DATABASE_URL="+storetest.Schema(t, on.postgres))
	}
	if target != embedded {
		w.env = append(w.env, temporalAt(temporal)...)
		w.startServer()
	}
	return w
}

func (w *world) configure(yaml string) {
	file := filepath.Join(w.dir, "errand.yaml")
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.env = append(w.env, "ERRAND_CONFIG="+file)
}

func (w *world) startServer() {
	w.server = spawn(w.t, append(w.env, "CHAOS_ROLE=server", "ERRAND_DATA="+filepath.Join(w.dir, "temporal"))...)
}

func (w *world) startWorker(probe string) {
	env := append(w.env, "CHAOS_ROLE=worker", "CHAOS_POINT="+probe)
	if w.server != nil {
		env = append(env, "CHAOS_SERVER_PID="+strconv.Itoa(w.server.cmd.Process.Pid))
	}
	w.before, w.worker = w.worker, spawn(w.t, env...)
}

// waitDead waits until what the point kills is dead.
func (w *world) waitDead(ctx context.Context) {
	w.t.Helper()
	wait := func(p *process, name string) {
		select {
		case <-p.done:
		case <-ctx.Done():
			w.t.Fatalf("the %s was not killed; its log:\n%s", name, w.logs())
		}
	}
	if w.target != server {
		wait(w.worker, "worker")
	}
	if w.target == server || w.target == both {
		wait(w.server, "server")
	}
}

func (w *world) restart() {
	if w.target == server || w.target == both {
		w.startServer()
	}
	if w.target != server {
		w.startWorker("")
	}
}

func (w *world) logs() string {
	s := w.worker.last()
	if w.before != nil {
		s += "\nof the worker before it:\n" + w.before.last()
	}
	if w.server != nil {
		s += "\nof the server:\n" + w.server.last()
	}
	return s
}

// send is tried again with the same id until it is accepted: that is what a
// platform does with a message that was not acknowledged.
func (w *world) send(ctx context.Context, chat, id, text string) {
	w.t.Helper()
	w.sendTo(ctx, core.Route{Channel: "platform", Chat: chat}, id, text)
}

func (w *world) sendTo(ctx context.Context, to core.Route, id, text string) {
	w.t.Helper()
	form := url.Values{"channel": {to.Channel}, "chat": {to.Chat}, "id": {id}, "text": {text}}
	for {
		if w.post(ctx, "/say", form) == nil {
			return
		}
		if !w.pause(ctx) {
			w.t.Fatalf("message %s was never accepted; log:\n%s", id, w.logs())
		}
	}
}

func (w *world) post(ctx context.Context, path string, form url.Values) error {
	return post(ctx, w.control, path, form)
}

// pause waits a moment between two looks; false when time is up.
func (w *world) pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(30 * time.Millisecond):
		return true
	}
}

func (w *world) tasks(ctx context.Context) (list []core.Task, err error) {
	return list, w.get(ctx, "/tasks", &list)
}

// sessions returns the chat and state of each; nil while nothing answers.
func (w *world) sessions(ctx context.Context) []string {
	var list []core.Session
	if w.get(ctx, "/sessions", &list) != nil {
		return nil
	}
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = fmt.Sprintf("%s/%s: %s", s.Route.Channel, s.Route.Chat, s.State)
	}
	return lines
}

// maintained reports whether a run of maintenance has finished.
func (w *world) maintained(ctx context.Context) bool {
	var list []store.Upkeep
	return w.get(ctx, "/maintenance", &list) == nil && slices.ContainsFunc(list, func(u store.Upkeep) bool {
		return !u.Finished.IsZero() && len(u.Failed) == 0
	})
}

func (w *world) get(ctx context.Context, path string, into any) error {
	return getJSON(ctx, w.control, path, into)
}

func getJSON(ctx context.Context, address, path string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return json.NewDecoder(resp.Body).Decode(into)
}

func kill(t *testing.T, p point, on setting) string {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	w, target := newWorld(t, p, on), on.target
	if p.story == nil {
		p.story = errands
	}
	if target == server && p.alive != nil {
		p.story = p.alive
	}
	if p.story.setUp != nil {
		p.story.setUp(w)
	}
	delivered := p.story.delivered
	probe := p.probe
	if probe == "fold" {
		// The fifth model call is the one that tells the result.
		probe = "before T1#5"
	}
	w.startWorker(probe)
	accepted, dies := make(chan struct{}), w.worker.done
	go func() {
		defer close(accepted)
		w.send(ctx, "ann", "m1", p.story.text)
		if p.story.then != nil {
			p.story.then(ctx, w, dies)
		}
	}()
	if p.hold != "" {
		select {
		case <-w.ledger.held:
		case <-ctx.Done():
			t.Fatalf("the model was not called; log:\n%s", w.logs())
		}
		if target != server {
			w.worker.kill()
		}
		if target == server || target == both {
			w.server.kill()
		}
		close(w.ledger.release)
	}
	w.waitDead(ctx)
	dead := time.Now()
	w.restart()
	<-accepted
	// Somebody else writes while the work goes on. Not earlier: a call of Bob's
	// that was under way at the kill would rightly be made again.
	w.send(ctx, "bob", "m2", "hello")
	// Bob's answer shows how long the start and a turn take on this machine now. What was cut off
	// may take longer by the time after which a dead worker is noticed.
	var answered time.Time
	for !delivered(w.platform.Seen("ann")) || answered.IsZero() {
		if answered.IsZero() && slices.Equal(w.platform.Seen("bob"), []string{"you said hello"}) {
			answered = time.Now()
			continue
		}
		if len(w.platform.Seen("ann")) > 5 || len(w.platform.Seen("bob")) > 1 || !w.pause(ctx) {
			t.Fatalf("ann reads %q, bob reads %q; log:\n%s", w.platform.Seen("ann"), w.platform.Seen("bob"), w.logs())
		}
	}
	back := time.Since(dead)
	if later := time.Since(answered); later > noticed+said {
		t.Errorf("ann was answered %s after bob", later)
	}
	if os.Getenv("CHAOS_LOG") != "" {
		t.Log(w.logs())
	}
	// Before anything else is said: it would be at work again.
	if p.story.end != nil {
		p.story.end(ctx, w)
	}
	// The same messages once more, as a platform may deliver them: nothing new
	// may come of it. A last message shows that errand has looked at them.
	w.send(ctx, "ann", "m1", p.story.text)
	w.send(ctx, "bob", "m2", "hello")
	w.send(ctx, "bob", "m3", "still there?")
	for len(w.platform.Seen("bob")) < 2 {
		if !w.pause(ctx) {
			t.Fatalf("bob reads %q; log:\n%s", w.platform.Seen("bob"), w.logs())
		}
	}
	list, err := w.tasks(ctx)
	if err != nil {
		t.Fatal(err)
	}
	done := p.story.done
	if done == nil {
		done = func(t core.Task) bool {
			return t.State == core.Completed && (t.Way == core.WayFold || t.Way == core.WayTurn)
		}
	}
	if len(list) != p.story.tasks || slices.ContainsFunc(list, func(t core.Task) bool { return !done(t) }) {
		t.Errorf("tasks are %+v, want %d, ended and told", list, p.story.tasks)
	}
	if got := w.platform.Seen("ann"); !delivered(got) {
		t.Errorf("ann reads %q", got)
	}
	if got := w.platform.Seen("bob"); !slices.Equal(got, []string{"you said hello", "you said still there?"}) {
		t.Errorf("bob reads %q", got)
	}
	repeated := w.ledger.repeated()
	for what, n := range repeated {
		may := p.again || slices.ContainsFunc(p.beside, func(call string) bool { return strings.HasPrefix(what, call) })
		if !may || n > 2 {
			t.Errorf("model call %q was made %d times; all calls, in order: %q; log:\n%s", what, n, w.ledger.made(), w.logs())
		}
	}
	return fmt.Sprintf("yes     %d        %d      1        %d               %.1f s", 3, len(list), len(repeated), back.Seconds())
}
