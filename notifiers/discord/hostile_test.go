package discord_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"errand"
	platform "errand/internal/discord"
)

// TestHostileAnswer proves of 5,000 characters that a model was talked into how
// they are read: nothing is lost that shows, no emoji is torn, nothing steers the
// screen, and nobody is pinged; be it an answer or a notice of errand's.
func TestHostileAnswer(t *testing.T) {
	const family, hebrew = "👩‍👩‍👧‍👦", "שלום @everyone"
	line := family + " \u202e" + hebrew + "\u202c \u200b\u0007<@&1> e\u0301\n"
	text := "```go\n" + strings.Repeat("fmt.Println(1)\n", 100) + "```\n" + strings.Repeat(family, 200) + "\n" + strings.Repeat(line, 60)
	for _, event := range []errand.EventType{errand.EventReply, errand.EventNotice} {
		r := newRig(t)
		n := r.note("k", text)
		n.Event = event
		if _, err := r.Notify(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		said := r.server.Said(r.chat)
		all := ""
		for _, l := range said {
			all += l.Text + "\n"
			if utf8.RuneCountInString(l.Text) > platform.LongestText || len(l.Pings) > 0 {
				t.Errorf("%s: Ana sees %+v", event, l)
			}
		}
		if families, words := strings.Count(all, family), strings.Count(all, "שלום"); len(said) < 2 || families != 260 || words != 60 || strings.Count(all, "fmt.Println") != 100 {
			t.Errorf("%s: %d messages with %d families and %d words", event, len(said), families, words)
		}
		if strings.ContainsAny(all, "\u202e\u202c\u0007") || strings.Contains(all, "@everyone") != false {
			t.Errorf("%s: Ana sees %.300q", event, all)
		}
	}
}
