package notifiertest

import (
	"strings"
	"testing"
)

const (
	family   = "👩‍👩‍👧‍👦"
	greeting = "שלום"
)

// Hostile is an answer of more than 5,000 characters that a model was talked into.
func Hostile() string {
	line := family + " \u202e" + greeting + " @everyone\u202c \u200b\u0007<@&1> e\u0301\n"
	return "```go\n" + strings.Repeat("fmt.Println(1)\n", 100) + "```\n" + strings.Repeat(family, 200) + "\n" + strings.Repeat(line, 60)
}

// CheckHostile reports what is wrong with how [Hostile] is read, message by
// message: nothing is lost that shows, no emoji is torn, and nothing steers the
// screen.
func CheckHostile(t *testing.T, said []string) {
	t.Helper()
	all := strings.Join(said, "\n")
	if families, words := strings.Count(all, family), strings.Count(all, greeting); len(said) < 2 || families != 260 || words != 60 || strings.Count(all, "fmt.Println") != 100 {
		t.Errorf("there are %d messages with %d families and %d words", len(said), families, words)
	}
	if strings.ContainsAny(all, "\u202e\u202c\u0007") {
		t.Errorf("what is read is %.300q", all)
	}
}
