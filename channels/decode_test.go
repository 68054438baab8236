package channels_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"errand/channels"
)

// A fussy kind is one that a library knows one of.
type fussy struct{ Kind string }

func (f *fussy) UnmarshalJSON(raw []byte) error {
	var v struct{ Kind string }
	if err := json.Unmarshal(raw, &v); err != nil {
		return err
	}
	if v.Kind != "known" {
		return errors.New("unknown kind")
	}
	f.Kind = v.Kind
	return nil
}

type message struct {
	ID      int
	Text    string
	Origin  *fussy
	Extras  []fussy
	ReplyTo *message `json:"reply_to"`
}

// TestDecode proves that of what cannot be read as a whole the rest is, and that
// what is nothing at all is an error.
func TestDecode(t *testing.T) {
	tests := []struct {
		name, raw string
		text      string
		replies   int
		left      []string
		bad       bool
	}{
		{"all of it", `{"id": 1, "text": "hi", "origin": {"kind": "known"}}`, "hi", 0, nil, false},
		{"a kind that is not known", `{"id": 1, "text": "hi", "origin": {"kind": "new"}}`, "hi", 0, []string{".origin"}, false},
		{"within what it replies to", `{"id": 1, "text": "hi", "reply_to": {"id": 7, "origin": {"kind": "new"}}}`, "hi", 7, []string{".reply_to.origin"}, false},
		{"one of several", `{"id": 1, "text": "hi", "extras": [{"kind": "known"}, {"kind": "new"}]}`, "hi", 0, []string{".extras"}, false},
		{"a number that is a word", `{"id": "one", "text": "hi"}`, "hi", 0, []string{".id"}, false},
		{"too deep", `{"text": "hi", "reply_to": {"reply_to": {"reply_to": {"reply_to": {"reply_to": {"id": "x"}}}}}}`, "hi", 0, nil, false},
		{"no object", `[1]`, "", 0, nil, true},
		{"no JSON", `{"id": 1`, "", 0, nil, true},
		{"nothing", ``, "", 0, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, left, err := channels.Decode[message]([]byte(tt.raw))
			if (err != nil) != tt.bad {
				t.Fatalf("Decode: %v", err)
			}
			if tt.bad {
				return
			}
			if m.Text != tt.text || tt.replies != 0 && (m.ReplyTo == nil || m.ReplyTo.ID != tt.replies) {
				t.Errorf("read is %+v", m)
			}
			for _, want := range tt.left {
				if !slices.Contains(left, want) {
					t.Errorf("left out is %q, want %q", left, want)
				}
			}
		})
	}
}
