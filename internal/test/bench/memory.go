package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"time"

	"golang.org/x/sync/errgroup"
)

// crowded is in how many sessions there is a turn before the process is watched at rest.
const crowded = 1000

// memory watches the process fresh, and after a turn in each of a thousand sessions. The
// second turn of each is the dearest that there is: who wrote last time is the furthest
// back in every cache.
func (b *bench) memory(ctx context.Context) error {
	if err := rest(ctx, b.Options, "at rest, fresh"); err != nil {
		return err
	}
	if err := b.crowd(ctx); err != nil {
		return err
	}
	if err := b.turns(ctx, "a second turn"); err != nil {
		return err
	}
	return b.turns(ctx, "a third turn")
}

func (b *bench) crowd(ctx context.Context) error {
	if err := b.turns(ctx, "a first turn"); err != nil {
		return err
	}
	m, err := readMemory()
	if err != nil {
		return err
	}
	m.print(b.Options, fmt.Sprintf("right after %d sessions", crowded))
	return rest(ctx, b.Options, fmt.Sprintf("at rest, after %d sessions", crowded))
}

// turns has one turn in each of a thousand sessions, one after the other by as many
// senders as there are sessions at once elsewhere.
func (b *bench) turns(ctx context.Context, name string) error {
	before, err := processorTime()
	if err != nil {
		return err
	}
	begin := time.Now()
	var all errgroup.Group
	all.SetLimit(b.Sessions)
	for i := range crowded {
		all.Go(func() error { return send(ctx, b.app, fmt.Sprintf("crowd%d", i), "hello") })
	}
	if err := all.Wait(); err != nil {
		return err
	}
	took := time.Since(begin)
	after, err := processorTime()
	if err != nil {
		return err
	}
	fmt.Fprintf(b.Out, "\n%s in each of %d sessions, by %d at once: %s and %s of CPU each\n", name, crowded, b.Sessions,
		ms(took/crowded), ms((after-before)/crowded))
	return nil
}

// rest watches the process do nothing.
func rest(ctx context.Context, o Options, name string) error {
	settle := 25 * time.Second // late results are told, and memory is returned
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(settle):
	}
	before, err := processorTime()
	if err != nil {
		return err
	}
	begin := time.Now()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(o.Rest):
	}
	after, err := processorTime()
	if err != nil {
		return err
	}
	m, err := readMemory()
	if err != nil {
		return err
	}
	m.print(o, fmt.Sprintf("%s: %.1f %% of a core", name, 100*(after-before).Seconds()/time.Since(begin).Seconds()))
	return nil
}

// A memory is what the process takes, in bytes.
type memory struct {
	resident int64
	files    int64 // of it: pages of files, which the system takes back as it likes

	live, heap, free, stacks, other uint64 // Go's: see print
	goroutines                      int
}

// readMemory asks the system (proc(5): the second and third field of /proc/self/statm,
// in pages) and Go.
func readMemory() (memory, error) {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return memory{}, err
	}
	var m memory
	if _, err := fmt.Sscan(string(raw), new(int64), &m.resident, &m.files); err != nil {
		return memory{}, fmt.Errorf("read /proc/self/statm: %w", err)
	}
	page := int64(os.Getpagesize())
	m.resident, m.files, m.goroutines = m.resident*page, m.files*page, runtime.NumGoroutine()
	samples := make([]metrics.Sample, 0, 6)
	for _, name := range []string{"/gc/heap/live:bytes", "/memory/classes/heap/objects:bytes", "/memory/classes/heap/unused:bytes",
		"/memory/classes/heap/free:bytes", "/memory/classes/heap/stacks:bytes"} {
		samples = append(samples, metrics.Sample{Name: name})
	}
	metrics.Read(samples)
	m.live, m.heap = samples[0].Value.Uint64(), samples[1].Value.Uint64()+samples[2].Value.Uint64()
	m.free, m.stacks = samples[3].Value.Uint64(), samples[4].Value.Uint64()
	if known := m.heap + m.free + m.stacks; uint64(m.resident-m.files) > known {
		m.other = uint64(m.resident-m.files) - known
	}
	return m, nil
}

func (m memory) print(o Options, name string) {
	fmt.Fprintf(o.Out, "\n%s, %d MB, of it %d MB of the program's file\n", name, m.resident>>20, m.files>>20)
	fmt.Fprintf(o.Out, "  heap %d MB, of which the last collection left %d; free and not returned %d; stacks of %d goroutines %d; not Go's heap, SQLite's pages among it, %d\n",
		m.heap>>20, m.live>>20, m.free>>20, m.goroutines, m.stacks>>20, m.other>>20)
}
