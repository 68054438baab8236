package code

import (
	"context"
	"errors"
	"time"

	"errand/internal/tools"
)

// maxAtOnce is how many programs a worker runs at once: each may use its whole memory and files,
// and a model may ask for many in one step.
const maxAtOnce = 2

// waits is how many times a program's time a call waits for a place: a little longer than the 32
// calls of a step take that all run to their limit.
const waits = 20

// runs is how long a call may take once it has a place.
func runs(o Options) time.Duration { return start + o.Timeout + finish + time.Minute }

var (
	errNoPlace = errors.New("other programs had all places meanwhile; try again later")
	errOverrun = errors.New("what runs programs did not end in its time")
)

// places are for programs that run.
type places chan struct{}

// take waits for a place, and shows the person that it does.
func (p places) take(ctx context.Context, longest time.Duration) (leave func(), err error) {
	leave = func() { <-p }
	select {
	case p <- struct{}{}:
		return leave, nil
	default:
	}
	show := tools.Progress(ctx)
	show("doing.code_waits")
	ctx, cancel := context.WithTimeoutCause(ctx, longest, errNoPlace)
	defer cancel()
	select {
	case p <- struct{}{}:
		show("doing.code")
		return leave, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
