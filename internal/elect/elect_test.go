package elect_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/core"
	"errand/internal/elect"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// A race is one piece of work that several processes want to do.
type race struct {
	*testing.T
	ttl   time.Duration
	store *store.Store
	of    core.Account
	now   atomic.Int32
	came  chan string // owners, as they begin
	left  chan string
}

// A process wants to do the work. Its way to the store can be cut off.
type process struct {
	*elect.Elector
	elect.Leases // in its place
	cut          atomic.Bool
	asked        atomic.Int32  // while it was cut off
	hang         chan struct{} // not nil: while it is cut off the store does not answer before this is closed
	stop         func()
}

func (p *process) Lease(ctx context.Context, of core.Account, owner string, ttl time.Duration) (time.Duration, error) {
	if !p.cut.Load() {
		return p.Leases.Lease(ctx, of, owner, ttl)
	}
	p.asked.Add(1)
	if p.hang != nil {
		<-p.hang
	}
	return 0, errors.New("the store cannot be reached")
}

// enter has a process compete until the test ends or it is stopped. ends, if not nil, is
// called when its work has to end.
func (r *race) enter(owner string, ttl time.Duration, hang chan struct{}, ends func(*process)) *process {
	p := &process{Leases: r.store, hang: hang}
	p.Elector = &elect.Elector{Leases: p, Of: r.of, Owner: owner, TTL: ttl, Standby: r.ttl / 12, Logger: slog.New(slog.DiscardHandler)}
	p.Do = func(ctx context.Context) {
		if r.now.Add(1) > 1 {
			r.Error("two work at once")
		}
		if !p.Holds() {
			r.Error("it works before it has the lease")
		}
		r.came <- owner
		<-ctx.Done()
		if ends != nil {
			ends(p)
		}
		r.now.Add(-1)
		r.left <- owner
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); p.Run(ctx) }()
	p.stop = func() { cancel(); <-done }
	r.Cleanup(p.stop)
	if hang != nil {
		r.Cleanup(func() { close(hang) }) // before the process is stopped
	}
	return p
}

func (r *race) hears(from <-chan string, want string) {
	r.Helper()
	select {
	case got := <-from:
		if got != want {
			r.Fatalf("it was %s, want %s", got, want)
		}
	case <-time.After(time.Minute):
		r.Fatalf("nothing was heard of %s", want)
	}
}

