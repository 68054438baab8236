package web

import (
	"context"
	"net/http"
	"slices"

	"errand"
)

// An answered finds the reply to a message in the events of its chat.
//
// A turn answers all messages up to the last one it took. Where a reply names
// that one (Message), it is ours if the named message is ours or a later one: a
// reply to something said before is passed over. Where it names none, the first
// reply after the message is taken for its reply.
type answered struct {
	message string
	found   bool            // the message has been seen
	since   map[string]bool // it, and the messages after it
	tasks   []errand.TaskID // that were told of since
}

// take looks at the next event and reports whether it is the reply.
func (a *answered) take(e errand.Event) bool {
	if e.Type == errand.EventMessage && e.Message == a.message {
		a.found = true
	}
	if !a.found || e.ID == 0 {
		return false
	}
	switch e.Type {
	case errand.EventMessage:
		if a.since == nil {
			a.since = map[string]bool{}
		}
		a.since[e.Message] = true
	case errand.EventTask:
		if !slices.Contains(a.tasks, e.Task) {
			a.tasks = append(a.tasks, e.Task)
		}
	case errand.EventReply, errand.EventError:
		return e.Message == "" || a.since[e.Message]
	}
	return false
}

// beforeMessage returns the id of the event before a message that was accepted
// earlier.
func (s *Server) beforeMessage(ctx context.Context, key errand.SessionKey, message string) (int64, error) {
	is := func(e errand.Event) bool { return e.Type == errand.EventMessage && e.Message == message }
	// It is nearly always among the latest: a client that tries again does so
	// soon.
	latest, err := s.Backend.LastEvents(ctx, key, history)
	if err != nil {
		return 0, err
	}
	if i := slices.IndexFunc(latest, is); i >= 0 {
		return latest[i].ID - 1, nil
	}
	for after := int64(0); ; {
		events, err := s.Backend.Events(ctx, key, after, 1000)
		if err != nil {
			return 0, err
		}
		if i := slices.IndexFunc(events, is); i >= 0 {
			return events[i].ID - 1, nil
		}
		if len(events) == 0 {
			return 0, &apiError{http.StatusGone, "gone", "this message was accepted before, and its session has been deleted since"}
		}
		after = events[len(events)-1].ID
	}
}
