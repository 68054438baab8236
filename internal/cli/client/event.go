package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"errand"
	api "errand/client"
	"errand/internal/printable"
)

// An Event is one object of a chat as the worker sent it.
type Event struct {
	errand.Event
	SSE string          // its id in the stream; empty for what passes
	Raw json.RawMessage // all of it
}

// Ends reports whether e ends a turn.
func (e Event) Ends() bool {
	switch e.Type {
	case errand.EventReply, errand.EventError:
		return true
	case errand.EventNotice:
		return e.Turn > 0 // it was stopped
	case errand.EventQuestion:
		return e.Task == "" && e.QuestionKind != errand.AsksApproval
	}
	return false
}

// ReadEvents calls each for the events of a stream until it returns false, or the stream
// ends. Alive is called whenever something comes, be it a comment.
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
		return e, fmt.Errorf("event %s not understood: %w", errand.Cut(string(data), 80), err)
	}
	if e.SSE == "" && e.ID != 0 {
		e.SSE = fmt.Sprint(e.ID)
	}
	return e, nil
}

// Who names the agent of e as people read it.
func (e Event) Who() string {
	if e.Agent == "" {
		return "errand"
	}
	return printable.Line(e.Agent.Display())
}

// Body is the text of e, ready to be printed.
func (e Event) Body() string { return strings.TrimSpace(printable.Text(e.Text)) }
