package acpclient_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"errand/internal/core"
	"errand/internal/remote/acpclient"
	"errand/internal/test/probetest"
)

// workerVariable is set in the environment of a process that is to be a worker. It names
// the folder of its agent; its sessions are in the variable behind.
const (
	workerVariable   = "TEST_ACPCLIENT_WORKER"
	sessionsVariable = "TEST_ACPCLIENT_SESSIONS"
)

// TestAsWorker is a worker whose agent works until somebody kills it. It is no test.
func TestAsWorker(t *testing.T) {
	if os.Getenv(workerVariable) == "" {
		t.Skip("this process is no worker")
	}
	r := &rig{leases: &leases{to: "w1"}, folder: os.Getenv(workerVariable), sessions: os.Getenv(sessionsVariable)}
	r.run(t, "w1")
	<-r.serving
	_, err := r.work(t.Context(), func(w *acpclient.Work) {
		w.Begun = func(id string) error {
			return os.WriteFile(filepath.Join(r.folder, "session"), []byte(id), 0o600)
		}
	}, killed...)
	t.Fatal(err)
}

var killed = []string{"write a.txt first", "fork pid", "write up 1", "await go", "say Done."}

// TestKilled proves that what a worker has left behind that was killed with kill -9 is ended
// before another works in the folder, and that the agent goes on where it was.
func TestKilled(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what a program has started is found on Linux only")
	}
	t.Parallel()
	r := &rig{leases: &leases{to: "w2"}, folder: t.TempDir(), sessions: t.TempDir()}
	worker := exec.Command(os.Args[0], "-test.run=^TestAsWorker$")
	worker.Env = append(os.Environ(), workerVariable+"="+r.folder, sessionsVariable+"="+r.sessions)
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	probetest.Eventually(t, "the file up", func() bool { return r.read("up") != "" })
	if err := worker.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.Wait()
	if !r.isUp("pid") {
		t.Fatal("nothing is left of the program")
	}
	if err := os.Remove(filepath.Join(r.folder, "a.txt")); err != nil {
		t.Fatal(err)
	}
	r.run(t, "w2")
	<-r.serving
	probetest.Eventually(t, "the end of the program", func() bool { return !r.isUp("pid") })
	if err := os.WriteFile(filepath.Join(r.folder, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := r.work(t.Context(), func(w *acpclient.Work) { w.Session = r.read("session") }, killed...)
	if err != nil || got.Text != "Done." || r.read("a.txt") != "" {
		t.Errorf("it ends as %+v, %v; a.txt is written again: %q", got, err, r.read("a.txt"))
	}
}

// TestTakenOver proves that a program ends at once, and is asked nothing, when the folder is
// another worker's, also where its own does not know that yet; and that the session goes on there,
// or is said to be lost.
func TestTakenOver(t *testing.T) {
	for name, test := range map[string]struct {
		sessions string
		lost     bool
		frozen   bool
	}{"it can be taken up": {}, "it cannot": {sessions: "-", lost: true}, "the first worker was frozen": {frozen: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := started(t, test.sessions, test.frozen)
			first := *r
			r.frozen = false
			lines := []string{"write a.txt first", "fork pid", "write up 1", "await go", "say Done."}
			var session string
			ended := make(chan error, 1)
			go func() {
				_, err := first.work(t.Context(), func(w *acpclient.Work) {
					w.Begun = func(id string) error {
						session = id
						return nil
					}
				}, lines...)
				ended <- err
			}()
			probetest.Eventually(t, "the file up", func() bool { return r.read("up") != "" })
			if !test.frozen {
				r.give("")
			} else {
				r.give("w2")
				r.run(t, "w2")
			}
			if err := <-ended; !errors.Is(err, acpclient.ErrAway) {
				t.Errorf("it ends with %v", err)
			}
			probetest.Eventually(t, "the end of the program", func() bool { return !r.isUp("pid") })
			if r.read("canceled") != "" {
				t.Error("it was asked to stop, while another may work there")
			}
			if _, err := first.work(t.Context(), nil, "say Done."); !errors.Is(err, acpclient.ErrAway) {
				t.Errorf("after that it is %v", err)
			}
			if !test.frozen {
				r.give("w2")
				r.run(t, "w2")
			}
			<-r.serving
			if err := errors.Join(os.Remove(filepath.Join(r.folder, "a.txt")), os.WriteFile(filepath.Join(r.folder, "go"), nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			got, err := r.work(t.Context(), func(w *acpclient.Work) { w.Session = session }, lines...)
			if errors.Is(err, acpclient.ErrLost) != test.lost || !test.lost && (got.Text != "Done." || r.read("a.txt") != "") {
				t.Errorf("it ends there as %+v, %v; a.txt is written again: %q", got, err, r.read("a.txt"))
			}
		})
	}
}

// TestFolder proves that one program at a time works in a folder, by whatever name, and that
// who has asked first is next.
func TestFolder(t *testing.T) {
	t.Parallel()
	r := &rig{leases: &leases{to: "w1"}, folder: t.TempDir(), sessions: t.TempDir()}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(r.folder, link); err != nil {
		t.Fatal(err)
	}
	r.run(t, "w1", r.agent("other", link))
	<-r.serving
	<-r.serving
	ended := make(chan error, 1)
	go func() {
		_, err := r.work(t.Context(), func(w *acpclient.Work) { w.Task = "t-1" }, "write first 1", "await go")
		ended <- err
	}()
	probetest.Eventually(t, "the file first", func() bool { return r.read("first") != "" })
	try := func(agent core.AgentName, task core.TaskID, want *core.AgentName) {
		t.Helper()
		_, err := r.Work(t.Context(), agent, acpclient.Work{Task: task, Prompt: ">say Done.", Begun: func(string) error { return nil }, Doing: func(string) {}})
		var busy *acpclient.Busy
		if errors.As(err, &busy) != (want != nil) || want != nil && busy.Agent != *want {
			t.Errorf("%s on %s: %v (%+v), want %v", agent, task, err, busy, want)
		}
	}
	coder, nobody := core.AgentName("coder"), core.AgentName("")
	try("other", "t-2", &coder)
	try("coder", "t-3", &coder)
	if err := os.WriteFile(filepath.Join(r.folder, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	try("coder", "t-3", &nobody) // it is the turn of t-2
	try("other", "t-2", nil)
	try("coder", "t-3", nil)
}

// TestAskedNoMore proves that the one who is asked learns that the program does not wait for
// an answer any more, and goes on.
func TestAskedNoMore(t *testing.T) {
	t.Parallel()
	r := start(t, "")
	got, err := r.work(t.Context(), func(w *acpclient.Work) {
		w.Ask = func(ctx context.Context, _ acpclient.Permission) (bool, error) {
			if err := os.WriteFile(filepath.Join(r.folder, "go"), nil, 0o600); err != nil {
				return false, err
			}
			<-ctx.Done()
			if why := context.Cause(ctx); !errors.Is(why, acpclient.ErrAskedNoMore) {
				t.Errorf("it ends for %v", why)
			}
			return false, errors.Join(ctx.Err(), os.WriteFile(filepath.Join(r.folder, "heard"), nil, 0o600))
		}
	}, "retract go", "await heard", "say Done.")
	if err != nil || got.State != core.Completed {
		t.Errorf("it ends as %+v, %v", got, err)
	}
}
