package acpclient_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/remote/acpclient"
	"errand/internal/test/probetest"
	"errand/internal/test/sim/coding"
)

// TestMain is the coding agent where a test starts it.
func TestMain(m *testing.M) {
	if coding.Main() {
		return
	}
	os.Exit(m.Run())
}

// leases give everything to one worker.
type leases struct {
	mu sync.Mutex
	to string
}

func (l *leases) Lease(_ context.Context, _ core.Account, worker string, ttl time.Duration) (time.Duration, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.to != worker {
		return 0, nil
	}
	return ttl, nil
}

func (l *leases) ReleaseLease(context.Context, core.Account, string) error { return nil }

func (l *leases) give(worker string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.to = worker
}

// A rig has one agent, coder, with a folder to work in and one for its sessions.
type rig struct {
	*acpclient.Agents
	*leases
	folder   string
	sessions string
	serving  chan core.AgentName // whose work is taken
	frozen   bool                // it does not see for long that another has the folder
}

func start(t *testing.T, sessions string) *rig {
	t.Helper()
	return started(t, sessions, false)
}

func started(t *testing.T, sessions string, frozen bool) *rig {
	t.Helper()
	r := &rig{leases: &leases{to: "w1"}, folder: t.TempDir(), sessions: sessions, frozen: frozen}
	if sessions == "" {
		r.sessions = t.TempDir()
	}
	r.run(t, "w1")
	<-r.serving
	return r
}

func (r *rig) agent(name core.AgentName, folder string) acpclient.Agent {
	return acpclient.Agent{Name: name, Command: []string{os.Args[0]}, Folder: folder, Env: map[string]string{coding.Variable: r.sessions, "CODER_KEY": "its own"}}
}

// run is a worker of that name until the test ends.
func (r *rig) run(t *testing.T, worker string, more ...acpclient.Agent) {
	t.Helper()
	serving, ttl := make(chan core.AgentName, 1+len(more)), 300*time.Millisecond
	if r.frozen {
		ttl = time.Hour
	}
	r.serving = serving
	r.Agents = acpclient.New(acpclient.Options{Leases: r.leases, Worker: worker, Home: "/home/somebody", Logger: slog.New(slog.DiscardHandler), LeaseTTL: ttl,
		Agents: append([]acpclient.Agent{r.agent("coder", r.folder)}, more...),
		Serve: func(ctx context.Context, agent core.AgentName) {
			serving <- agent
			<-ctx.Done()
		}})
	agents := r.Agents
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		agents.Run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
}

// work has the agent do what some lines say; change sets what else the work has.
func (r *rig) work(ctx context.Context, change func(*acpclient.Work), lines ...string) (core.PeerTask, error) {
	w := acpclient.Work{Prompt: "> " + strings.Join(lines, "\n> "), Begun: func(string) error { return nil }, Doing: func(string) {},
		Ask: func(context.Context, acpclient.Permission) (bool, error) { return false, nil }}
	w.Prompt = strings.ReplaceAll(w.Prompt, "> ", ">")
	if change != nil {
		change(&w)
	}
	return r.Work(ctx, "coder", w)
}

func (r *rig) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(r.folder, name))
	return string(text)
}

// isUp reports whether the process is there whose id a file has.
func (r *rig) isUp(file string) bool {
	pid, _ := strconv.Atoi(r.read(file))
	state, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return pid > 0 && syscall.Kill(pid, 0) == nil && (err != nil || !strings.Contains(string(state), ") Z "))
}

// TestWork proves what becomes of work, whatever the agent does: it works in its folder, is
// asked about, and what goes wrong with it is said.
func TestWork(t *testing.T) {
	yes := func(w *acpclient.Work) {
		w.Ask = func(context.Context, acpclient.Permission) (bool, error) { return true, nil }
	}
	for _, test := range []struct {
		name   string
		lines  []string
		change func(*acpclient.Work)
		state  core.TaskState
		says   string // a part of it
		file   string // that note.txt then has
	}{
		{name: "answers", lines: []string{"say Done."}, state: core.Completed, says: "Done."},
		{name: "writes a file", lines: []string{"say I begin.", "write note.txt hello", "say I have written it."}, state: core.Completed, says: "I have written it.", file: "hello"},
		{name: "says nothing", lines: []string{"plan a"}, state: core.Completed, says: "(The coding agent has said nothing.)"},
		{name: "may do it", lines: []string{"ask note.txt hello", "say Done."}, change: yes, state: core.Completed, says: "Done.", file: "hello"},
		{name: "may not do it", lines: []string{"ask note.txt hello"}, state: core.Completed, says: "refused by no."},
		{name: "is offered no files", lines: []string{"read /etc/passwd"}, state: core.Completed, says: "true"},
		{name: "fails", lines: []string{"fail log in first"}, state: core.Failed, says: "The coding agent has failed (-32603): log in first"},
		{name: "wants a login", lines: []string{"login"}, state: core.Failed, says: "give it a key in env of remote_agents. It names: Sim's account (run sim login)"},
		{name: "ends", lines: []string{"exit out of memory"}, state: core.Failed, says: "The coding agent was stopped: it ended: exit status 3"},
		{name: "prints rubbish", lines: []string{"rubbish", "say Done."}, state: core.Failed, says: "The coding agent was stopped: it prints to standard output what is no message of ACP"},
		{name: "sends a long message", lines: []string{"long", "say Done."}, state: core.Failed, says: "The coding agent was stopped: it sent a message of more than 9 MB"},
		{name: "floods", lines: []string{"flood", "say Done."}, state: core.Failed, says: "The coding agent was stopped: it floods errand with messages"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "")
			got, err := r.work(t.Context(), test.change, test.lines...)
			if err != nil || got.State != test.state || !strings.Contains(got.Text, test.says) {
				t.Errorf("it ends as %+v, %v; want %s with %q", got, err, test.state, test.says)
			}
			if got := r.read("note.txt"); got != test.file {
				t.Errorf("the file has %q, want %q", got, test.file)
			}
		})
	}
}

