package chat

import (
	"io"
	"strings"
	"sync"

	"golang.org/x/term"

	"errand/internal/cli/console"
)

// A screen is a terminal on which text comes in above the line that is being
// typed. Between them is the live part: what of a reply is being generated,
// and who is at work. It is drawn anew whenever something changes.
type screen struct {
	term *term.Terminal
	size func() (width, height int)

	mu    sync.Mutex
	live  []string // rows that should be there
	drawn []string // rows that are there
	width int      // of the terminal when they were drawn
	held  bool     // a line has been entered and not been taken: draw nothing live
}

// setLive replaces the live part.
func (s *screen) setLive(rows ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w, _ := s.size(); w == s.width && len(rows) == len(s.drawn) && equal(rows, s.live) {
		return
	}
	s.live = rows
	s.draw("")
}

// update puts text, whole lines, above the live part, and replaces that.
func (s *screen) update(text string, rows ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.live = rows
	s.draw(text)
}

// hold takes the live part away, because the line below it is about to become
// part of what has been said.
func (s *screen) hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = true
	s.draw("")
}

// release draws the live part again, before the next line is read.
func (s *screen) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = false
	s.draw("")
}

// draw writes all in one piece. The editor takes the prompt away before it and
// puts it back behind it.
func (s *screen) draw(text string) {
	w, h := s.size()
	if w > 0 {
		// Fails only as a write does, which the next one shows.
		_ = s.term.SetSize(w, h)
	}
	var b strings.Builder
	for range rowsUsed(s.drawn, w) {
		b.WriteString("\x1b[1A\r\x1b[K")
	}
	s.drawn, s.width = nil, w
	if text != "" {
		b.WriteString(strings.TrimSuffix(text, "\n") + "\n")
	}
	if !s.held {
		for _, row := range s.live {
			b.WriteString(row + "\n")
		}
		s.drawn = s.live
	}
	// An empty write too puts the prompt where it belongs.
	_, _ = io.WriteString(s.term, b.String()) // a terminal that is gone ends ReadLine
}

// rowsUsed is how many rows of the terminal these rows take up by now: one that has
// become narrower has wrapped them. Those that cut them off instead, as xterm does,
// lose as many rows of what was said; the line editor, too, goes by the others.
func rowsUsed(rows []string, width int) (n int) {
	for _, row := range rows {
		n++
		if width > 0 {
			n += max(0, console.Columns(row)-1) / width
		}
	}
	return n
}

func equal(a, b []string) bool {
	return strings.Join(a, "\n") == strings.Join(b, "\n")
}
