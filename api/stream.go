package api

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// A StreamEvent is one event of a stream.
type StreamEvent struct {
	ID   string          // for the header Last-Event-ID of the next request; empty: no log has the event
	Data json.RawMessage // what it says
}

// maxEvent lets an answer of 200 kB pass and stops endless lines.
const maxEvent = 8 << 20

// ReadStream returns the events of a response that is a stream
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), until it ends or breaks off. It
// omits an event that is cut off.
func ReadStream(r io.Reader) iter.Seq2[StreamEvent, error] {
	return func(yield func(StreamEvent, error) bool) {
		lines := bufio.NewScanner(r)
		lines.Buffer(make([]byte, 0, 64<<10), maxEvent)
		var e StreamEvent
		for lines.Scan() {
			name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
			value = bytes.TrimPrefix(value, []byte(" "))
			switch {
			case len(lines.Bytes()) == 0:
				if len(e.Data) > 0 && !yield(e, nil) {
					return
				}
				e = StreamEvent{}
			case string(name) == "id":
				e.ID = string(value)
			case string(name) == "data":
				if e.Data != nil {
					e.Data = append(e.Data, '\n')
				}
				e.Data = append(e.Data, value...)
			}
		}
		if err := lines.Err(); err != nil {
			yield(StreamEvent{}, err)
		}
	}
}
