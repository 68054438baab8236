package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"errand"
	"errand/internal/service"
)

// history is how many events a client that comes without an id is sent.
const history = 200

type eventsIn struct {
	inChat
	LastEventID eventID         `header:"Last-Event-ID" minimum:"0" maximum:"9007199254740991" description:"id of the last event that was seen; before after"`
	After       eventID         `query:"after" minimum:"0" maximum:"9007199254740991" description:"id of the last event that was seen"`
	Before      eventID         `query:"before" minimum:"0" maximum:"9007199254740991" description:"instead of the stream: the latest events before the one with this id, as a JSON list, oldest first"`
	Limit       int             `query:"limit" default:"200" maximum:"1000" description:"of the list: at most so many, 200 by default"`
	Person      errand.PersonID `query:"person" description:"whose chat, for a partner or master_admin"`
}

// An eventID is the number of an event as a request has it; empty: none.
type eventID string

// getEvents streams the event log of a chat: from Last-Event-ID, or ?after=, or
// the latest. With ?before= it answers with what came before, as a list.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request, in eventsIn) error {
	by := actor(r)
	key, err := keyOf(in.Chat, cmp.Or(in.Person, by.Person))
	if err != nil {
		return err
	}
	after := cmp.Or(in.LastEventID, in.After)
	last, err := strconv.ParseInt(string(after), 10, 64)
	if after != "" && (err != nil || last < 0) {
		return badRequest("after", "the id of an event is a number")
	}
	if in.Before != "" {
		return s.earlier(w, r, key, in)
	}
	end, err := s.streams.begin(by.Person)
	if err != nil {
		return err
	}
	defer end()
	reading := service.Reading{After: last}
	if after == "" {
		reading.Last = history
	}
	ctx, cancel := s.untilEnd(r.Context())
	defer cancel()
	var out *stream
	alive, may := time.Now(), s.mayReadOn(r)
	reading.Before = func(events int) error {
		if out == nil {
			out = newStream(w)
		}
		if err := may(events); err != nil {
			return err
		}
		if time.Since(alive) > s.Beat {
			if alive = time.Now(); out.beat() != nil {
				return errGone
			}
		}
		return nil
	}
	err = s.Backend.Follow(ctx, by, key, reading, func(e errand.Event) error {
		if e.ID == 0 && may(1) != nil || out.send(e) != nil {
			return errGone
		}
		return nil
	})
	switch {
	case out == nil:
		return err
	case ctx.Err() == nil && !errors.Is(err, errGone):
		s.Logger.Warn("event log not read", "chat", in.Chat, "error", err)
	}
	return nil
}

// errGone ends a stream that nobody reads, or may read, any more.
var errGone = errors.New("nobody reads it any more")

// untilEnd is the context of what waits: it is done when the server ends, too.
func (s *Server) untilEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ending, cancel) // no goroutine: a thousand wait at once
	return ctx, func() {
		stop()
		cancel()
	}
}

// earlier answers with the events before ?before=, oldest first, and with none of
// them where the log begins there.
func (s *Server) earlier(w http.ResponseWriter, r *http.Request, key errand.SessionKey, in eventsIn) error {
	before, err := strconv.ParseInt(string(in.Before), 10, 64)
	if err != nil || before < 1 {
		return badRequest("before", "the id of an event is a number from 1")
	}
	events, err := s.Backend.EventsBefore(r.Context(), actor(r), key, before, in.Limit)
	if err != nil {
		return err
	}
	if events == nil {
		events = []errand.Event{}
	}
	return reply(w, http.StatusOK, events)
}

const stale = time.Second // until the rights of an open stream are checked again

// mayReadOn returns a check to call before events are sent, with how many they
// are: it asks at every beat, and for events once a second, whether whoever opened
// a stream may go on reading it. Streams outlive logins that are revoked and roles
// that are taken away; the next request says so. That it cannot be found out just
// now ends nothing.
func (s *Server) mayReadOn(r *http.Request) func(events int) error {
	checked := time.Now()
	return func(events int) error {
		since := time.Since(checked)
		if since <= s.Beat && (events == 0 || since <= stale) {
			return nil
		}
		checked = time.Now()
		now, err := s.identify(r)
		switch {
		case err != nil && statusOf(err) == 0:
			return nil
		case err != nil, now.Person != actor(r).Person, now.Role != actor(r).Role:
			return errGone
		}
		return nil
	}
}

// A stream is an event stream in the making
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type stream struct {
	w http.ResponseWriter
	c *http.ResponseController

	// The last turn whose end was sent: passing events of it may still be on
	// their way, for the log is read past them.
	session errand.SessionID
	turn    int
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := &stream{w: w, c: http.NewResponseController(w)}
	if err := out.c.Flush(); err != nil {
		return out // the next send says so
	}
	return out
}

// over reports whether e tells in passing of a turn whose end has been sent: it
// would look as if the turn went on.
func (o *stream) over(e errand.Event) bool {
	if e.Turn == 0 || e.Task != "" {
		return false
	}
	if e.ID == 0 {
		return e.Session == o.session && e.Turn <= o.turn
	}
	o.session, o.turn = e.Session, e.Turn
	return false
}

// send writes one event. Durable ones carry their id, for Last-Event-ID.
func (o *stream) send(e errand.Event) error {
	if o.over(e) {
		return nil
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if e.ID > 0 {
		if _, err := fmt.Fprintf(o.w, "id: %d\n", e.ID); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintf(o.w, "data: %s\n\n", raw); err != nil {
		return err
	}
	return o.c.Flush()
}

func (o *stream) beat() error {
	if _, err := fmt.Fprint(o.w, ": still here\n\n"); err != nil {
		return err
	}
	return o.c.Flush()
}
