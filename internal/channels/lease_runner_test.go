package channels_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand"
	"errand/internal/channels"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

var account = errand.Account{Channel: "telegram", Name: "main"}

// A line is what several workers connect to: it counts who does at once.
type line struct {
	t    *testing.T
	now  atomic.Int32
	came chan string // owners, as they connect
	left chan string
}

func newLine(t *testing.T) *line {
	return &line{t: t, came: make(chan string, 100), left: make(chan string, 100)}
}

// A wire is one owner's connection.
type wire struct {
	*line
	owner   string
	changed func(channels.Status)
}

func (w wire) Run(ctx context.Context) error {
	if w.now.Add(1) > 1 {
		w.t.Error("two are connected at once")
	}
	w.changed(channels.Status{State: channels.Connected, Detail: w.owner, Since: time.Now()})
	w.came <- w.owner
	<-ctx.Done()
	w.now.Add(-1)
	w.left <- w.owner
	return ctx.Err()
}

type cutOff struct {
	channels.Leases
	off  atomic.Bool
	asks atomic.Int32  // while it was off
	hang chan struct{} // nil: it fails; else it does not answer before this is closed
}

func (c *cutOff) Lease(ctx context.Context, a errand.Account, owner string, ttl time.Duration) (bool, error) {
	if !c.off.Load() {
		return c.Leases.Lease(ctx, a, owner, ttl)
	}
	c.asks.Add(1)
	if c.hang != nil {
		<-c.hang
	}
	return false, errors.New("the store cannot be reached")
}

func openStore(t *testing.T) *store.Store {
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// quick is for bubbles, where time passes when nothing is under way: else a busy
// machine would have an owner disconnect too late.
func quick(l *line, leases channels.Leases, owner string) channels.LeaseRunnerOptions {
	return channels.LeaseRunnerOptions{
		Account: account, Owner: owner, Leases: leases, Logger: slog.New(slog.DiscardHandler),
		Connect:  func(changed func(channels.Status)) (channels.Connection, error) { return wire{l, owner, changed}, nil },
		Patience: time.Second, Slack: 500 * time.Millisecond, Renew: 20 * time.Millisecond, Standby: 10 * time.Millisecond, Pause: time.Millisecond,
	}
}

// hold runs a holder until the test ends, or stop is called.
func hold(t *testing.T, o channels.LeaseRunnerOptions) (h *channels.LeaseRunner, stop func()) {
	t.Helper()
	h, err := channels.NewLeaseRunner(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); h.Run(ctx) }()
	stop = func() { cancel(); <-done }
	t.Cleanup(stop)
	return h, stop
}

func hears(t *testing.T, from <-chan string, want string) {
	t.Helper()
	select {
	case got := <-from:
		if got != want {
			t.Fatalf("it was %s, want %s", got, want)
		}
	case <-time.After(time.Minute):
		t.Fatalf("nothing was heard of %s", want)
	}
}

func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !done(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("it did not come to " + what)
		}
	}
}

// TestHolderGivesBack proves that of two one is connected, and that the other is
// at once when the first ends.
func TestHolderGivesBack(t *testing.T) { synctest.Test(t, testHolderGivesBack) }

func testHolderGivesBack(t *testing.T) {
	l, s := newLine(t), openStore(t)
	long := quick(l, s, "a")
	long.Patience = time.Hour // it would be held for as long if it were not given back
	a, stop := hold(t, long)
	hears(t, l.came, "a")
	b, _ := hold(t, quick(l, s, "b"))
	eventually(t, "a state in the store", func() bool {
		c, _, err := s.Connection(t.Context(), account)
		return err == nil && c.Owner == "a" && c.State == channels.Connected && c.Detail == "a"
	})
	if !a.Connected() || b.Connected() {
		t.Errorf("a is connected: %v; b: %v", a.Connected(), b.Connected())
	}
	stop()
	hears(t, l.left, "a")
	hears(t, l.came, "b")
	if a.Connected() || !b.Connected() {
		t.Errorf("a is connected: %v; b: %v", a.Connected(), b.Connected())
	}
}

// TestHolderCutOff proves that an owner that cannot reach the store disconnects
// before another connects, whether the store fails or does not answer, and does
// not come back while the other is there.
func TestHolderCutOff(t *testing.T) {
	for _, name := range []string{"the store fails", "the store does not answer"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var hang chan struct{}
				if name == "the store does not answer" {
					hang = make(chan struct{})
				}
				l, s := newLine(t), openStore(t)
				leases := &cutOff{Leases: s, hang: hang}
				hold(t, quick(l, leases, "a"))
				hears(t, l.came, "a")
				if hang != nil {
					t.Cleanup(func() { close(hang) }) // before the holder is waited for
				}
				_, stop := hold(t, quick(l, s, "b"))
				leases.off.Store(true)
				hears(t, l.left, "a")
				hears(t, l.came, "b")
				if hang != nil {
					return
				}
				leases.off.Store(false)
				eventually(t, "b to be noted", func() bool {
					c, _, err := s.Connection(t.Context(), account)
					return err == nil && c.Detail == "b"
				})
				stop()
				hears(t, l.left, "b")
				hears(t, l.came, "a")
			})
		})
	}
}

// TestHolderShort proves that a store that fails for less than patience disconnects
// nobody.
func TestHolderShort(t *testing.T) { synctest.Test(t, testHolderShort) }

func testHolderShort(t *testing.T) {
	l, s := newLine(t), openStore(t)
	leases := &cutOff{Leases: s}
	o := quick(l, leases, "a")
	o.Patience = time.Hour
	hold(t, o)
	hears(t, l.came, "a")
	leases.off.Store(true)
	eventually(t, "three renewals that failed", func() bool { return leases.asks.Load() >= 3 })
	leases.off.Store(false)
	eventually(t, "a renewal", func() bool {
		held, err := s.Lease(t.Context(), account, "b", time.Second)
		return err == nil && !held
	})
	select {
	case <-l.left:
		t.Error("it disconnected")
	default:
	}
}

// A broken connection panics, or ends, before it is good.
type broken struct {
	wire
	fault string
}

func (b broken) Run(ctx context.Context) error {
	switch b.fault {
	case "panics":
		panic("index out of range")
	case "ends":
		return nil
	}
	return b.wire.Run(ctx)
}

// TestHolderMends proves that a connection that panics, ends, or cannot be made
// is seen as such, does no harm, and is tried again.
func TestHolderMends(t *testing.T) {
	for fault, want := range map[string]string{"panics": "a fault in errand: it panicked, and its log has the stack", "ends": "it ended without a reason", "none": "no such token"} {
		t.Run(fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l, s := newLine(t), openStore(t)
				var good atomic.Bool
				o := quick(l, s, "a")
				o.LongestPause = 10 * time.Millisecond
				o.Connect = func(changed func(channels.Status)) (channels.Connection, error) {
					switch {
					case good.Load():
						return wire{l, "a", changed}, nil
					case fault == "none":
						return nil, errors.New("no such token")
					}
					return broken{wire{l, "a", changed}, fault}, nil
				}
				hold(t, o)
				eventually(t, want, func() bool {
					c, _, err := s.Connection(t.Context(), account)
					return err == nil && c.State == channels.Degraded && c.Detail == want
				})
				good.Store(true)
				hears(t, l.came, "a")
			})
		})
	}
}
