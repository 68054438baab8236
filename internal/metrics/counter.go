// Package metrics counts what happens, for Prometheus.
package metrics

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
)

// A Counter counts events by labels, from the start of the process. A nil one
// counts nothing. It is safe for concurrent use.
type Counter struct {
	name   string
	labels []string

	mu     sync.Mutex
	counts map[string]int64 // by the labels as they are written
}

// NewCounter returns a counter with these labels. What they say must come from a
// small set: each combination is a series of its own.
func NewCounter(name string, labels ...string) *Counter {
	return &Counter{name: name, labels: labels, counts: map[string]int64{}}
}

// Add counts an event; values are those of the labels, in their order.
func (c *Counter) Add(values ...string) {
	if c == nil {
		return
	}
	pairs := make([]string, len(c.labels))
	for i, label := range c.labels {
		value := ""
		if i < len(values) {
			value = values[i]
		}
		pairs[i] = fmt.Sprintf("%s=%q", label, value)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[strings.Join(pairs, ",")]++
}

// Write writes the counter in the text format of Prometheus; nothing while it has
// counted nothing.
func (c *Counter) Write(w io.Writer) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	counts := maps.Clone(c.counts)
	c.mu.Unlock()
	if len(counts) == 0 {
		return nil
	}
	if _, err := fmt.Fprintf(w, "# TYPE %s counter\n", c.name); err != nil {
		return err
	}
	for _, labels := range slices.Sorted(maps.Keys(counts)) {
		if _, err := fmt.Fprintf(w, "%s{%s} %d\n", c.name, labels, counts[labels]); err != nil {
			return err
		}
	}
	return nil
}
