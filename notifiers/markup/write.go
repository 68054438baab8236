package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A dialect is the marks of a platform that has its styles in the text.
type dialect interface {
	// marks returns what opens and closes s when it is written from at to end,
	// which lie within one line; both empty where the platform cannot show it.
	marks(w *writer, s span, at, end int) (before, behind string)
	// char returns how the character at a place is written as itself.
	char(w *writer, at int, r rune) string
	// code and block write code, line is what stands before every line.
	code(s string) string
	block(s, language, line string) string
	// heading returns what stands before a heading.
	heading(level int) string
}

// A writer writes a text in a dialect. Marks are opened with the first character
// that shows and closed behind the last, line by line: no platform shows a mark
// that has blank space inside.
type writer struct {
	text
	dialect dialect
	out     strings.Builder

	active  []span // that reach over the place, outer before inner
	open    []openMark
	held    string // blank space that is not written yet
	fresh   bool   // nothing of the line is written
	first   bool   // nothing that shows is written in the line, or in the list item
	glued   bool   // behind an address, without blank space between
	marked  bool   // the last that was written is a mark
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

// dropEnded forgets the spans that are over.
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
		case w.glued: // the marks of code would be taken for a part of the address
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

// line returns what stands before every line of a quote.
func (w *writer) line() string {
	for _, s := range w.active {
		if s.kind == quote {
			return "> "
		}
	}
	return ""
}

// begin writes what stands before a line.
func (w *writer) begin() {
	w.fresh = false
	w.out.WriteString(w.line())
	for _, s := range w.active {
		if s.kind == heading {
			w.out.WriteString(w.dialect.heading(s.level))
		}
	}
}

// sync closes the marks that are over, writes the blank space that was held, and
// opens the marks that begin.
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
		if !w.glued { // behind an address a mark is a part of it
			before, behind = w.dialect.marks(w, s, at, end)
		}
		w.mark(before)
		w.open = append(w.open, openMark{s, behind})
	}
}

// closeTo closes marks until n are open.
func (w *writer) closeTo(n int) {
	for len(w.open) > n {
		last := w.open[len(w.open)-1]
		w.open = w.open[:len(w.open)-1]
		w.mark(last.behind)
		w.glued = w.glued && last.behind == "" // an address ends where the mark around it does
	}
}

// mark writes a mark, apart from one of the same character before it.
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

// inWord reports whether r is part of a word, beside which a mark is none.
func inWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

func (w *writer) at(i int) rune {
	if i >= len(w.plain) || w.plain[i] == '\n' {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(w.plain[i:])
	return r
}
