package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"errand"
)

// history is how many events a stream begins with.
const history = 200

// A stream writes server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html).
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Accel-Buffering", "no") // nginx would collect the events
	w.WriteHeader(http.StatusOK)
	return stream{w, http.NewResponseController(w)}
}

// send writes events. Durable ones have their id, so that whoever connects
// again can say where to go on.
func (s stream) send(events ...errand.Event) error {
	var b bytes.Buffer
	for _, e := range events {
		if e.ID != 0 {
			fmt.Fprintf(&b, "id: %d\n", e.ID)
		}
		data, err := json.Marshal(e)
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "data: %s\n\n", data)
	}
	return s.write(b.Bytes())
}

// say writes an event of the stream itself, which has a name.
func (s stream) say(name string) error {
	return s.write([]byte("event: " + name + "\ndata: {}\n\n"))
}

// beat writes a comment, which keeps the connection open and shows whether it is.
func (s stream) beat() error { return s.write([]byte(": alive\n\n")) }

// write gives a client that does not read some seconds. It is then cut off and
// may connect again.
func (s stream) write(b []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(15 * time.Second)) // recorders in tests have none
	if _, err := s.w.Write(b); err != nil {
		return err
	}
	if err := s.control.Flush(); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	return nil
}

// streamEvents serves the events of a chat: those after the one that the client
// has seen last, or the latest ones; then "caught-up"; then what happens.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request) error {
	key, err := s.Backend.Key(r.Context(), r.PathValue("chat"))
	if err != nil {
		return err
	}
	after, resumed, err := lastSeen(r)
	if err != nil {
		return err
	}
	ctx, cancel := s.untilClosing(r)
	defer cancel()
	feed := s.follow(key, after)
	defer feed.close()
	var events []errand.Event
	if resumed {
		events, err = feed.read(ctx)
	} else if events, err = s.Backend.LastEvents(ctx, key, history); len(events) > 0 {
		feed.last = events[len(events)-1].ID
	}
	if err != nil {
		return err
	}

	s.count.streams.Add(1)
	defer s.count.streams.Add(-1)
	out := newStream(w)
	for len(events) > 0 {
		if out.send(events...) != nil {
			return nil
		}
		if !feed.unread || len(events) < feedPage {
			break
		}
		if events, err = feed.read(ctx); err != nil {
			return nil
		}
	}
	if out.say("caught-up") != nil {
		return nil
	}
	idle := time.NewTicker(s.Heartbeat)
	defer idle.Stop()
	for {
		events, err := feed.next(ctx, idle.C)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				s.Logger.Warn("event stream ended", "chat", r.PathValue("chat"), "error", err)
			}
			return nil
		case len(events) == 0:
			err = out.beat()
		default:
			err = out.send(events...)
		}
		if err != nil {
			return nil // the client is gone
		}
	}
}

// lastSeen returns the id of the last event that the client has seen. What the
// browser says by itself when it connects again is newer than the address.
func lastSeen(r *http.Request) (id int64, resumed bool, err error) {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = r.URL.Query().Get("after")
	}
	if text == "" {
		return 0, false, nil
	}
	id, err = strconv.ParseInt(text, 10, 64)
	if err != nil || id < 0 {
		return 0, false, badRequest("event_id", "the id of an event is a number; this is none")
	}
	return id, true, nil
}
