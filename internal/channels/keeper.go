package channels

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrOver says that a keeper has been closed.
var ErrOver = errors.New("the worker is ending")

// A Keeper has a connection held for those who attend to it. Whoever attends may
// go missing while all is well, because Temporal did not hear from them in time:
// the connection goes on, and the next one finds it as it is.
type Keeper struct {
	Hold func(context.Context) error // [Holder.Hold]
	// Missing reports whether the end of an attendant's context means that it has
	// been given up for lost, rather than that the connection is to end.
	Missing func(cause error) bool
	// Wanted reports whether somebody is to come for a connection that nobody
	// attends to; asked every so often.
	Wanted func(context.Context) bool
	Every  time.Duration // default 15 s

	mu        sync.Mutex
	attending int
	closed    bool
	cancel    context.CancelFunc
	ended     chan struct{} // of what is being held; nil: nothing is
}

// Attend has the connection held until ctx ends.
func (k *Keeper) Attend(ctx context.Context) error {
	ended, err := k.come()
	if err != nil {
		return err
	}
	select {
	case <-ended:
		k.leave(nil)
		return ErrOver
	case <-ctx.Done():
		k.leave(context.Cause(ctx))
		return ctx.Err()
	}
}

func (k *Keeper) come() (<-chan struct{}, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, ErrOver
	}
	k.attending++
	if k.ended == nil {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		k.cancel, k.ended = cancel, ended
		go func() {
			defer close(ended)
			_ = k.Hold(ctx) // nothing but that it was canceled
		}()
	}
	return k.ended, nil
}

// leave ends the connection with its last attendant, unless that one is only
// missing.
func (k *Keeper) leave(cause error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.attending--; k.attending > 0 || k.ended == nil {
		return
	}
	if cause != nil && k.Missing(cause) && !k.closed {
		go k.wait(k.ended)
		return
	}
	k.end()
}

// end disconnects. It is called with mu held, so that nobody comes meanwhile.
func (k *Keeper) end() {
	if k.ended == nil {
		return
	}
	k.cancel()
	<-k.ended
	k.cancel, k.ended = nil, nil
}

// wait waits for somebody to attend, or for nobody to be wanted to.
func (k *Keeper) wait(held <-chan struct{}) {
	every := k.Every
	if every == 0 {
		every = 15 * time.Second
	}
	tick := time.NewTicker(every)
	defer tick.Stop()
	for range tick.C {
		if k.attended(held) {
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), every)
		wanted := k.Wanted(ctx)
		cancel()
		if wanted {
			continue
		}
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.attending == 0 && k.ended == held {
			k.end()
		}
		return
	}
}

func (k *Keeper) attended(held <-chan struct{}) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.attending > 0 || k.ended != held
}

// Close disconnects, and lets nobody attend any more.
func (k *Keeper) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.end()
}
