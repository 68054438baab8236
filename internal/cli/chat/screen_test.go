package chat

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/term"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/clitest"
	"errand/internal/cli/console"
)

// TestARedrawTakesAwayWhatWasWrapped proves that nothing of the live part stays on a
// terminal that was made narrower, whose rows have become more than were drawn.
func TestARedrawTakesAwayWhatWasWrapped(t *testing.T) {
	const takeAway = "\x1b[1A\r\x1b[K"
	var out bytes.Buffer
	width := 80
	s := &screen{size: func() (int, int) { return width, 24 }}
	s.term = term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{strings.NewReader(""), &out}, "> ")
	style := console.Style(true)
	live := []string{style.Cyan("Nikki:") + strings.Repeat(" word", 14), style.Dim("Nikki is working")}
	for _, tt := range []struct{ width, want int }{
		{80, 0}, // nothing was there
		{80, 0}, // and nothing has changed
		{40, 3}, // 76 columns have become two rows
		{79, 2}, // wider again: drawn at 40, as long as they were
		{76, 2}, // just enough
		{25, 5}, // four rows, and one
	} {
		out.Reset()
		width = tt.width
		s.setLive(live...)
		assert.Equal(t, tt.want, strings.Count(out.String(), takeAway), "at %d columns", tt.width)
	}
}

// TestTheLiveRowsFitTheTerminal proves that what is being generated is wrapped to
// the terminal as it is now.
func TestTheLiveRowsFitTheTerminal(t *testing.T) {
	width := 80
	c := &console.Console{In: strings.NewReader(""), Out: io.Discard, Err: io.Discard, Getenv: clitest.Env(nil)}
	d := newDialogue(c, NewConversation(client.NewWorker("", ""), "main"), func() (int, int) { return width, 24 })
	text := strings.TrimSpace(strings.Repeat("words ", 12))
	d.stream(client.Event{Event: errand.Event{Text: text}})
	assert.Len(t, d.live(), 1)
	width = 40
	rows := d.live()
	assert.Len(t, rows, 3)
	for _, row := range rows {
		assert.Less(t, console.Columns(row), width)
	}
	assert.Equal(t, "errand: "+text, strings.Join(rows, " "))
}
