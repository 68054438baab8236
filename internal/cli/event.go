package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"errand"
)

// An event is one object of a chat as the worker sent it.
type event struct {
	errand.Event
	sse string          // its id in the stream; empty for what passes
	raw json.RawMessage // all of it
}

// ends reports whether e ends a turn.
func (e event) ends() bool {
	switch e.Type {
	case errand.EventReply, errand.EventError:
		return true
	case errand.EventNotice:
		return e.Turn > 0 // it was stopped
	case errand.EventQuestion:
		return e.Task == ""
	}
	return false
}

// maxEvent bounds one event: an answer of 200 kB must pass, endless lines must not.
const maxEvent = 8 << 20

// readEvents calls each for the events of a stream of server-sent events
// (https://html.spec.whatwg.org/multipage/server-sent-events.html) until it
// returns false, or the stream ends.
func readEvents(r io.Reader, alive func(), each func(event) bool) error {
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
			e, err := parseEvent(id, data)
			if err != nil {
				return err
			}
			if !each(e) {
				return nil
			}
		}
		id, data = "", nil
	}
	return lines.Err()
}

func parseEvent(id string, data []byte) (event, error) {
	e := event{sse: id, raw: bytes.Clone(data)}
	if err := json.Unmarshal(data, &e.Event); err != nil {
		return e, fmt.Errorf("event %s not understood: %w", errand.Cut(string(data), 80), err)
	}
	if e.sse == "" && e.ID != 0 {
		e.sse = fmt.Sprint(e.ID)
	}
	return e, nil
}

// who names the agent of e as people read it.
func (e event) who() string {
	if e.Agent == "" {
		return "errand"
	}
	return line(e.Agent.Display())
}

// body is the text of e, ready to be printed.
func (e event) body() string { return strings.TrimSpace(clean(e.Text)) }
