package channels_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// promised is how long it may take until another worker holds a connection whose
// owner was killed.
const promised = 15 * time.Second

// lost is how long it may take until Temporal has another worker ask for it;
// package workflows proves that it does not take longer.
const lost = 12 * time.Second

// TestTakeover proves that the connection of a worker that was killed is another's
// within 15 seconds, by the lease and looks at it alone: whenever it was killed
// after it had renewed the lease, and whether the other was waiting or is sent for.
func TestTakeover(t *testing.T) {
	comings := []time.Duration{lost}
	for c := -6 * time.Second; c <= 0; c += 500 * time.Millisecond {
		comings = append(comings, c)
	}
	for after := time.Duration(0); after <= 2*time.Second; after += time.Second {
		for _, comes := range comings {
			t.Run(fmt.Sprint("killed ", after, " after a renewal, the other comes ", comes, " after that"), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { takeOver(t, 9*time.Second+after+time.Millisecond, comes) })
			})
		}
	}
}

// takeOver has a worker killed when it has held the connection for so long. What
// is waited for takes no time but that of the bubble.
func takeOver(t *testing.T, holds, comes time.Duration) {
	l, s := newLine(t), openStore(t)
	a := &cutOff{Leases: s, hang: make(chan struct{})}
	hold(t, options(l, a, "a"))
	t.Cleanup(func() { close(a.hang) }) // before the holder is waited for
	hears(t, l.came, "a")
	time.Sleep(holds + min(comes, 0))
	if comes < 0 {
		hold(t, options(l, s, "b"))
		time.Sleep(-comes)
	}
	killed := time.Now()
	a.off.Store(true)
	if comes >= 0 {
		time.Sleep(comes)
		hold(t, options(l, s, "b"))
	}
	hears(t, l.came, "b")
	if took := time.Since(killed); took > promised {
		t.Errorf("it took over after %s", took)
	}
}
