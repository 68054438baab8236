// Package trytest types at the terminal of a simulated platform, for tests.
package trytest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/internal/sim/try"
)

// A Terminal is one that a test sits at.
type Terminal struct {
	t    testing.TB
	keys *io.PipeWriter
	mu   sync.Mutex
	text bytes.Buffer
}

// Sit begins, and ends with the test.
func Sit(t testing.TB, p try.Platform) *Terminal {
	in, keys := io.Pipe()
	s := &Terminal{t: t, keys: keys}
	ended := make(chan error, 1)
	go func() { ended <- try.Run(context.WithoutCancel(t.Context()), p, in, s) }()
	t.Cleanup(func() {
		keys.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	s.Sees("Ctrl-D ends it")
	return s
}

// Write takes what is shown.
func (s *Terminal) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

// Types is a line being typed.
func (s *Terminal) Types(line string) {
	s.t.Helper()
	if _, err := fmt.Fprintln(s.keys, line); err != nil {
		s.t.Fatal(err)
	}
}

// Sees waits until something is there to be read.
func (s *Terminal) Sees(want string) {
	s.t.Helper()
	s.Wait("to read "+want, func() bool { return strings.Contains(s.String(), want) })
}

// Wait waits for what is brought about.
func (s *Terminal) Wait(what string, true func() bool) {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !true(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			s.t.Fatalf("waited in vain %s; there is\n%s", what, s)
		}
	}
}

func (s *Terminal) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
