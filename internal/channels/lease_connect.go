package channels

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand/internal/recovered"
	"errand/internal/store"
)

// reconnect connects, again and again, until ctx ends.
func (h *LeaseRunner) reconnect(ctx context.Context) {
	for failures := 0; ; failures++ {
		began := time.Now()
		err := h.connectOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > h.LongestPause {
			failures = 0
		}
		h.setStatus(Status{State: Degraded, Detail: err.Error(), Since: time.Now()})
		h.Logger.Error("the connection ended by itself and is tried again", "error", err)
		if !Sleep(ctx, h.pause(failures)) {
			return
		}
	}
}

// pause is how long to wait after so many failures in a row.
func (h *LeaseRunner) pause(failures int) time.Duration {
	return Backoff{First: h.Pause, Longest: h.LongestPause}.After(failures)
}

// connectOnce runs one connection. That it panics must not end whatever else the process
// does.
func (h *LeaseRunner) connectOnce(ctx context.Context) (err error) {
	defer recovered.Panic(h.Logger, "a connection", &err)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := h.Connect(func(s Status) {
		if ctx.Err() == nil { // the last word of one that is over is not how the next one is
			h.setStatus(s)
		}
	})
	if err != nil {
		return err
	}
	return cmp.Or(c.Run(ctx), errors.New("it ended without a reason"))
}

// report keeps the status in the store; false if that is to be tried again.
func (h *LeaseRunner) report(ctx context.Context) (Status, bool) {
	h.mu.Lock()
	s := h.status
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, h.Renew)
	defer cancel()
	_, err := h.Leases.NoteConnection(ctx, h.Account, h.Owner, store.ConnectionNote{
		State: s.State, Detail: s.Detail, Advice: s.Advice, Link: s.Link, Since: s.Since, Handles: s.Handles})
	return s, err == nil
}

// setStatus notes a status. It does not block.
func (h *LeaseRunner) setStatus(s Status) {
	h.mu.Lock()
	h.status = s
	h.mu.Unlock()
	signal(h.changes)
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default: // it will be seen with what is waiting
	}
}

// notifyConnected calls OnConnected each time the connection has come up.
func (h *LeaseRunner) notifyConnected(ctx context.Context, up chan struct{}) {
	failures := 0
	for h.OnConnected != nil {
		select {
		case <-ctx.Done():
			return
		case <-up:
		}
		err := h.OnConnected(ctx)
		if err == nil || ctx.Err() != nil {
			failures = 0
			if !Sleep(ctx, h.Renew) {
				return
			}
			continue
		}
		h.Logger.Warn("what was open when the connection came up is not looked after; trying again", "error", err)
		if !Sleep(ctx, h.pause(failures)) {
			return
		}
		failures++
		signal(up)
	}
}
