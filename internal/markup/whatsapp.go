package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// whatsapp writes WhatsApp's marks, which work only at the edge of a word, around visible text,
// within one line. WhatsApp has no escapes, so an accidental mark gets an invisible character on
// each side.
type whatsapp struct {
	line int          // end of the line that last describes
	last map[rune]int // by mark: last place in the line where it could close
}

func (*whatsapp) heading(int) string { return "" }

var whatsappMarks = map[kind]string{bold: "*", italic: "_", strike: "~"}

func (*whatsapp) marks(w *writer, s span, at, end int) (before, behind string) {
	if inWord(w.lastSee) || inWord(w.at(end)) {
		return "", ""
	}
	m := whatsappMarks[s.kind]
	return m, m
}

func (d *whatsapp) char(w *writer, at int, r rune) string {
	rest := w.plain[at:]
	switch r {
	case '*', '_', '~', '`':
		if w.glued {
			break
		}
		for _, o := range w.open {
			if o.behind == string(r) && !inWord(w.at(at+1)) {
				return zwsp + string(r) + zwsp
			}
		}
		if r == '`' && w.lastSee == '`' {
			return zwsp + "`"
		}
		after := w.at(at + 1)
		if !inWord(w.lastSee) && after != 0 && !unicode.IsSpace(after) && d.closes(w, at, r) || r == '`' && d.closes(w, at, r) {
			return zwsp + string(r) + zwsp
		}
	case '>':
		if w.first && strings.HasPrefix(rest, "> ") {
			return zwsp + ">"
		}
	}
	return string(r)
}

// closes scans a line once for all marks in it.
func (d *whatsapp) closes(w *writer, at int, mark rune) bool {
	if d.last == nil || at >= d.line {
		d.last = map[rune]int{}
		d.line = len(w.plain)
		if i := strings.IndexByte(w.plain[at:], '\n'); i >= 0 {
			d.line = at + i
		}
		before := rune(' ')
		for i, r := range w.plain[at:d.line] {
			if i > 0 && strings.ContainsRune("*_~`", r) && !unicode.IsSpace(before) && !inWord(w.at(at+i+utf8.RuneLen(r))) {
				d.last[r] = at + i
			}
			before = r
		}
	}
	return d.last[mark] > at
}

// code uses three back-ticks if s contains any, and a space to separate those at the ends of s.
func (*whatsapp) code(s string) string {
	if !strings.Contains(s, "`") {
		return "`" + s + "`"
	}
	if strings.HasPrefix(s, "`") {
		s = " " + s
	}
	if strings.HasSuffix(s, "`") {
		s += " "
	}
	return "```" + fenceless(s) + "```"
}

// block adds a line break to separate the marks from back-ticks at the ends of s.
func (*whatsapp) block(s, _, line string) string {
	if strings.HasPrefix(s, "`") {
		s = "\n" + s
	}
	if strings.HasSuffix(s, "`") {
		s += "\n"
	}
	return "```" + strings.ReplaceAll(fenceless(s), "\n", "\n"+line) + "```"
}

// fenceless separates runs of three back-ticks with invisible characters, because WhatsApp has no
// other mark for code and no escapes.
func fenceless(s string) string {
	return fences.ReplaceAllStringFunc(s, func(run string) string {
		return strings.TrimSuffix(strings.Repeat("`"+zwsp, len(run)), zwsp)
	})
}

var fences = regexp.MustCompile("`{3,}")
