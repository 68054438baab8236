package intake_test

import (
	"strings"
	"testing"

	"errand/internal/test/intaketest"
)

// TestPrivately proves that what errand itself answers to somebody who alone can
// be told is told by the channel, and is not in the outbox as well.
func TestPrivately(t *testing.T) {
	tests := []struct {
		name, sender, text string
		group, refused     bool
		want               string
	}{
		{"a command", "7", "/whoami", false, false, "GUEST"},
		{"a command, in a group", "7", "/whoami", true, false, "GUEST"},
		{"too long", "7", strings.Repeat("x", 70<<10), false, true, "demasiado largo"},
		{"words", "7", "hello", false, false, ""},
		{"a stranger", "8", "/tasks", false, true, "código"},
		{"a stranger, in a group", "8", "/tasks", true, true, "código"},
		{"a stranger who asks", "8", "/pair", true, true, "código"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, nil)
			if err := d.Link(t.Context(), d.admin(), "guest", "whatsapp", "", "7"); err != nil {
				t.Fatal(err)
			}
			in := d.inbound(tt.text, tt.sender)
			in.Group, in.Private = tt.group, true
			for range 2 {
				out, err := d.Receive(t.Context(), in)
				if err != nil || (out.Refused != "") != tt.refused || !strings.Contains(out.Answer, tt.want) || (out.Answer == "") != (tt.want == "") {
					t.Errorf("Receive = %+v, %v", out, err)
				}
			}
			if notices := d.notices(); len(notices) > 0 {
				t.Errorf("the outbox has %q", notices)
			}
		})
	}
}

// TestSuggest proves that somebody is suggested what they may use, as far as they
// have typed, and a stranger nothing.
func TestSuggest(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Sticky = true })
	if err := d.Link(t.Context(), d.admin(), "member", "whatsapp", "", "7"); err != nil {
		t.Fatal(err)
	}
	words := func(sender, command, begun string) []string {
		t.Helper()
		list, err := d.Suggest(t.Context(), d.inbound("", sender), command, begun)
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, s := range list {
			words = append(words, s.Word)
		}
		return words
	}
	all := words("7", "/agent", "")
	if len(all) == 0 {
		t.Fatal("no agent is suggested")
	}
	if got := words("7", "/agent", strings.ToUpper(all[0][:2])); len(got) == 0 || got[0] != all[0] {
		t.Errorf("suggested are %q", got)
	}
	if got := append(words("8", "/agent", ""), words("7", "/help", "")...); len(got) > 0 {
		t.Errorf("suggested are %q", got)
	}
}
