package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"errand"
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

// maxEvent bounds one event: an answer of 200 kB must pass, endless lines must not.
const maxEvent = 8 << 20

// ReadEvents calls each for the events of a stream of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html) until it
// returns false, or the stream ends.
func ReadEvents(r io.Reader, alive func(), each func(Event) bool) error {
	return ReadStream(r, alive, func(id string, data []byte) (bool, error) {
		e, err := ParseEvent(id, data)
		return err == nil && each(e), err
	})
}

// ReadStream is ReadEvents of any data.
func ReadStream(r io.Reader, alive func(), each func(id string, data []byte) (bool, error)) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
	var id string
	var data []byte
	for lines.Scan() {
		alive()
		l := lines.Bytes()
		if len(l) > 0 {
			name, value, _ := bytes.Cut(l, []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch string(name) {
			case "id":
				id = string(value)
			case "data":
				if data != nil {
					data = append(data, '\n')
				}
				data = append(data, value...)
			}
			continue
		}
		if len(data) > 0 {
			if more, err := each(id, data); err != nil || !more {
				return err
			}
		}
		id, data = "", nil
	}
	return lines.Err()
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
