package telegram_test

import (
	"strings"
	"testing"
	"unicode/utf16"

	"errand/internal/core"
	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/telegram"
)

// TestHostileAnswer proves of an answer that a model was talked into how it is
// read, be it an answer or a notice of errand's: what pings elsewhere is a word.
func TestHostileAnswer(t *testing.T) {
	notifiertest.Hostile(t, func(t *testing.T, event core.EventType, text string) (lines []string) {
		r := newRig(t)
		n := r.note("k", text)
		n.Event = event
		if _, err := r.Notify(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		for _, l := range r.server.Lines(r.chat) {
			lines = append(lines, l.Text)
			if len(utf16.Encode([]rune(l.Text))) > platform.LongestText {
				t.Errorf("Ana sees %+v", l)
			}
		}
		if !strings.Contains(strings.Join(lines, "\n"), "@everyone") {
			t.Errorf("Ana sees %.300q", lines)
		}
		return lines
	})
}
