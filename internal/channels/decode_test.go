package channels_test

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"errand/internal/channels"
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
	Names   map[string]int
	Press   *press
	ReplyTo *message `json:"reply_to"`
}

// A press is read by its type, and nothing without it.
type press struct {
	Type, Chat int
	Data       struct {
		Answer string
		Origin *fussy
	}
}

func (p *press) UnmarshalJSON(raw []byte) error {
	type plain press
	if err := json.Unmarshal(raw, (*plain)(p)); err != nil {
		return err
	}
	if p.Type != 3 {
		return errors.New("unknown type")
	}
	return nil
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
		{"one of several", `{"id": 1, "text": "hi", "extras": [{"kind": "known"}, {"kind": "new"}]}`, "hi", 0, []string{".extras[1]"}, false},
		{"a number that is a word", `{"id": "one", "text": "hi"}`, "hi", 0, []string{".id"}, false},
		{"several", `{"id": 1, "text": "hi", "origin": {"kind": "new"}, "extras": [{"kind": "new"}, {"kind": "known"}, 7], "names": {"a": "x", "b": 1}}`, "hi", 0,
			[]string{".extras[0]", ".extras[2]", ".names.a", ".origin"}, false},
		{"within what makes no sense without the rest", `{"text": "hi", "reply_to": {"id": 7, "press": {"type": 3, "chat": 5, "data": {"answer": "yes", "origin": {"kind": "new"}}}}}`,
			"hi", 7, []string{".reply_to.press.data.origin"}, false},
		{"what the rest makes no sense without", `{"text": "hi", "reply_to": {"id": 7, "press": {"type": "three", "chat": 5}}}`, "hi", 7, []string{".reply_to.press"}, false},
		{"what is needed", `{"text": "hi", "reply_to": {"id": 7, "press": {"type": 3, "chat": "here"}}}`, "hi", 7, []string{".reply_to.press"}, false},
		{"what all of it needs", `{"text": "hi", "chat": 1, "press": {"type": 3, "chat": "here"}, "id": 7, "Room": "x"}`, "hi", 0, []string{".press"}, false},
		{"names that are none", `{"text": "hi", "names": {"my secret": "x", "1234": "y", "": "z", "` + strings.Repeat("x", 41) + `": "z", "fine_1": "q", "ok": 1}}`, "hi", 0,
			[]string{".names.?", ".names.fine_1"}, false},
		{"too deep", `{"text": "hi", "reply_to": {"reply_to": {"reply_to": {"reply_to": {"reply_to": {"id": "x"}}}}}}`, "hi", 0, nil, false},
		{"no object", `[1]`, "", 0, nil, true},
		{"no JSON", `{"id": 1`, "", 0, nil, true},
		{"nothing", ``, "", 0, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m, left, err := channels.Decode[message]([]byte(tt.raw), "chat")
			if (err != nil) != tt.bad {
				t.Fatalf("Decode: %v", err)
			}
			if tt.bad {
				return
			}
			if m.Text != tt.text || tt.replies != 0 && (m.ReplyTo == nil || m.ReplyTo.ID != tt.replies) {
				t.Errorf("read is %+v", m)
			}
			if tt.left != nil && !slices.Equal(left, tt.left) {
				t.Errorf("left out is %q, want %q", left, tt.left)
			}
		})
	}
}

// TestDecodeKeeps proves that no more is left out than has to be.
func TestDecodeKeeps(t *testing.T) {
	raw := `{"id": 1, "text": "hi", "origin": {"kind": "new"}, "extras": [{"kind": "known"}, {"kind": "new"}, {"kind": "known"}], "names": {"a": "x", "b": 2},
		"reply_to": {"id": 7, "text": "<b> & \u00e9", "press": {"type": 3, "chat": 5, "data": {"answer": "yes", "origin": {"kind": "new"}}}}}`
	m, _, err := channels.Decode[message]([]byte(raw), "chat")
	if err != nil {
		t.Fatal(err)
	}
	if m.ID != 1 || m.Origin != nil || len(m.Extras) != 2 || m.Names["b"] != 2 || m.ReplyTo == nil || m.ReplyTo.Text != "<b> & é" ||
		m.ReplyTo.Press == nil || m.ReplyTo.Press.Chat != 5 || m.ReplyTo.Press.Data.Answer != "yes" {
		t.Errorf("read is %+v", m)
	}
}

// TestDecodeNeeds proves that what is nothing without a field is not read without
// it, and that why is told without a word of what somebody wrote.
func TestDecodeNeeds(t *testing.T) {
	for raw, want := range map[string]string{
		`{"id": "my secret", "text": "hi"}`:         ".id",
		`{"id": 31337.5, "text": "hi"}`:             ".id",
		`{"id": 1, "text": ["my secret"]}`:          "",
		`{"my secret": 1, "Id": {"my secret": {}}}`: ".Id",
		`["my secret"]`:                             "nor any part of it",
		`{"id": 1, "text": "my secret`:              "no JSON",
		`{"id": [], "text": 7, "extras": 31337}`:    ".extras, .id, .text",
	} {
		m, left, err := channels.Decode[message]([]byte(raw), "id")
		switch {
		case want == "":
			if err != nil || m.ID != 1 || !slices.Equal(left, []string{".text"}) {
				t.Errorf("%s is read as %+v without %q, %v", raw, m, left, err)
			}
		case err == nil:
			t.Errorf("%s is read as %+v without %q", raw, m, left)
		case !strings.Contains(err.Error(), want), strings.Contains(err.Error(), "secret"), strings.Contains(err.Error(), "31337"):
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}
