package code

import (
	"context"
	"errors"
	"time"

	"errand/internal/tools"
)

// maxAtOnce is small because each program may use all the memory and files that it is allowed.
const maxAtOnce = 2

// waits is high enough that all 32 calls of a step can run for their full time.
const waits = 20

func runs(o Options) time.Duration { return start + o.Timeout + finish + time.Minute }

var (
	errNoPlace = errors.New("other programs had all places meanwhile; try again later")
	errOverrun = errors.New("what runs programs did not end in its time")
)

type places chan struct{}

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
