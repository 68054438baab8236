package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"errand"
)

// A message is what processes tell each other. Programs of two versions may run beside
// each other while one replaces the other: fields are only ever added.
type message struct {
	From   process `json:"f"`
	Number uint64  `json:"n"`           // no two are alike, or they would arrive as one
	To     process `json:"t,omitempty"` // empty: to all
	// Hello says how many times From has begun to listen; 0: it says nothing. Others answer
	// with a Sync to it.
	Hello uint64 `json:"hello,omitempty"`
	// Ping is From's own, to see whether it hears.
	Ping uint64 `json:"ping,omitempty"`
	// Sync says that all that goes on at From follows. Lost: and that events of From were
	// not sent.
	Sync  bool              `json:"sync,omitempty"`
	Lost  bool              `json:"lost,omitempty"`
	Key   errand.SessionKey `json:"k,omitempty"`
	Event *errand.Event     `json:"e,omitempty"`
	// Lists are others now than they were, of Person or, without one, of anybody.
	Lists  Lists           `json:"l,omitempty"`
	Person errand.PersonID `json:"p,omitempty"`
}

// announcement is a message about e. What lasts goes without its words.
func announcement(e errand.Event) message {
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
	if a == nil || b == nil || a.Type != errand.EventDelta || b.Type != errand.EventDelta || m.To != other.To ||
		a.Session != b.Session || a.Turn != b.Turn || a.Agent != b.Agent || a.Task != b.Task {
		return false
	}
	a.Text += b.Text
	return true
}

// encode returns m as messages of at most so many bytes each. A longer text is cut into
// several deltas. number counts them. A step is announced without what is too long;
// what is too long without it cannot be announced.
func (m message) encode(most int, number *uint64) ([]string, error) {
	*number++
	m.Number = *number
	var raw bytes.Buffer
	out := json.NewEncoder(&raw)
	out.SetEscapeHTML(false)
	if err := out.Encode(m); err != nil {
		return nil, err
	}
	raw.Truncate(raw.Len() - 1) // the line's end
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
	if m.Event.Type != errand.EventDelta || half == 0 {
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
