package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A dialect writes the marks of a platform that has styles in its text.
type dialect interface {
	// marks returns the marks that open and close s within one line, or "" if s cannot be shown.
	marks(w *writer, s span, at, end int) (before, behind string)
	// char returns the character at a place, escaped if necessary.
	char(w *writer, at int, r rune) string
	// line is the prefix of every line of the block.
	code(s string) string
	block(s, language, line string) string
	// heading returns the prefix of a heading.
	heading(level int) string
}

// A writer opens marks at the first visible character and closes them after the last, line by line,
// because no platform shows a mark around white space.
type writer struct {
	text
	dialect dialect
	out     strings.Builder

	active  []span // spans that contain the current place, outer before inner
	open    []openMark
	held    string // white space that is not written yet
	fresh   bool   // nothing is written in the line
	first   bool   // nothing visible is written in the line or list item
	glued   bool   // directly after a URL, without white space
	marked  bool   // the last character written belongs to a mark
	lastSee rune   // last character of the text that was written; 0 at the start of a line
}

type openMark struct {
	span
	behind string
}

func (t text) write(d dialect) string {
	w := writer{text: t, dialect: d, fresh: true, first: true}
	next := 0
	for at := 0; at < len(t.plain); {
		w.dropEnded(at)
		for ; next < len(t.spans) && t.spans[next].start <= at; next++ {
			if t.spans[next].end > at {
				w.active = append(w.active, t.spans[next])
			}
		}
		if n := len(w.active); n > 0 && w.active[n-1].kind.opaque() {
			s := w.active[n-1]
			w.opaque(s)
			at = s.end
			continue
		}
		r, size := utf8.DecodeRuneInString(t.plain[at:])
		w.next(at, r)
		at += size
	}
	w.closeTo(0)
	return w.out.String()
}

func (w *writer) dropEnded(at int) {
	n := 0
	for _, s := range w.active {
		if s.end > at {
			w.active[n] = s
			n++
		}
	}
	w.active = w.active[:n]
}

func (w *writer) next(at int, r rune) {
	switch {
	case r == '\n':
		w.closeTo(0)
		if w.fresh {
			w.begin()
		}
		w.out.WriteByte('\n')
		w.held, w.fresh, w.first, w.glued, w.marked, w.lastSee = "", true, true, false, false, 0
	case unicode.IsSpace(r):
		w.held += string(r)
		w.glued, w.lastSee = false, r
	default:
		w.sync(at)
		w.out.WriteString(w.dialect.char(w, at, r))
		w.first, w.marked, w.lastSee = false, false, r
	}
}

func (w *writer) opaque(s span) {
	w.sync(s.start)
	plain := w.plain[s.start:s.end]
	if s.kind == code || s.kind == block {
		switch out := w.out.String(); {
		case w.glued: // the marks would become part of the URL
			w.out.WriteByte(' ')
			w.glued = false
		case strings.HasSuffix(out, "`"):
			w.out.WriteString(zwsp)
		}
	}
	w.marked, w.first, w.lastSee = false, false, 'x'
	switch s.kind {
	case marker:
		w.out.WriteString(strings.TrimRight(plain, " "))
		w.held, w.first, w.lastSee = " ", true, ' '
	case address:
		w.out.WriteString(plain)
		w.glued = true
	case code:
		w.out.WriteString(w.dialect.code(plain))
		w.lastSee = '`'
	case block:
		w.out.WriteString(w.dialect.block(plain, s.language, w.line()))
		w.lastSee = '`'
	}
}

func (w *writer) line() string {
	for _, s := range w.active {
		if s.kind == quote {
			return "> "
		}
	}
	return ""
}

func (w *writer) begin() {
	w.fresh = false
	w.out.WriteString(w.line())
	for _, s := range w.active {
		if s.kind == heading {
			w.out.WriteString(w.dialect.heading(s.level))
		}
	}
}

func (w *writer) sync(at int) {
	var want []span
	for _, s := range w.active {
		if s.kind.inline() {
			want = append(want, s)
		}
	}
	same := 0
	for same < len(want) && same < len(w.open) && w.open[same].start == want[same].start && w.open[same].kind == want[same].kind {
		same++
	}
	w.closeTo(same)
	if w.fresh {
		w.begin()
	}
	w.out.WriteString(w.held)
	if w.held != "" {
		w.marked = false
	}
	w.held = ""
	for _, s := range want[same:] {
		end := s.end
		if i := strings.IndexByte(w.plain[at:end], '\n'); i >= 0 {
			end = at + i
		}
		before, behind := "", ""
		if !w.glued { // directly after a URL a mark would become part of it
			before, behind = w.dialect.marks(w, s, at, end)
		}
		w.mark(before)
		w.open = append(w.open, openMark{s, behind})
	}
}

func (w *writer) closeTo(n int) {
	for len(w.open) > n {
		last := w.open[len(w.open)-1]
		w.open = w.open[:len(w.open)-1]
		w.mark(last.behind)
		w.glued = w.glued && last.behind == "" // the mark around a URL ends it
	}
}

// mark separates a mark from the same character before it.
func (w *writer) mark(s string) {
	if s == "" {
		return
	}
	if out := w.out.String(); w.marked && out[len(out)-1] == s[0] {
		w.out.WriteString(zwsp)
	}
	w.out.WriteString(s)
	w.marked = true
}

// inWord reports whether a mark next to r would have no effect.
func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (w *writer) at(i int) rune {
	if i >= len(w.plain) || w.plain[i] == '\n' {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(w.plain[i:])
	return r
}
