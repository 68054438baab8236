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

// TestAResizedTerminalIsPaintedAnew proves that on a terminal of another size everything is
// written anew, as much as fits: what is there may have wrapped, or come meanwhile.
func TestAResizedTerminalIsPaintedAnew(t *testing.T) {
	const begin, end = "\x1b[?25l", "\r> \x1b[?25h"
	var out bytes.Buffer
	width, height := 80, 6
	e := &lineedit.Editor{}
	s := &screen{out: &out, size: func() (int, int) { return width, height }, typed: func(w, h int) lineedit.View { return e.View(w, h, false) }}
	long := strings.TrimSpace(strings.Repeat("word ", 15)) // 74 columns
	s.update("one\ntwo", "live")
	s.update(long)
	for _, tt := range []struct {
		width, height int
		want          string
	}{
		{80, 6, ""},
		{40, 6, begin + "\x1b[H\x1b[2J" + "one\r\ntwo\r\n" + long + "\r\n> " + end},
		{20, 6, begin + "\x1b[H" + strings.Repeat("\x1b[2K\x1b[1B", 6) + "\x1b[H" + "two\r\n" + long + "\r\n> " + end},
		{20, 3, begin + "\x1b[H" + strings.Repeat("\x1b[2K\x1b[1B", 3) + "\x1b[H" + "> " + end},
		{80, 3, begin + "\x1b[H" + strings.Repeat("\x1b[2K\x1b[1B", 3) + "\x1b[H" + "two\r\n" + long + "\r\n> " + end},
	} {
		out.Reset()
		width, height = tt.width, tt.height
		s.setLive()
		assert.Equal(t, tt.want, out.String(), "at %d columns", tt.width)
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
