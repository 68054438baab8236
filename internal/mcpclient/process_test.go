package mcpclient

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	simmcp "errand/internal/sim/mcp"
)

// TestLastWords proves that the operator reads how a server ended, and what it said last,
// whichever of its pipes errand finds broken first, and however late errand learns of its
// end and of its words.
func TestLastWords(t *testing.T) {
	for name, exit := range map[string]error{"with an error": errors.New("exit status 3"), "without": nil} {
		for first, read := range map[string]bool{"output": true, "input": false} {
			t.Run(name+", its "+first+" first", func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					out, end := io.Pipe()
					defer end.Close()
					in := pipe{syscall.EPIPE}
					if read {
						end.Close()
						in.err = nil
					}
					log := slog.New(slog.DiscardHandler)
					p := &process{stdin: in, stdout: newLines(out, 0, log), ended: make(chan struct{}), errs: &stderrLog{log: log, busy: new(atomic.Int64), done: make(chan struct{})}}
					p.stop.Do(func() {}) // there is nothing to kill
					_, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.IOTransport{Reader: stdio{p}, Writer: stdio{p}}, nil)
					if err == nil {
						t.Fatal("it is connected")
					}
					go func() {
						time.Sleep(500 * time.Millisecond) // of the bubble
						p.err = exit
						close(p.ended)
						time.Sleep(500 * time.Millisecond)
						p.errs.read(io.NopCloser(strings.NewReader("a module is missing\n")))
					}()
					want := "it ended (a module is missing)"
					if exit != nil {
						want = "it ended: exit status 3 (a module is missing)"
					}
					if got := p.describe(err).Error(); got != want {
						t.Errorf("down because %q, want %q", got, want)
					}
					<-p.errs.done
				})
			})
		}
	}
}

// A pipe takes what is written to it, or fails as one does that nobody reads.
type pipe struct{ err error }

func (p pipe) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, &os.PathError{Op: "write", Path: "|1", Err: p.err}
	}
	return len(b), nil
}

func (pipe) Close() error { return nil }

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

// TestFlood proves that so many messages as nobody needs end a connection, and not as many
// that come in an hour.
func TestFlood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const note = `{"jsonrpc":"2.0","method":"notifications/progress"}` + "\n"
		for pause, most := range map[time.Duration]int{0: floodMessages, time.Hour: 3 * floodMessages} {
			l := newLines(io.NopCloser(strings.NewReader(strings.Repeat(note, 3*floodMessages))), 0, slog.New(slog.DiscardHandler))
			read, buffer := 0, make([]byte, len(note))
			for ; ; read++ {
				if _, err := io.ReadFull(l, buffer); err != nil {
					break
				}
				if read%1000 == 0 {
					time.Sleep(pause) // of the bubble
				}
			}
			if why := l.broken(); read != most || (why != nil) != (pause == 0) {
				t.Errorf("with a pause of %s, %d messages are read, want %d: %v", pause, read, most, why)
			}
		}
	})
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
