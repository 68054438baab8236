package mcpclient

import (
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	simmcp "errand/internal/test/sim/mcp"
)

// TestGone proves that the operator reads of a server which closes its output, and has
// nothing to complain of, what it did, and no words of errand's library.
func TestGone(t *testing.T) {
	all, _ := run(t, newSet(), nil, Server{Name: "sim", Command: []string{"sh", "-c", "exec >&-; cat >/dev/null"}})
	wait(t, "reason", is(all, Down))
	// It ends once its input is closed, if it is given the time.
	if got := all.List()[0].Reason; got != "it ended" && got != "it closed the connection" {
		t.Errorf("down because %q", got)
	}
}

// TestForks proves that nothing which a server has started outlives it, wherever it went.
func TestForks(t *testing.T) {
	server, folder := sim(t, simmcp.Forks, simmcp.Stubborn)
	all, stop := run(t, newSet(), nil, server)
	wait(t, "connection", is(all, Connected))
	pids := noted(folder, "forked")
	if len(pids) != 2 {
		t.Fatalf("forked: %q", pids)
	}
	stop()
	for _, p := range pids {
		pid, _ := strconv.Atoi(p)
		wait(t, "end of what was forked", func() bool {
			state, err := os.ReadFile("/proc/" + p + "/stat")
			return syscall.Kill(pid, 0) != nil || err == nil && strings.Contains(string(state), ") Z ")
		})
	}
}

// TestEnvironment proves that a server sees none of errand's own variables, is in a folder
// of its own, and that its secrets are in no log.
func TestEnvironment(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "sk-secret")
	t.Setenv("ERRAND_TOKEN", "secret")
	var log lockedBuffer
	server, folder := sim(t)
	s := newSet()
	var own string
	all, _ := run(t, s, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		own = o.Folder + "/sim"
	}, server)
	wait(t, "connection", is(all, Connected))
	// What it says once it is called is not shown, for it may have words of people in it.
	wait(t, "words of the server in the log", func() bool { return strings.Contains(log.String(), "sim: up") })
	if got, err := call(t, s, "sim.env", `{}`); err != nil || strings.Contains(got, "OPENAI") || strings.Contains(got, "ERRAND_TOKEN") || !strings.Contains(got, "PATH") {
		t.Errorf("the server sees %q, %v", got, err)
	}
	if env := noted(folder, "env"); !slices.Contains(env, "HOME="+own) {
		t.Errorf("its home is not %s: %q", own, env)
	}
	if strings.Contains(log.String(), "hunter2") {
		t.Errorf("a secret is in the log: %s", log.String())
	}
}

// A lockedBuffer is what is logged.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
