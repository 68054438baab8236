package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"errand/api"
	"errand/internal/core"
)

// An Event is an event of a chat as the worker sent it.
type Event struct {
	core.Event
	SSE string          // its id in the stream; empty for events that are not stored
	Raw json.RawMessage // the whole event
}

// Ends reports whether e ends a turn.
func (e Event) Ends() bool {
	switch e.Type {
	case core.EventReply, core.EventError:
		return true
	case core.EventNotice:
		return e.Turn > 0 // the turn was stopped
	case core.EventQuestion:
		return e.Task == "" && e.QuestionKind != core.AsksApproval
	}
	return false
}

// ReadEvents calls each for the events of a stream until each returns false or the stream
// ends. It calls alive whenever data arrives, even a comment.
func ReadEvents(r io.Reader, alive func(), each func(Event) bool) error {
	for got, err := range api.ReadStream(hears{r, alive}) {
		if err != nil {
			return err
		}
		e, err := ParseEvent(got.ID, got.Data)
		if err != nil || !each(e) {
			return err
		}
	}
	return nil
}

type hears struct {
	io.Reader
	alive func()
}

func (h hears) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.alive()
	}
	return n, err
}

func ParseEvent(id string, data []byte) (Event, error) {
	e := Event{SSE: id, Raw: bytes.Clone(data)}
	if err := json.Unmarshal(data, &e.Event); err != nil {
		return e, fmt.Errorf("read event %s: %w", core.Cut(string(data), 80), err)
	}
	if e.SSE == "" && e.ID != 0 {
		e.SSE = fmt.Sprint(e.ID)
	}
	return e, nil
}

// Who returns the display name of the agent of e.
func (e Event) Who() string {
	if e.Agent == "" {
		return "errand"
	}
	return Line(e.Agent.Display())
}

// Body returns the text of e, safe to print.
func (e Event) Body() string { return strings.TrimSpace(Text(e.Text)) }
