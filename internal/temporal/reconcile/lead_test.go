package reconcile_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/internal/store"
	"errand/internal/temporal/reconcile"
)

// An office is a store with workers that reconcile it, each with a Temporal of its own,
// so that it can be told who did.
type office struct {
	*testing.T
	store   *store.Store
	at      map[string]*temporal
	stops   map[string]func()
	retired map[string]bool
}

var place = store.Place{Claim: "c", Address: "temporal:7233", Namespace: "errand"}

func newOffice(t *testing.T, workers ...string) *office {
	o := &office{t, open(t, 1, store.Options{}), map[string]*temporal{}, map[string]func(){}, map[string]bool{}}
	if _, err := o.store.RegisterWorker(t.Context(), store.Worker{ID: workers[0], Home: workers[0], TTL: time.Hour}, place, false); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // so that the task is older than what may be under way
	for _, id := range workers {
		o.arrive(id)
	}
	return o
}

func (o *office) arrive(id string) {
	o.Helper()
	if _, err := o.store.RenewWorker(o.Context(), store.Worker{ID: id, Home: id, TTL: time.Hour}, place); err != nil {
		o.Fatal(err)
	}
	o.at[id] = &temporal{status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, lists: true}
	ctx, cancel := context.WithCancel(o.Context())
	var run sync.WaitGroup
	run.Go(func() { reconciler(o.T, o.store, o.at[id], id).Run(ctx) })
	o.stops[id] = func() { cancel(); run.Wait() }
	synctest.Wait()
}

func (o *office) passes(id string) int64 { return o.at[id].listed.Swap(0) }

func (o *office) after(d time.Duration, a, b int64, what string) {
	o.Helper()
	time.Sleep(d)
	synctest.Wait()
	if gotA, gotB := o.passes("a"), o.passes("b"); gotA != a || gotB != b {
		o.Errorf("%s: a makes %d passes and b %d; want %d and %d", what, gotA, gotB, a, b)
	}
}

// TestOneWorkerReconciles proves that of several workers one makes the passes, another
// as soon as that one ends, and that a pass is made when a worker has come or gone.
func TestOneWorkerReconciles(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, "a", "b")
		o.after(time.Second, 2, 0, "at the start") // one of them because b has come
		o.after(10*time.Minute, 10, 0, "ten minutes later")
		o.stops["a"]()
		o.passes("a")
		o.after(5*time.Second, 0, 1, "when a has ended")
		o.arrive("a")
		o.after(10*time.Second, 0, 0, "a is back, and was there before") // as far as b can tell
		if err := o.store.DeregisterWorker(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		o.after(6*time.Second, 0, 1, "a is gone")
		o.stops["a"]()
		o.stops["b"]()
	})
}

// TestLostLease proves that a worker whose lease another has taken, as from one that
// was stopped for longer than it lasts, changes nothing any more.
func TestLostLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, "a")
		if _, err := o.store.RenewWorker(t.Context(), store.Worker{ID: "z", Home: "z", TTL: time.Hour}, place); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second) // a has seen that z is there
		synctest.Wait()
		o.passes("a")
		if err := o.store.ReleaseLease(t.Context(), store.Duty("reconcile"), "a"); err != nil {
			t.Fatal(err)
		}
		if lasts, err := o.store.Lease(t.Context(), store.Duty("reconcile"), "z", time.Hour); err != nil || lasts == 0 {
			t.Fatal(lasts, err)
		}
		time.Sleep(30 * time.Minute)
		synctest.Wait()
		if n := o.passes("a"); n > 0 {
			t.Errorf("it makes %d passes without the lease", n)
		}
		o.stops["a"]()
		if lasts, err := o.store.Lease(t.Context(), store.Duty("reconcile"), "z", time.Hour); err != nil || lasts == 0 {
			t.Errorf("the other has lost it: %v", err)
		}
	})
}

// TestNoLeaderThatIsGone proves that a worker which could not say that it lives for so
// long that it counts as gone changes nothing beside the one that took over, though its
// lease was renewed just before.
func TestNoLeaderThatIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, "a")
		time.Sleep(59*time.Second + 500*time.Millisecond) // it looks at its lease every 5 s, and makes a pass in a moment
		a := o.at["a"]
		a.status, a.takes = 0, 9*time.Second // Temporal knows nothing of the task, and takes its time to say so
		// It counts as gone 8 s from now on. Its lease is renewed for 15 s before that.
		if _, err := o.store.RenewWorker(t.Context(), store.Worker{ID: "a", Home: "a", TTL: 8 * time.Second}, place); err != nil {
			t.Fatal(err)
		}
		time.Sleep(8 * time.Second)
		o.arrive("b")
		time.Sleep(time.Second)
		synctest.Wait()
		if n := o.passes("b"); n != 1 {
			t.Errorf("b makes %d passes when a counts as gone, want 1", n)
		}
		time.Sleep(500 * time.Millisecond) // a has heard of the task's workflow
		synctest.Wait()
		if len(a.IDs) > 0 {
			t.Errorf("a starts %q, and b leads", a.IDs)
		}
		o.stops["a"]()
		o.stops["b"]()
	})
}

// TestStopsBeforeTheNextWrite proves that a pass changes nothing from the moment on in
// which another worker may have the lease.
func TestStopsBeforeTheNextWrite(t *testing.T) {
	s := open(t, 100, store.Options{})
	f := &temporal{} // every task is to be started
	leads := 10
	err := reconcile.OnceWhile(reconciler(t, s, f, "a"), t.Context(), time.Now().Add(time.Second), func() bool { leads--; return leads >= 0 })
	if err == nil || len(f.IDs) == 0 || len(f.IDs) >= 10 {
		t.Errorf("%d of 100 are started, %v", len(f.IDs), err)
	}
}

// TestExactPassAnHour proves that of the passes of an hour one asks Temporal for each
// workflow, though it lists it as running.
func TestExactPassAnHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, "a")
		defer o.stops["a"]()
		for _, part := range []struct {
			minutes   time.Duration
			described int64
		}{{58, 0}, {1, 1}} {
			time.Sleep(part.minutes * time.Minute)
			synctest.Wait()
			if n := o.at["a"].described.Swap(0); n != part.described {
				t.Errorf("in %d minutes %d workflows are described, want %d", part.minutes, n, part.described)
			}
		}
	})
}
