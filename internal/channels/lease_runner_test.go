package channels_test

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/channels"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/probetest"
	"errand/internal/test/storetest"
)

var account = core.Account{Channel: "telegram", Name: "main"}

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
	hang chan struct{} // nil: it fails; else it does not answer before this is closed
}

func (c *cutOff) Lease(ctx context.Context, a core.Account, owner string, ttl time.Duration) (time.Duration, error) {
	if !c.off.Load() {
		return c.Leases.Lease(ctx, a, owner, ttl)
	}
	if c.hang != nil {
		<-c.hang
	}
	return 0, errors.New("the store cannot be reached")
}

func openStore(t *testing.T) *store.Store {
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func options(l *line, leases channels.Leases, owner string) channels.LeaseRunnerOptions {
	return channels.LeaseRunnerOptions{Account: account, Owner: owner, Leases: leases, Logger: slog.New(slog.DiscardHandler),
		Connect: func(changed func(channels.Status)) (channels.Connection, error) { return wire{l, owner, changed}, nil }}
}

// hold runs a holder until the test ends, or stop is called.
func hold(t *testing.T, o channels.LeaseRunnerOptions) (h *channels.LeaseRunner, stop func()) {
	t.Helper()
	h = channels.NewLeaseRunner(o)
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
				o := options(l, s, "a")
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
				probetest.Eventually(t, want, func() bool {
					c, _, err := s.Connection(t.Context(), account)
					return err == nil && c.State == channels.Degraded && c.Detail == want
				})
				good.Store(true)
				hears(t, l.came, "a")
			})
		})
	}
}
