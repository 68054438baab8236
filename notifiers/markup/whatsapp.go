package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// whatsapp writes the marks that WhatsApp's clients read: they count at the edge
// of a word, around something that is not blank, within one line. There are no
// escapes: what looks like a mark and is none gets an invisible character on
// either side.
type whatsapp struct {
	line int          // end of the line that closing is about
	last map[rune]int // last place in it where a mark of this character could end
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

// closes reports whether a mark that opens at a place could be closed in its
// line. It looks at a line once, however many marks are in it.
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

// code writes code within a line. What has back-ticks itself has to stand between
// three; a space keeps those at its ends apart from these.
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

// block writes lines of code. A line break keeps back-ticks at its ends apart from
// the marks.
func (*whatsapp) block(s, _, line string) string {
	if strings.HasPrefix(s, "`") {
		s = "\n" + s
	}
	if strings.HasSuffix(s, "`") {
		s += "\n"
	}
	return "```" + strings.ReplaceAll(fenceless(s), "\n", "\n"+line) + "```"
}

// fenceless keeps code from ending the block that it stands in. WhatsApp has no
// other marks for code than three back-ticks, and no escapes: three in a row are
// the one thing that does not arrive as it is.
func fenceless(s string) string {
	return fences.ReplaceAllStringFunc(s, func(run string) string {
		return strings.TrimSuffix(strings.Repeat("`"+zwsp, len(run)), zwsp)
	})
}

var fences = regexp.MustCompile("`{3,}")
