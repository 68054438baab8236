package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"errand/internal/core"
)

// untilEnd returns a context that also ends when the server stops.
func (s *Server) untilEnd(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ending, cancel) // needs no goroutine, because there may be a thousand requests
	return ctx, func() {
		stop()
		cancel()
	}
}

// A stream writes server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type stream struct {
	w http.ResponseWriter
	c *http.ResponseController

	// The last turn whose end was sent. Its passing events may arrive late, because they do not
	// come through the log.
	session core.SessionID
	turn    int
}

func newStream(w http.ResponseWriter) *stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	out := &stream{w: w, c: http.NewResponseController(w)}
	if err := out.c.Flush(); err != nil {
		return out // the next send returns the error
	}
	return out
}

// over reports whether e is a passing event of a turn whose end was sent.
func (o *stream) over(e core.Event) bool {
	if e.Turn == 0 || e.Task != "" {
		return false
	}
	if e.ID == 0 {
		return e.Session == o.session && e.Turn <= o.turn
	}
	o.session, o.turn = e.Session, e.Turn
	return false
}

// send writes one event. A durable event has its id, for the header Last-Event-ID.
func (o *stream) send(e core.Event) error {
	if o.over(e) {
		return nil
	}
	if e.ID > 0 {
		if _, err := fmt.Fprintf(o.w, "id: %d\n", e.ID); err != nil {
			return err
		}
	}
	return o.data(e)
}

func (o *stream) data(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
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
