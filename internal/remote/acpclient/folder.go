package acpclient

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/remote/stdio"
)

// forgottenAfter is how long work keeps its place in the queue without asking again.
const forgottenAfter = 30 * time.Second

// Busy is the error for work that cannot start, because other work is running in the
// folder or is next in the queue.
type Busy struct {
	Agent core.AgentName // the agent working on another task; empty: none
	Since time.Time
}

func (b *Busy) Error() string { return "the folder is busy" }

type name struct {
	path   string
	agents []Agent

	mu     sync.Mutex
	folder *folder         // nil: the folder did not exist yet
	held   context.Context // ends with this worker's lease; nil: it never had the lease
}

func (n *name) setHeld(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = ctx
}

// A folder runs one program at a time, at the worker that has the lease. Names that link
// to the same folder share it.
type folder struct {
	path string // the real path

	mu     sync.Mutex
	names  []*name
	joined chan struct{} // closed when a name is added
	inside *visit        // nil: no program is running
	line   []waiter      // the queue, in order
}

type visit struct {
	as   *name
	by   core.AgentName
	task core.TaskID
	from time.Time
	left chan struct{} // closed when the visit ends
}

type waiter struct {
	task  core.TaskID
	agent core.AgentName
	asked time.Time // last
}

func (f *folder) mark() string { return stdio.MarkOf("coding:" + f.path) }

func (f *folder) join(n *name) {
	n.mu.Lock()
	n.folder = f
	n.mu.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = append(f.names, n)
	close(f.joined)
	f.joined = make(chan struct{})
}

func (f *folder) known() ([]*name, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.names), f.joined
}

func (f *folder) awaitLeft(n *name) {
	f.mu.Lock()
	v := f.inside
	f.mu.Unlock()
	if v != nil && v.as == n {
		<-v.left
	}
}

// enter returns [*Busy] if other work is running or is next. The returned context also
// ends with the lease.
func (n *name) enter(ctx context.Context, agent core.AgentName, task core.TaskID) (inside context.Context, f *folder, leave func(), err error) {
	n.mu.Lock()
	f, held := n.folder, n.held
	n.mu.Unlock()
	if f == nil || held == nil {
		return nil, nil, nil, ErrAway
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if held.Err() != nil {
		return nil, nil, nil, ErrAway
	}
	if err := f.next(task, agent); err != nil {
		return nil, nil, nil, err
	}
	v := &visit{as: n, by: agent, task: task, from: time.Now(), left: make(chan struct{})}
	f.inside = v
	inside, end := context.WithCancelCause(ctx)
	stop := context.AfterFunc(held, func() {
		if errors.Is(context.Cause(held), errEnding) {
			end(errEnding)
		} else {
			end(ErrAway)
		}
	})
	return inside, f, func() {
		stop()
		end(nil)
		f.mu.Lock()
		f.inside = nil
		f.mu.Unlock()
		close(v.left)
	}, nil
}

// next removes the work from the queue if it is its turn, and adds it otherwise. f.mu is held.
func (f *folder) next(task core.TaskID, agent core.AgentName) error {
	now := time.Now()
	f.line = slices.DeleteFunc(f.line, func(w waiter) bool { return w.task != task && now.Sub(w.asked) > forgottenAfter })
	i := slices.IndexFunc(f.line, func(w waiter) bool { return w.task == task && w.agent == agent })
	if i < 0 {
		i = len(f.line)
		f.line = append(f.line, waiter{task: task, agent: agent})
	}
	f.line[i].asked = now
	switch {
	case f.inside != nil && f.inside.task != task:
		return &Busy{Agent: f.inside.by, Since: f.inside.from}
	case f.inside != nil, i > 0: // an earlier attempt is still ending, or other work is first
		return &Busy{Since: now}
	}
	f.line = f.line[1:]
	return nil
}

// lost reports whether another worker has the folder and may already work there.
func lost(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, ErrAway) && !errors.Is(cause, errEnding)
}
