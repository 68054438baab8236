package chat

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/cli/console"
)

// TestFlowInAnyPieces proves that a text is shown alike, however it comes in pieces,
// and that its blocks are there one after the other.
func TestFlowInAnyPieces(t *testing.T) {
	const text = "Two trains:\n- one\n- two\n  and more\n\n  of it\n\nSo:\n```go\nif a {\n\n}\n```\nThen **this\nand** that.\n\n> said\n> so\n\n\n1. a\n2. b\n   - c\n\n***\n\nAn open ```fence\n\n~~~\nx"
	want := []string{"Nikki: Two trains:", "- one", "- two", "  and more", "", "  of it", "", "So:", "    if a {", "    ", "    }", "", "Then this", "and that.", "", "│ said", "│ so", "", "1. a", "2. b", "   - c", "", "──────────", "", "An open ```fence", "", "    x"}
	for i, row := range want {
		want[i] = strings.Replace(row, "- ", "• ", 1)
	}
	f := form{console.Style(false), 60}
	for size := 1; size <= len(text); size++ {
		a := flow{speaker: "Nikki"}
		var rows []string
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			rows = append(rows, a.add(f, rest[:n])...)
			rest = rest[n:]
			assert.LessOrEqual(t, len(a.open(f, 24)), mostOpen)
		}
		rows = append(rows, a.finish(f)...)
		if !assert.Equal(t, want, rows, "in pieces of %d", size) {
			return
		}
	}
}

// TestFlowOfOneBlock proves that of a long block its end is seen while it comes, and all
// of it afterwards, and that a row of code that is wider than the terminal is left whole.
func TestFlowOfOneBlock(t *testing.T) {
	f := form{console.Style(true), 40}
	a := flow{speaker: "Nikki"}
	wide := strings.Repeat("x", 100)
	assert.Empty(t, a.add(f, "```\n"+strings.Repeat("line\n", 50)+wide))
	open := a.open(f, 24)
	assert.Len(t, open, mostOpen)
	assert.Equal(t, 40, console.Columns(open[mostOpen-1]))
	assert.Len(t, a.open(f, 10), 4, "on a low terminal")
	rows := a.finish(f)
	assert.Len(t, rows, 52)
	assert.Equal(t, "\x1b[36mNikki:\x1b[0m", rows[0])
	assert.Contains(t, rows[51], wide)
}

// TestNoReplyIsNotHidden proves that a text of which nothing shows is still somebody's.
func TestNoReplyIsNotHidden(t *testing.T) {
	f := form{console.Style(false), 40}
	assert.Equal(t, []string{"Nikki:"}, f.whole("Nikki", ""))
	assert.Equal(t, []string{"Nikki:", "• a"}, f.whole("Nikki", "- a"))
	assert.Equal(t, []string{"Nikki: a", "", "b"}, f.whole("Nikki", "a\n\nb"))
}
