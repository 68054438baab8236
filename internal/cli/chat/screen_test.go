package chat

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/clitest"
	"errand/internal/cli/console"
	"errand/internal/cli/lineedit"
)

// TestARedrawTakesAwayWhatWasWrapped proves that nothing of the live part stays on a
// terminal that was made narrower, whose rows have become more than were drawn.
func TestARedrawTakesAwayWhatWasWrapped(t *testing.T) {
	var out bytes.Buffer
	width := 80
	e := &lineedit.Editor{}
	s := &screen{out: &out, size: func() (int, int) { return width, 24 }, typed: func(w, h int) lineedit.View { return e.View(w, h, false) }}
	style := console.Style(true)
	live := []string{style.Cyan("Nikki:") + strings.Repeat(" word", 14), style.Dim("Nikki is working")}
	for _, tt := range []struct {
		width int
		want  string
	}{
		{80, "\r\x1b[J"},        // nothing was there
		{80, ""},                // and nothing has changed
		{40, "\x1b[3A\r\x1b[J"}, // 76 columns have become two rows
		{79, "\x1b[2A\r\x1b[J"}, // wider again: drawn at 40, as long as they were
		{76, "\x1b[2A\r\x1b[J"}, // just enough
		{25, "\x1b[5A\r\x1b[J"}, // four rows, and one
	} {
		out.Reset()
		width = tt.width
		s.setLive(live...)
		begin, _, _ := strings.Cut(strings.TrimPrefix(out.String(), "\x1b[?25l"), "\x1b[36m")
		assert.Equal(t, tt.want, begin, "at %d columns", tt.width)
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
