package app

import (
	"context"
	"sync"
)

// A lifecycle has the running parts of an installation and stops them.
type lifecycle struct {
	stops   []func(context.Context) // in order of start
	failed  chan error
	serving sync.WaitGroup
}

// Wait blocks until ctx is done or a part of the installation has failed.
func (l *lifecycle) Wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case err := <-l.failed:
		return err
	}
}

// Stop stops all parts in reverse order of their start.
func (l *lifecycle) Stop(ctx context.Context) {
	for i := len(l.stops) - 1; i >= 0; i-- {
		l.stops[i](ctx)
	}
	l.stops = nil
	l.serving.Wait()
}

func (l *lifecycle) stopWith(f func(context.Context)) { l.stops = append(l.stops, f) }

func (l *lifecycle) runUntilStop(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	l.serving.Go(func() {
		defer close(ended)
		run(ctx)
	})
	l.stopWith(func(context.Context) {
		cancel()
		<-ended
	})
}

func (l *lifecycle) fail(err error) {
	select {
	case l.failed <- err:
	default:
	}
}
