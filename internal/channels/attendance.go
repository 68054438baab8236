package channels

import (
	"context"
	"errors"
	"sync"
)

// ErrClosed means that the Attendance has been closed.
var ErrClosed = errors.New("the worker is ending")

// An Attendance holds a connection while at least one caller attends, such as an activity. A new
// attendant may arrive before the one that it replaces has left.
type Attendance struct {
	Run func(context.Context) // [LeaseRunner.Run]

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
		k.detach()
		return ErrClosed
	case <-ctx.Done():
		k.detach()
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

// detach disconnects after the last attendant.
func (k *Attendance) detach() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.attending--; k.attending == 0 {
		k.disconnect()
	}
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

// Close disconnects. Attend then returns ErrClosed.
func (k *Attendance) Close() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.closed = true
	k.disconnect()
}
