package channels

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed says that an attendance has been closed.
var ErrClosed = errors.New("the worker is ending")

// An Attendance has a connection held for those who attend to it. Whoever attends may
// go missing while all is well, because Temporal did not hear from them in time:
// the connection goes on, and the next one finds it as it is.
type Attendance struct {
	Run func(context.Context) // [LeaseRunner.Run]
	// IsMissing reports whether the end of an attendant's context means that it has
	// been given up for lost, rather than that the connection is to end.
	IsMissing func(cause error) bool
	// IsWanted reports whether somebody is to come for a connection that nobody
	// attends to; asked every so often.
	IsWanted func(context.Context) bool
	Every    time.Duration // default 15 s

	mu        sync.Mutex
	attending int
	closed    bool
	cancel    context.CancelFunc
	ended     chan struct{} // of what is being held; nil: nothing is
}

// Attend has the connection held until ctx ends.
func (k *Attendance) Attend(ctx context.Context) error {
	ended, err := k.attach()
	if err != nil {
		return err
	}
	select {
	case <-ended:
		k.detach(nil)
		return ErrClosed
	case <-ctx.Done():
		k.detach(context.Cause(ctx))
		return ctx.Err()
	}
}

func (k *Attendance) attach() (<-chan struct{}, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.closed {
		return nil, ErrClosed
	}
	k.attending++
	if k.ended == nil {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan struct{})
		k.cancel, k.ended = cancel, ended
		go func() {
			defer close(ended)
			k.Run(ctx)
		}()
	}
	return k.ended, nil
}

// detach ends the connection with its last attendant, unless that one is only
// missing.
func (k *Attendance) detach(cause error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.attending--; k.attending > 0 || k.ended == nil {
		return
	}
	if cause != nil && k.IsMissing(cause) && !k.closed {
		go k.awaitAttendant(k.ended)
		return
	}
	k.disconnect()
}

// disconnect ends what is held. It is called with mu held, so that nobody comes meanwhile.
func (k *Attendance) disconnect() {
	if k.ended == nil {
		return
	}
	k.cancel()
	<-k.ended
	k.cancel, k.ended = nil, nil
}

// awaitAttendant disconnects when no attendant has come and none is wanted any more.
func (k *Attendance) awaitAttendant(held <-chan struct{}) {
	every := cmp.Or(k.Every, 15*time.Second)
	for over := false; !over; {
		time.Sleep(every)
		ctx, cancel := context.WithTimeout(context.Background(), every)
		wanted := k.IsWanted(ctx)
		cancel()
		k.mu.Lock()
		attended := k.attending > 0 || k.ended != held
		if !attended && !wanted {
			k.disconnect()
		}
		k.mu.Unlock()
		over = attended || !wanted
	}
}

// Close disconnects, and lets nobody attend any more.
func (k *Attendance) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.disconnect()
}
