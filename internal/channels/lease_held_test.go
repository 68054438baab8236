package channels_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"errand"
	"errand/internal/channels"
)

// A takenLeases are another's, from when they are taken.
type takenLeases struct {
	cutOff
	taken atomic.Bool
}

func (l *takenLeases) Lease(ctx context.Context, a errand.Account, owner string, ttl time.Duration) (bool, error) {
	if l.taken.Load() {
		return false, nil
	}
	return l.cutOff.Lease(ctx, a, owner, ttl)
}

// TestWhileHeld proves that what only the worker may do that holds an account is done
// by it alone, and not a moment longer than the account is its own: whether it ends,
// the lease is taken from it, or it is cut off from the store. What it is at may take a
// while to end, and nothing new is begun meanwhile.
func TestWhileHeld(t *testing.T) {
	for _, name := range []string{"it ends", "the lease is taken", "it is cut off"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const ending = 3 * time.Second
				l, s := newLine(t), openStore(t)
				leases := &takenLeases{cutOff: cutOff{Leases: s}}
				o := quick(l, leases, "a")
				var h *channels.LeaseRunner
				var err error
				began, ended, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
				o.WhileHeld = func(ctx context.Context) {
					if !h.Holds() {
						t.Error("it begins before the account is held")
					}
					close(began)
					<-ctx.Done()
					close(ended)
					time.Sleep(ending)
					close(over)
				}
				h, err = channels.NewLeaseRunner(o)
				if err != nil {
					t.Fatal(err)
				}
				if h.Holds() {
					t.Error("it is held before anybody asks for it")
				}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				go h.Run(ctx)
				<-began
				hears(t, l.came, "a")
				if !h.Holds() || !h.Connected() {
					t.Errorf("held %v, connected %v", h.Holds(), h.Connected())
				}
				time.Sleep(10 * o.Patience)
				if !h.Holds() {
					t.Error("renewed, it is not held")
				}
				switch name {
				case "it ends":
					stop()
				case "the lease is taken":
					leases.taken.Store(true)
				case "it is cut off":
					leases.off.Store(true)
				}
				<-ended
				synctest.Wait()
				if h.Holds() || h.Connected() {
					t.Errorf("while it comes down: held %v, connected %v", h.Holds(), h.Connected())
				}
				if held, err := s.Lease(t.Context(), account, "c", time.Second); name == "it ends" && (err != nil || held) {
					t.Errorf("it is another's before it is down: %v, %v", held, err)
				}
				<-over
			})
		})
	}
}

// TestStoodStill proves that a worker which stood still for longer than its lease does
// not believe that it has it, before any of its timers has gone off.
func TestStoodStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, err := channels.NewLeaseRunner(quick(newLine(t), openStore(t), "a"))
		if err != nil {
			t.Fatal(err)
		}
		channels.SetUntil(h, time.Now().Add(time.Second))
		if !h.Holds() {
			t.Error("it is not held")
		}
		time.Sleep(time.Second)
		if h.Holds() {
			t.Error("its time is over, and it is held")
		}
	})
}
