package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"errand/internal/core"
)

// A message is exchanged between processes. Two versions may run at the same time during an
// upgrade, so fields may be added, but not changed.
type message struct {
	From   process `json:"f"`
	Number uint64  `json:"n"`           // makes each message unique, because equal notifications would be merged
	To     process `json:"t,omitempty"` // empty: all processes
	// Hello counts how often From has begun to listen; 0: none. The others reply with a Sync.
	Hello uint64 `json:"hello,omitempty"`
	// Ping is for From itself, to check that it receives.
	Ping uint64 `json:"ping,omitempty"`
	// Sync precedes the open turns of From. Lost means that some events of From were not sent.
	Sync  bool            `json:"sync,omitempty"`
	Lost  bool            `json:"lost,omitempty"`
	Key   core.SessionKey `json:"k,omitempty"`
	Event *core.Event     `json:"e,omitempty"`
	// Lists of Person have changed; an empty Person means everyone.
	Lists  Lists         `json:"l,omitempty"`
	Person core.PersonID `json:"p,omitempty"`
}

// announcement leaves out the texts of durable events.
func announcement(e core.Event) message {
	if isDurable(e) {
		e.Text, e.Message, e.Cause, e.Options = "", "", "", nil
	}
	return message{Key: e.Key, Event: &e}
}

func (m *message) size() int {
	const rest = 250
	if m.Event == nil {
		return rest
	}
	return rest + len(m.Key) + len(m.Event.Text)
}

func (m *message) join(other message) bool {
	a, b := m.Event, other.Event
	if a == nil || b == nil || a.Type != core.EventDelta || b.Type != core.EventDelta || m.To != other.To ||
		a.Session != b.Session || a.Turn != b.Turn || a.Agent != b.Agent || a.Task != b.Task {
		return false
	}
	a.Text += b.Text
	return true
}

// encode returns messages of at most most bytes. It splits a long text into several deltas,
// numbered with number. A step loses its text if it is too long. Other long messages are an error.
func (m message) encode(most int, number *uint64) ([]string, error) {
	*number++
	m.Number = *number
	var raw bytes.Buffer
	out := json.NewEncoder(&raw)
	out.SetEscapeHTML(false)
	if err := out.Encode(m); err != nil {
		return nil, err
	}
	raw.Truncate(raw.Len() - 1) // newline
	if raw.Len() <= most {
		return []string{raw.String()}, nil
	}
	if m.Event == nil || m.Event.Text == "" {
		return nil, fmt.Errorf("an event of %d bytes is too long for the other workers to hear of", raw.Len())
	}
	first, second := *m.Event, *m.Event
	half := len(m.Event.Text) / 2
	for half > 0 && !utf8.RuneStart(m.Event.Text[half]) {
		half--
	}
	if m.Event.Type != core.EventDelta || half == 0 {
		first.Text = ""
		m.Event = &first
		return m.encode(most, number)
	}
	first.Text, second.Text = first.Text[:half], second.Text[half:]
	m.Event = &first
	list, err := m.encode(most, number)
	if err != nil {
		return nil, err
	}
	m.Event = &second
	rest, err := m.encode(most, number)
	return append(list, rest...), err
}

func decode(raw string) (m message, err error) {
	if err = json.Unmarshal([]byte(raw), &m); err != nil {
		return m, fmt.Errorf("message of another worker not understood: %w", err)
	}
	if m.Event != nil {
		m.Event.Key = m.Key
	}
	return m, nil
}
