package notifiertest

import (
	"strings"
	"testing"

	"errand/internal/core"
)

const (
	family   = "👩‍👩‍👧‍👦"
	greeting = "שלום"
)

// Hostile proves of an answer of more than 5,000 characters that a model was talked
// into, and of a notice of errand's, that nothing is lost that shows, no emoji is
// torn, and nothing steers the screen. read tells it in a chat of its own, and
// returns what is read there, message by message.
func Hostile(t *testing.T, read func(t *testing.T, event core.EventType, text string) []string) {
	line := family + " \u202e" + greeting + " @everyone\u202c \u200b\u0007<@&1> e\u0301\n"
	text := "```go\n" + strings.Repeat("fmt.Println(1)\n", 100) + "```\n" + strings.Repeat(family, 200) + "\n" + strings.Repeat(line, 60)
	for _, event := range []core.EventType{core.EventReply, core.EventNotice} {
		t.Run(string(event), func(t *testing.T) { checkHostile(t, read(t, event, text)) })
	}
}

func checkHostile(t *testing.T, lines []string) {
	t.Helper()
	all := strings.Join(lines, "\n")
	if families, words := strings.Count(all, family), strings.Count(all, greeting); len(lines) < 2 || families != 260 || words != 60 || strings.Count(all, "fmt.Println") != 100 {
		t.Errorf("there are %d messages with %d families and %d words", len(lines), families, words)
	}
	if strings.ContainsAny(all, "\u202e\u202c\u0007") {
		t.Errorf("what is read is %.300q", all)
	}
}
