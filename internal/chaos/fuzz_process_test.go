package chaos

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

type atomicCounter struct{ n atomic.Int64 }

func (c *atomicCounter) next() int64 { return c.n.Add(1) }

// A fuzzLog says what was done when, for whoever reads a failure.
type fuzzLog struct {
	start time.Time
	mu    sync.Mutex
	lines []string
}

func (l *fuzzLog) add(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, fmt.Sprintf("%6.1fs ", time.Since(l.start).Seconds())+fmt.Sprintf(format, args...))
}

func (l *fuzzLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, "\n")
}

// A supervised process is started again when it ends, as an init system does:
// errand ends when its database is away at its start.
type supervised struct {
	f    *fuzz
	name string
	env  []string

	mu   sync.Mutex
	now  *process
	logs []*process
	up   bool // it is to run
}

func (f *fuzz) supervise(name string, env ...string) *supervised {
	s := &supervised{f: f, name: name, env: env}
	s.start()
	return s
}

func (s *supervised) start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up = true
	s.spawn()
}

func (s *supervised) spawn() {
	p := spawn(s.f.t, s.env...)
	s.now, s.logs = p, append(s.logs, p)
	go func() {
		<-p.done
		time.Sleep(300 * time.Millisecond) // not as fast as it can: it may end at once
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.up && s.now == p && s.f.t.Context().Err() == nil {
			s.f.log.add("%s has ended, and is started again", s.name)
			s.spawn()
		}
	}()
}

// kill ends it with SIGKILL; it is not started again before start.
func (s *supervised) kill() {
	s.mu.Lock()
	s.up = false
	p := s.now
	s.mu.Unlock()
	p.kill()
}

func (s *supervised) signal(sig syscall.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now.cmd.Process.Signal(sig)
}

// text is all that its processes have logged.
func (s *supervised) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all strings.Builder
	for _, p := range s.logs {
		all.WriteString(p.log.String())
	}
	return all.String()
}
