package clitest

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Output is a writer that a test can wait on.
type Output struct {
	mu   sync.Mutex
	text strings.Builder
	news chan struct{}
}

func NewOutput() *Output { return &Output{news: make(chan struct{}, 1)} }

func (p *Output) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Write(b)
	select {
	case p.news <- struct{}{}:
	default:
	}
	return len(b), nil
}

func (p *Output) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// Await waits until want has been written, after the first from bytes, and
// returns where it ends.
func (p *Output) Await(t *testing.T, from int, want string) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		if i := strings.Index(p.String()[from:], want); i >= 0 {
			return from + i + len(want)
		}
		select {
		case <-p.news:
		case <-ctx.Done():
			t.Fatalf("never written: %q; there is %q", want, p.String()[from:])
		}
	}
}
