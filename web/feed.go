package web

import (
	"context"
	"errors"
	"time"

	"errand"
)

// feedPage is how many events are read from the log at once.
const feedPage = 200

var errFeedEnded = errors.New("the events of this chat have ended here; connect again")

// A feed reads the events of one conversation: the durable ones from the log,
// in order and without gaps, and the passing ones as they fly by.
//
// What the hub says about durable events is only the sign to read the log. So
// it matters neither in which order it says so, nor whether it loses some.
type feed struct {
	backend Backend
	key     errand.SessionKey
	last    int64 // id of the last durable event that was returned
	unread  bool  // there may be durable events after last
	hub     <-chan errand.Event
	stop    func()
	ticker  *time.Ticker // nil: the log is read only when the hub says so
}

// follow begins a feed after the event with id after. It is subscribed when it
// returns: nothing that happens from then on is missed.
func (s *Server) follow(key errand.SessionKey, after int64) *feed {
	f := &feed{backend: s.Backend, key: key, last: after, unread: true}
	f.hub, f.stop = s.Backend.Subscribe(key)
	if s.Poll > 0 {
		f.ticker = time.NewTicker(s.Poll)
	}
	return f
}

func (f *feed) close() {
	f.stop()
	if f.ticker != nil {
		f.ticker.Stop()
	}
}

// read returns the durable events that are there; none is no error.
func (f *feed) read(ctx context.Context) ([]errand.Event, error) {
	events, err := f.backend.Events(ctx, f.key, f.last, feedPage)
	if err != nil {
		return nil, err
	}
	f.unread = len(events) == feedPage
	if n := len(events); n > 0 {
		f.last = events[n-1].ID
	}
	return events, nil
}

// next waits for the next events. It returns none when idle fires.
func (f *feed) next(ctx context.Context, idle <-chan time.Time) ([]errand.Event, error) {
	var tick <-chan time.Time
	if f.ticker != nil {
		tick = f.ticker.C
	}
	for {
		if f.unread {
			if events, err := f.read(ctx); err != nil || len(events) > 0 {
				return events, err
			}
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-idle:
			return nil, nil
		case <-tick:
			f.unread = true
		case e, ok := <-f.hub:
			switch {
			case !ok:
				return nil, errFeedEnded
			case e.ID > f.last || e.ID == 0 && !passing(e.Type):
				f.unread = true
			case e.ID == 0:
				return []errand.Event{e}, nil
			}
		}
	}
}

// passing reports whether events of type t may have no id.
func passing(t errand.EventType) bool {
	switch t {
	case errand.EventStep, errand.EventDelta, errand.EventReset, errand.EventNotice:
		return true
	}
	return false
}
