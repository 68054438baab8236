package chaos

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/test/storetest"
)

// takeover is how long it may take until another worker has a connection whose
// owner was killed.
const takeover = 15 * time.Second

// TestTakeover proves that of two workers on one database and one Temporal one is
// connected, that the other is within 15 seconds of the first being killed, and
// that what was written meanwhile is answered, once.
func TestTakeover(t *testing.T) {
	s := onTelegram(t)
	w := newTwo(t, s)
	s.write(t, 0, "good day")
	w.answered(1)
	first, _ := w.connected(-1)
	w.workers[first].kill()
	killed := time.Now()
	s.write(t, 0, "are you there?")
	// Not when it is seen or answered, which depends on how busy the machine is,
	// but when the other worker says that it was connected.
	second, since := w.connected(first)
	took := since.Sub(killed)
	if took > takeover {
		t.Errorf("worker %d took over from %d after %s, want it within %s", second, first, took, takeover)
	}
	w.answered(2)
	t.Logf("the other worker was connected %s after the kill, and answered after %s", took.Round(100*time.Millisecond), time.Since(killed).Round(100*time.Millisecond))
	w.apart()
}

// TestTakeoverWhileSending proves that a message which the platform has taken is told
// once when its sender is killed before it knows, or stands still for longer than all
// its leases and then goes on: another worker takes over, and the one that comes back
// sends nothing and leaves the account alone. Where a platform cannot tell whether it
// has a message, the second says that it may be there already.
func TestTakeoverWhileSending(t *testing.T) {
	t.Parallel()
	for name, on := range map[string]func(*testing.T) stage{"telegram": onTelegram, "discord": onDiscord} {
		for how, sig := range map[string]syscall.Signal{"killed": syscall.SIGKILL, "stands still": syscall.SIGSTOP} {
			t.Run(name+" "+how, func(t *testing.T) {
				t.Parallel()
				s := on(t)
				w := newTwo(t, s)
				first, _ := w.connected(-1)
				s.write(t, 0, "good day")
				w.answered(1)
				met := make(chan struct{})
				s.breakOff(0, true, func() {
					w.workers[first].cmd.Process.Signal(sig)
					close(met)
				})
				s.write(t, 0, "are you there?")
				<-met
				second, _ := w.connected(first)
				if !s.certain() {
					w.eventually("it is told once more", func() bool {
						said := s.reads(0)
						return strings.HasPrefix(said[len(said)-1], again)
					})
				}
				s.write(t, 0, "and now?")
				w.answered(3)
				if sig == syscall.SIGSTOP {
					w.workers[first].cmd.Process.Signal(syscall.SIGCONT)
					s.write(t, 0, "still there?")
					w.answered(4)
					if now, _ := w.connected(-1); now != second {
						t.Errorf("worker %d holds the account, and %d had taken over", now, second)
					}
				}
				w.apart()
			})
		}
	}
}

// A two is two workers that could both hold one account.
type two struct {
	t        *testing.T
	stage    stage
	channel  string
	store    *store.Store
	database string
	dir      string
	env      []string
	workers  []*process
}

func newTwo(t *testing.T, s stage) *two { return newTwoWith(t, s, "channels:\n") }

// newTwoWith has an errand.yaml that begins with yaml.
func newTwoWith(t *testing.T, s stage, yaml string, env ...string) *two {
	address := os.Getenv("ERRAND_TEST_APP_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_APP_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	database := storetest.Schema(t, address)
	w := &two{t: t, stage: s, database: database, dir: t.TempDir()}
	channels, account := s.config()
	w.channel, _, _ = strings.Cut(strings.TrimSpace(channels), ":")
	var err error
	if w.store, err = store.Open(t.Context(), store.Options{PostgreSQL: database}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.store.Close() })
	port, file := devserver.FreePort(t), filepath.Join(w.dir, "errand.yaml")
	if err := os.WriteFile(file, []byte(yaml+channels), 0o600); err != nil {
		t.Fatal(err)
	}
	spawn(t, "CHAOS_ROLE=server", "ERRAND_DATA="+filepath.Join(w.dir, "temporal"), fmt.Sprintf("CHAOS_TEMPORAL_PORT=%d", port))
	w.env = append(slices.Concat(temporalAt(port), account, env), "CHAOS_ROLE=worker", "ERRAND_CONFIG="+file, "DATABASE_URL="+database, "ERRAND_LISTEN=127.0.0.1:0", "CHAOS_CONTROL=127.0.0.1:0")
	for _, name := range []string{"one", "two"} {
		w.workers = append(w.workers, w.spawn(name))
	}
	return w
}

func (w *two) spawn(name string, env ...string) *process {
	return spawn(w.t, slices.Concat(w.env, []string{"ERRAND_DATA=" + filepath.Join(w.dir, name)}, env)...)
}

// eventually waits until something is so.
func (w *two) eventually(what string, so func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !so(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			for _, p := range w.workers {
				p.kill()
				w.t.Log(p.last())
			}
			w.t.Fatalf("it never was so: %s; Ana reads %q", what, w.stage.reads(0))
		}
	}
}

// answered waits until Ana has so many answers of the demonstration model, and no
// more. One that may be a repeat stands for the one before it.
func (w *two) answered(want int) {
	w.t.Helper()
	answers := func() (n int) {
		for _, said := range w.stage.reads(0) {
			if w.stage.certain() || !strings.HasPrefix(said, again) {
				n++
			}
		}
		return n
	}
	w.eventually(fmt.Sprintf("Ana has %d answers", want), func() bool { return answers() >= want })
	if answers() > want {
		w.t.Fatalf("Ana is told %d times, want %d: %q", answers(), want, w.stage.reads(0))
	}
}

// apart ends the workers, which have never met at the platform.
func (w *two) apart() {
	for i, p := range w.workers {
		p.kill()
		if log := p.log.String(); strings.Contains(log, "another program polls") {
			w.t.Errorf("worker %d met the other at the platform; its log:\n%s", i, log)
		}
	}
}

// connected waits until one of the workers, which is not but, is connected, and
// returns which it is, and since when.
func (w *two) connected(but int) (worker int, since time.Time) {
	w.t.Helper()
	account := core.Account{Channel: w.channel, Name: "main"}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		c, _, err := w.store.Connection(w.t.Context(), account)
		if err != nil {
			w.t.Fatal(err)
		}
		for i, p := range w.workers {
			if i != but && c.State == core.Connected && strings.Contains(c.Owner, fmt.Sprintf(":%d:", p.cmd.Process.Pid)) {
				return i, c.Since
			}
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%q holds the connection, which is %s", c.Owner, c.State)
		}
	}
}
