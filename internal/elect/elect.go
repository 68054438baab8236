// Package elect has one process of an installation at a time do a piece of work.
//
// That process has a lease in the store. A process that cannot reach the store does not know
// whether another has taken over. So it measures its lease from before it asked the store, and
// stops the work after five sixths of the lease. The last sixth is for the work to finish. A
// process that ends releases its lease.
package elect

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"time"

	"errand/internal/core"
)

// Leases records which process has the lease of an account's connection or of a [store.Duty].
// [*store.Store] implements it. Calls return when their context ends.
type Leases interface {
	// Lease takes or extends a lease for owner. It returns how long the lease lasts: at most ttl,
	// and zero if another process has it.
	Lease(ctx context.Context, a core.Account, owner string, ttl time.Duration) (lasts time.Duration, err error)
	// ReleaseLease releases a lease of owner. It does nothing if owner does not have it.
	ReleaseLease(ctx context.Context, a core.Account, owner string) error
}

// An Elector does the work while its process has the lease.
type Elector struct {
	Leases  Leases
	Of      core.Account
	Owner   string // unique to the process
	Do      func(ctx context.Context)
	Logger  *slog.Logger
	TTL     time.Duration // of the lease; default 15 s
	Standby time.Duration // between attempts to take the lease; default TTL / 3
	// OnStandby, if set, is called after each failed attempt.
	OnStandby func()

	mu    sync.Mutex
	until time.Time // when the work has to stop
}

// Holds reports whether this process certainly has the lease. It compares times, because a process
// that was suspended for longer than its lease resumes before its timers fire.
func (e *Elector) Holds() bool { return e.left() > 0 }

func (e *Elector) left() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return time.Until(e.until)
}

func (e *Elector) setUntil(until time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.until = until
}

// Run competes for the lease until ctx ends. Whenever it has the lease, it calls Do with a context
// that ends with ctx or the lease. Run returns after Do has returned.
func (e *Elector) Run(ctx context.Context) {
	e.TTL = cmp.Or(e.TTL, 15*time.Second)
	e.Standby = cmp.Or(e.Standby, e.TTL/3)
	for failing := false; ctx.Err() == nil; {
		held, err := e.renew(ctx)
		if held {
			e.hold(ctx)
			continue
		}
		if err != nil && !failing && ctx.Err() == nil {
			e.Logger.Warn("a lease cannot be taken; trying again", "of", e.Of, "error", err)
		}
		failing = err != nil
		if e.OnStandby != nil {
			e.OnStandby()
		}
		sleep(ctx, e.Standby)
	}
}

func (e *Elector) renew(ctx context.Context) (held bool, err error) {
	asked := time.Now()
	ctx, cancel := context.WithTimeout(ctx, e.TTL)
	defer cancel()
	lasts, err := e.Leases.Lease(ctx, e.Of, e.Owner, e.TTL)
	if err != nil || lasts == 0 {
		return false, err
	}
	e.setUntil(asked.Add(lasts * 5 / 6))
	return e.Holds(), nil
}

func (e *Elector) hold(ctx context.Context) {
	working, stop := context.WithCancel(ctx)
	// A timer stops the work, because the store may not answer in time.
	expiry := time.AfterFunc(e.left(), stop)
	var work sync.WaitGroup
	work.Go(func() { e.Do(working) })
	err := e.keep(working, expiry)
	if ctx.Err() == nil {
		e.Logger.Warn("work stops: its lease is lost", "of", e.Of, "error", err)
	}
	e.setUntil(time.Time{}) // Do may take a while to end, and must begin nothing new
	expiry.Stop()
	stop()
	work.Wait()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second) // so that another process can take over at once
	defer cancel()
	if err := e.Leases.ReleaseLease(ctx, e.Of, e.Owner); err != nil {
		e.Logger.Warn("a lease is not given back; it ends by itself", "of", e.Of, "error", err)
	}
}

// keep renews the lease until another process has it or ctx ends. It returns the last error of the
// store.
func (e *Elector) keep(ctx context.Context, expiry *time.Timer) error {
	var failed error
	for every := e.left() / 3; sleep(ctx, every); {
		held, err := e.renew(ctx)
		switch {
		case held:
			every = e.left() / 3
			expiry.Reset(e.left())
		case err == nil:
			return nil
		}
		failed = err
	}
	return failed
}

func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
