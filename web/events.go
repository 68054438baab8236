package web

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"errand"
	"errand/gateway"
)

// history is how many events a client that comes without an id is sent, and how
// many are read at once.
const history = 200

// beatEvery is how often a silent stream says that it is still there, so that
// nothing in between takes it for dead.
const beatEvery = 15 * time.Second

// getEvents streams the event log of a chat: from Last-Event-ID, or ?after=, or
// the latest.
func (s *Server) getEvents(w http.ResponseWriter, r *http.Request) error {
	_, key, err := s.where(r.PathValue("chat"))
	if err != nil {
		return err
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = r.URL.Query().Get("after")
	}
	last, err := strconv.ParseInt(after, 10, 64)
	if after != "" && (err != nil || last < 0) {
		return &gateway.Error{Status: http.StatusBadRequest, Code: "after", Message: "the id of an event is a number"}
	}
	ctx := r.Context()
	events, cancel := s.Backend.Subscribe(key)
	defer cancel()
	var batch []errand.Event
	if after == "" {
		batch, err = s.Backend.LastEvents(ctx, key, history)
	} else {
		batch, err = s.Backend.Events(ctx, key, last, history)
	}
	if err != nil {
		return err
	}
	out := newStream(w)
	poll := time.NewTicker(s.Poll)
	defer poll.Stop()
	alive := time.Now()
	for {
		for _, e := range batch {
			last = e.ID
			if err := out.send(e); err != nil {
				return nil // the client is gone
			}
		}
		if time.Since(alive) > beatEvery {
			alive = time.Now()
			if err := out.beat(); err != nil {
				return nil
			}
		}
		if len(batch) < history {
			if err := s.wait(ctx, events, poll, out.send); err != nil {
				return nil
			}
		}
		if batch, err = s.Backend.Events(ctx, key, last, history); err != nil {
			if ctx.Err() == nil {
				s.Logger.Warn("event log not read", "chat", r.PathValue("chat"), "error", err)
			}
			return nil
		}
	}
}

// A stream is an event stream in the making
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type stream struct {
	w http.ResponseWriter
	c *http.ResponseController
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := &stream{w, http.NewResponseController(w)}
	if err := out.c.Flush(); err != nil {
		return out // the next send says so
	}
	return out
}

// send writes one event. Durable ones carry their id, for Last-Event-ID.
func (o *stream) send(e errand.Event) error {
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
