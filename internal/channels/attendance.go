package channels

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"
)

// ErrClosed means that the Attendance has been closed.
var ErrClosed = errors.New("the worker is ending")

// An Attendance holds a connection while at least one caller attends, such as an activity. Temporal
// may give up an attendant although all is well, because its heartbeat was late. The connection
// then stays up, and the next attendant takes it over.
type Attendance struct {
	Run func(context.Context) // [LeaseRunner.Run]
	// IsMissing reports whether the end of an attendant's context means that Temporal lost
	// contact with the attendant, not that the connection should end.
	IsMissing func(cause error) bool
	// IsWanted reports whether a new attendant is expected. It is called at intervals of Every
	// while the connection has none.
	IsWanted func(context.Context) bool
	Every    time.Duration // default 15 s

	mu        sync.Mutex
	attending int
	closed    bool
	cancel    context.CancelFunc
	ended     chan struct{} // closed when the connection has ended; nil: no connection
}

// Attend holds the connection until ctx ends.
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

// detach disconnects after the last attendant, unless Temporal only lost contact with it.
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

// disconnect requires that the caller holds mu, so that no new attendant arrives meanwhile.
func (k *Attendance) disconnect() {
	if k.ended == nil {
		return
	}
	k.cancel()
	<-k.ended
	k.cancel, k.ended = nil, nil
}

// awaitAttendant returns when a new attendant has arrived. It disconnects if none is expected.
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

// Close disconnects. Attend then returns ErrClosed.
func (k *Attendance) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.disconnect()
}
