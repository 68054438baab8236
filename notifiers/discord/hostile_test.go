package discord_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"errand/internal/core"
	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/discord"
)

// TestHostileAnswer proves of an answer that a model was talked into how it is
// read, and that nobody is pinged; be it an answer or a notice of errand's.
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
			if utf8.RuneCountInString(l.Text) > platform.LongestText || len(l.Pings) > 0 || strings.Contains(l.Text, "@everyone") {
				t.Errorf("Ana sees %+v", l)
			}
		}
		return lines
	})
}