// TestProgress proves that what the agent does is shown, and what it asks for is described
// whole.
func TestProgress(t *testing.T) {
	r := start(t, "")
	var mu sync.Mutex
	var doing []string
	var asked acpclient.Permission
	_, err := r.work(t.Context(), func(w *acpclient.Work) {
		w.Doing = func(text string) {
			mu.Lock()
			defer mu.Unlock()
			doing = append(doing, text)
		}
		w.Ask = func(_ context.Context, p acpclient.Permission) (bool, error) {
			asked = p
			return true, nil
		}
	}, "plan tests first", "write a.txt b", "ask c.txt d")
	if got := strings.Join(doing, "; "); err != nil || got != "0/1 tests first; write a.txt" {
		t.Errorf("shown: %q, %v", got, err)
	}
	if want := `{"title":"write c.txt","input":{"file":"c.txt","text":"d"}}`; asked.Arguments != want || asked.Kind != "edit" || !asked.Loads {
		t.Errorf("asked: %+v, want %s", asked, want)
	}
}

// TestEnvironment proves that the agent gets a home, what its entry names, and nothing else
// of errand's.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("ERRAND_KEY", "secret")
	r := start(t, "")
	got, err := r.work(t.Context(), nil, "environment")
	if err != nil || strings.Contains(got.Text, "secret") || !strings.Contains(got.Text, "HOME=/home/somebody") || !strings.Contains(got.Text, "CODER_KEY=its own") {
		t.Errorf("it sees %q, %v", got.Text, err)
	}
}

// TestStop proves that an agent whose work is stopped ends, with what it has started, also
// where it does not hear; and that the reason is told.
func TestStop(t *testing.T) {
	why := errors.New("not needed")
	for name, last := range map[string]string{"it hears": "await never", "it does not hear": "stubborn"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "")
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			go func() {
				probetest.Eventually(t, "the file up", func() bool { return r.read("up") != "" })
				cancel(why)
			}()
			_, err := r.work(ctx, nil, "fork pid", "write up 1", last)
			if !errors.Is(err, why) {
				t.Errorf("it ends with %v", err)
			}
			probetest.Eventually(t, "the end of the program", func() bool { return !r.isUp("pid") })
			if r.read("canceled") == "" {
				t.Error("it was not asked to stop")
			}
		})
	}
}

// TestTakeUp proves that a session goes on in another process where it was, and that it is
// said where one cannot.
func TestTakeUp(t *testing.T) {
	for name, test := range map[string]struct {
		sessions string
		id       string // in place of its own
		lost     bool
	}{"it can": {}, "it cannot": {sessions: "-", lost: true}, "it has forgotten": {id: "sim-other", lost: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, test.sessions)
			lines := []string{"write a.txt first", "ask b.txt second", "say Done."}
			var session string
			stop := errors.New("nobody answers")
			_, err := r.work(t.Context(), func(w *acpclient.Work) {
				w.Begun = func(id string) error {
					session = id
					return nil
				}
				w.Ask = func(context.Context, acpclient.Permission) (bool, error) { return false, stop }
			}, lines...)
			if !errors.Is(err, stop) || session == "" {
				t.Fatalf("it ends with %v", err)
			}
			if err := os.Remove(filepath.Join(r.folder, "a.txt")); err != nil {
				t.Fatal(err)
			}
			got, err := r.work(t.Context(), func(w *acpclient.Work) {
				if w.Session = session; test.id != "" {
					w.Session = test.id
				}
				w.Ask = func(context.Context, acpclient.Permission) (bool, error) { return true, nil }
			}, lines...)
			if errors.Is(err, acpclient.ErrLost) != test.lost {
				t.Fatalf("it ends with %v", err)
			}
			if !test.lost && (got.Text != "Done." || r.read("b.txt") != "second" || r.read("a.txt") != "") {
				t.Errorf("it says %q, and has written %q, and %q again", got.Text, r.read("b.txt"), r.read("a.txt"))
			}
		})
	}
}

// TestCheck proves that a check starts the program without work, and says why it cannot work.
func TestCheck(t *testing.T) {
	r := start(t, "")
	if err := r.Check(t.Context(), "coder"); err != nil {
		t.Errorf("the agent cannot work: %v", err)
	}
	broken := r.agent("broken", r.folder)
	broken.Command = []string{"/no/such/program"}
	other := acpclient.New(acpclient.Options{Agents: []acpclient.Agent{broken}, Logger: slog.New(slog.DiscardHandler)})
	if err := other.Check(t.Context(), "broken"); err == nil || !strings.Contains(err.Error(), "cannot be started") {
		t.Errorf("a program that is not there: %v", err)
	}
}
