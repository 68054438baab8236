package client

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"iter"
)

// A StreamEvent is one event of a stream.
type StreamEvent struct {
	ID   string          // for the Last-Event-ID of whoever goes on behind it; empty: it is in no log
	Data json.RawMessage // what it says
}

// maxEvent bounds one line of a stream: an answer of 200 kB must pass, endless lines must not.
const maxEvent = 8 << 20

// ReadStream are the events of an answer that is a stream
// (https://html.spec.whatwg.org/multipage/server-sent-events.html), until it ends or breaks
// off. An event that is not there to its end is none.
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