// conformance is what an elector promises with every lease of every store.
var conformance = map[string]func(*race){
	"one works, and another does at once when the first ends": func(r *race) {
		a := r.enter("a", time.Hour, nil, nil)
		r.hears(r.came, "a")
		b := r.enter("b", r.ttl, nil, nil)
		if !a.Holds() || b.Holds() {
			r.Errorf("a has the lease: %v; b: %v", a.Holds(), b.Holds())
		}
		a.stop()
		r.hears(r.left, "a")
		r.hears(r.came, "b")
		if a.Holds() || !b.Holds() {
			r.Errorf("a has the lease: %v; b: %v", a.Holds(), b.Holds())
		}
	},
	"a process that loses the store stops before another begins": func(r *race) {
		a := r.enter("a", r.ttl, nil, nil)
		r.hears(r.came, "a")
		b := r.enter("b", r.ttl, nil, nil)
		a.cut.Store(true)
		r.hears(r.left, "a")
		r.hears(r.came, "b")
		a.cut.Store(false)
		b.stop()
		r.hears(r.left, "b")
		r.hears(r.came, "a")
	},
	"a process whose store does not answer stops before another begins": func(r *race) {
		a := r.enter("a", r.ttl, make(chan struct{}), nil)
		r.hears(r.came, "a")
		a.cut.Store(true)
		r.enter("b", r.ttl, nil, nil)
		r.hears(r.left, "a")
		r.hears(r.came, "b")
	},
	"a store that fails for a moment stops nothing": func(r *race) {
		a := r.enter("a", r.ttl, nil, nil)
		r.hears(r.came, "a")
		a.cut.Store(true)
		for a.asked.Load() == 0 && r.Context().Err() == nil {
			time.Sleep(r.ttl / 100)
		}
		a.cut.Store(false)
		select {
		case <-r.left:
			r.Error("it has stopped")
		case <-time.After(r.ttl):
		}
	},
	"a process whose lease another has taken stops": func(r *race) {
		a := r.enter("a", r.ttl, nil, nil)
		r.hears(r.came, "a")
		if err := r.store.ReleaseLease(r.Context(), r.of, "a"); err != nil {
			r.Fatal(err)
		}
		if lasts, err := r.store.Lease(r.Context(), r.of, "b", time.Hour); err != nil || lasts == 0 {
			r.Fatal(lasts, err)
		}
		r.hears(r.left, "a")
		if a.Holds() {
			r.Error("it has the lease")
		}
		if lasts, err := r.store.Lease(r.Context(), r.of, "b", time.Hour); err != nil || lasts == 0 {
			r.Errorf("the other has lost it: %v", err)
		}
	},
	"while the work ends nothing new begins, here or elsewhere": func(r *race) {
		ending := make(chan struct{})
		a := r.enter("a", r.ttl, nil, func(p *process) {
			for p.Holds() && r.Context().Err() == nil { // until the elector has seen the end
				time.Sleep(r.ttl / 1000)
			}
			if lasts, err := r.store.Lease(context.Background(), r.of, "b", r.ttl); err != nil || lasts > 0 {
				r.Errorf("another can begin: %v, %v", lasts, err)
			}
			close(ending)
		})
		r.hears(r.came, "a")
		go a.stop()
		<-ending
		r.hears(r.left, "a")
	},
}

// TestConformance proves what an elector promises: with the lease of a duty and that of an
// account, on SQLite in time that passes when all wait, and on PostgreSQL by its own clock.
func TestConformance(t *testing.T) {
	for kind, of := range map[string]core.Account{"duty": store.Duty("titles"), "account": {Channel: "telegram", Name: "main"}} {
		for name, test := range conformance {
			run := func(t *testing.T, ttl time.Duration, o store.Options) {
				test(&race{T: t, ttl: ttl, store: open(t, o), of: of, came: make(chan string, 100), left: make(chan string, 100)})
			}
			t.Run(kind+": "+name, func(t *testing.T) {
				t.Run("SQLite", func(t *testing.T) {
					file := storetest.File(t)
					synctest.Test(t, func(t *testing.T) { run(t, 12*time.Second, store.Options{SQLite: file}) })
				})
				t.Run("PostgreSQL", func(t *testing.T) {
					address := os.Getenv("ERRAND_TEST_POSTGRES")
					if address == "" {
						t.Skip("ERRAND_TEST_POSTGRES is not set")
					}
					t.Parallel()
					run(t, 3*time.Second, store.Options{PostgreSQL: storetest.Schema(t, address)})
				})
			})
		}
	}
}

func open(t *testing.T, o store.Options) *store.Store {
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	place := store.Place{Claim: "c", Address: "temporal:7233", Namespace: "errand"}
	if _, err := s.RegisterWorker(t.Context(), store.Worker{ID: "a", Home: "a", TTL: 24 * time.Hour}, place, false); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RenewWorker(t.Context(), store.Worker{ID: "b", Home: "b", TTL: 24 * time.Hour}, place); err != nil { // a duty is a living worker's
		t.Fatal(err)
	}
	return s
}

// TestStoodStill proves that a process which stood still for longer than its lease does
// not believe that it has it, before any of its timers has gone off.
func TestStoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e elect.Elector
		e.HoldUntil(time.Now().Add(time.Second))
		if !e.Holds() {
			t.Error("it does not have the lease")
		}
		time.Sleep(time.Second)
		if e.Holds() {
			t.Error("its time is over, and it has the lease")
		}
	})
}
