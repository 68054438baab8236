package telegram_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"errand"
	platform "errand/internal/telegram"
	"errand/notifiers/notifiertest"
)

// TestHostileAnswer proves of an answer that a model was talked into how it is
// read, be it an answer or a notice of errand's: what pings elsewhere is a word.
func TestHostileAnswer(t *testing.T) {
	for _, event := range []errand.EventType{errand.EventReply, errand.EventNotice} {
		t.Run(string(event), func(t *testing.T) {
			r := newRig(t)
			n := r.note("k", notifiertest.Hostile())
			n.Event = event
			if _, err := r.Notify(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			var said []string
			for _, l := range r.server.Said(r.chat) {
				said = append(said, l.Text)
				if len(utf16.Encode([]rune(l.Text))) > platform.LongestText {
					t.Errorf("Ana sees %+v", l)
				}
			}
			notifiertest.CheckHostile(t, said)
			if !strings.Contains(strings.Join(said, "\n"), "@everyone") {
				t.Errorf("Ana sees %.300q", said)
			}
		})
	}
}
