package chat

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"errand/internal/cli/console"
	"errand/internal/cli/lineedit"
)

// A screen is a terminal on which text comes in above the message that is being
// typed. Between them is the live part: what of a reply is being generated,
// and who is at work. Both are drawn anew whenever something changes. It is used by one
// goroutine.
type screen struct {
	out  io.Writer
	size func() (width, height int)
	// typed is how the message is shown in a width, and in so many rows.
	typed func(width, height int) lineedit.View

	live  []string // rows that should be there
	drawn lineedit.View
	// of the terminal when they were drawn
	width, height int

	said []string // the last rows above
	owns bool     // they begin at the top of the terminal, or above it
}

const mostSaid = 500

// setLive replaces the live part.
func (s *screen) setLive(rows ...string) { s.update("", rows...) }

func (s *screen) update(text string, rows ...string) {
	s.live = rows
	s.draw(text, s.view())
}

func (s *screen) close(text string) { s.draw(text, lineedit.View{}) }

func (s *screen) clear() {
	s.drawn, s.said, s.owns = lineedit.View{}, nil, true
	s.write("\x1b[H\x1b[2J")
	s.draw("", s.view())
}

const leastTyped = 3

// view is what should be there: as much of it as the terminal has rows.
func (s *screen) view() lineedit.View {
	w, h := s.size()
	v := s.typed(w-1, max(h-len(s.live), min(leastTyped, h), h/2))
	rows := slices.Concat(s.live, v.Rows)
	cut := max(0, len(rows)-h)
	return lineedit.View{Rows: rows[cut:], Row: max(0, len(s.live)-cut+v.Row), Before: v.Before}
}

// draw writes all in one piece: text above what is there from now on.
func (s *screen) draw(text string, v lineedit.View) {
	w, h := s.size()
	if text != "" {
		text = strings.TrimSuffix(text, "\n")
		s.said = append(s.said, strings.Split(text, "\n")...)
		s.said = s.said[max(0, len(s.said)-mostSaid):]
	}
	resized := s.width > 0 && (w != s.width || h != s.height)
	s.width, s.height = w, h
	if resized {
		s.repaint(v)
		return
	}
	s.owns = s.owns || rowsUsed(s.said, w)+rowsUsed(v.Rows, w) >= h
	from := 0 // the first row that is drawn
	if text == "" {
		if slices.Equal(s.drawn.Rows, v.Rows) && v.Row == s.drawn.Row && v.Before == s.drawn.Before {
			return
		}
		for from < min(s.drawn.Row, v.Row) && s.drawn.Rows[from] == v.Rows[from] {
			from++
		}
	}
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	if n := s.above(from, w); n > 0 {
		fmt.Fprintf(&b, "\x1b[%dA", n)
	}
	b.WriteString("\r\x1b[K")
	if len(s.drawn.Rows) > from+1 {
		// Not from the first row on: tmux keeps what is cleared from the top of the
		// terminal, as if it had been said.
		b.WriteString("\x1b[1B\x1b[J\x1b[1A")
	}
	if text != "" {
		b.WriteString(strings.ReplaceAll(text, "\n", "\r\n") + "\r\n")
	}
	s.rows(&b, v, min(from, len(v.Rows)))
}

func (s *screen) rows(b *strings.Builder, v lineedit.View, from int) {
	b.WriteString(strings.Join(v.Rows[from:], "\r\n"))
	if up := len(v.Rows) - 1 - v.Row; up > 0 {
		fmt.Fprintf(b, "\x1b[%dA", up)
	}
	if len(v.Rows) > 0 {
		// Written once more, for only the terminal knows how wide it shows a character.
		b.WriteString("\r" + v.Before)
	}
	b.WriteString("\x1b[?25h")
	s.drawn = v
	s.write(b.String())
}

// repaint writes everything anew on a terminal that has another size: as much of what was
// said as it has rows, and v. What is there cannot be mended, for some has come while the
// terminal had the size and had not said so.
func (s *screen) repaint(v lineedit.View) {
	var b strings.Builder
	b.WriteString("\x1b[?25l")
	if s.owns {
		// Row by row: see draw.
		b.WriteString("\x1b[H" + strings.Repeat("\x1b[2K\x1b[1B", s.height) + "\x1b[H")
	} else {
		b.WriteString("\x1b[H\x1b[2J") // what others have said stays above the top, where terminals keep that
	}
	s.owns = true
	room, first := s.height-rowsUsed(v.Rows, s.width), len(s.said)
	for first > 0 {
		if room -= rowsUsed(s.said[first-1:first], s.width); room < 0 {
			break
		}
		first--
	}
	for _, row := range s.said[first:] {
		b.WriteString(row + "\r\n")
	}
	s.rows(&b, v, 0)
}

func (s *screen) write(text string) {
	_, _ = io.WriteString(s.out, text) // a terminal that is gone ends the input too
}

func (s *screen) above(row, width int) int {
	if len(s.drawn.Rows) == 0 {
		return 0
	}
	n := rowsUsed(s.drawn.Rows[row:s.drawn.Row], width)
	if width > 0 {
		n += console.Columns(s.drawn.Before) / width
	}
	return n
}

// rowsUsed is how many rows of the terminal these rows take up: it wraps those that are
// wider.
func rowsUsed(rows []string, width int) (n int) {
	for _, row := range rows {
		n++
		if width > 0 {
			n += max(0, console.Columns(row)-1) / width
		}
	}
	return n
}
