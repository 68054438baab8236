package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// What comes to rest gives its memory back: Go keeps what a burst needed, for the next
// one, and takes minutes to return a part of it; and the pages of the program that only
// its start needed would stay mapped.
const (
	memoryLook = 10 * time.Second
	restful    = 20 << 20 // bytes allocated between two looks by an installation at rest, at most
	worthwhile = 64 << 20 // bytes allocated at work since memory was last returned, at least
)

// A memory decides when to return memory to the system.
type memory struct {
	allocated func() uint64 // bytes, ever
	free      func()

	last uint64 // allocated at the last look
	work uint64 // allocated at work since memory was last returned
}

func (m *memory) check() {
	now := m.allocated()
	if since := now - m.last; since > restful {
		m.work += since
	} else if m.work >= worthwhile {
		m.free()
		m.work = 0
	}
	m.last = now
}

func (a *App) returnMemory() {
	ctx, cancel := context.WithCancel(context.Background())
	a.stopWith(func(context.Context) { cancel() })
	a.serving.Go(func() {
		m := memory{allocated: allocatedBytes, free: func() { debug.FreeOSMemory(); unmapProgram() }}
		tick := time.NewTicker(memoryLook)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				m.check()
			}
		}
	})
}

func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
