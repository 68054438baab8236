package acpclient

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"errand"
	"errand/internal/stdio"
)

// forgottenAfter is how long after it has asked last a piece of work keeps its place among those
// that wait for a folder.
const forgottenAfter = 30 * time.Second

// A Busy is the error of work that was not begun: another piece of work is under way in
// the folder, or is to be next there.
type Busy struct {
	Agent errand.AgentName // that works there on another task; empty: none does
	Since time.Time
}

func (b *Busy) Error() string { return "the folder is busy" }

// A name is a path by which errand.yaml calls a folder.
type name struct {
	path   string
	agents []Agent

	mu     sync.Mutex
	folder *folder         // nil: it was not there yet
	held   context.Context // while this worker takes the work of its agents; nil: it never has
}

func (n *name) setHeld(ctx context.Context) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = ctx
}

// A folder is worked in by one program at a time, of the one worker that has its lease. Two
// names that lead to one folder by links are of one.
type folder struct {
	path string // its own, without links

	mu     sync.Mutex
	names  []*name
	joined chan struct{} // closed when it has another name
	inside *visit        // nil: nobody works in it
	line   []waiter      // who is to be next, the first first
}

// A visit is a piece of work in a folder.
type visit struct {
	as   *name
	by   errand.AgentName
	task errand.TaskID
	from time.Time
	left chan struct{} // closed at its end
}

// A waiter is a piece of work that has found the folder busy.
type waiter struct {
	task  errand.TaskID
	agent errand.AgentName
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

// awaitLeft waits until nobody works in the folder by a name.
func (f *folder) awaitLeft(n *name) {
	f.mu.Lock()
	v := f.inside
	f.mu.Unlock()
	if v != nil && v.as == n {
		<-v.left
	}
}

// enter begins a piece of work in the folder of a name; where another is under way it fails with
// a [*Busy], and is to be tried again soon. The context that it returns ends with ctx, and
// with the lease; leave has the next one in.
func (n *name) enter(ctx context.Context, agent errand.AgentName, task errand.TaskID) (inside context.Context, f *folder, leave func(), err error) {
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

// next takes a piece of work out of the line where it is its turn, and else has it wait in it. Whoever
// holds f.mu calls it.
func (f *folder) next(task errand.TaskID, agent errand.AgentName) error {
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
	case f.inside != nil, i > 0: // its last attempt is ending, or it is not its turn
		return &Busy{Since: now}
	}
	f.line = f.line[1:]
	return nil
}

// lost reports whether a context has ended because another worker has the folder: it may
// begin there at any moment.
func lost(ctx context.Context) bool {
	cause := context.Cause(ctx)
	return errors.Is(cause, ErrAway) && !errors.Is(cause, errEnding)
}
