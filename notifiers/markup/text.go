package markup

import (
	"strings"
	"unicode"
)

// A text is what a person reads, with the places where it has a style.
//
// It is the middle of the way: the Markdown is read once into a text, the text
// is cut into parts, and every part is written in the marks of the platform by
// itself. So no cut can lie inside marks.
type text struct {
	plain string
	spans []span // by start, outer before inner; two that meet are nested
}

// A span is a style of plain[start:end].
type span struct {
	kind       kind
	start, end int
	level      int    // of a heading, from 1
	language   string // of a block
	url        string // of a link
}

type kind int

const (
	bold kind = iota
	italic
	strike
	link
	quote
	heading // one line
	marker  // the mark of a list item, written as it is
	address // a URL in plain sight
	code    // within a line
	block   // lines of code
	kinds
)

// opaque reports whether what is inside is written without looking for marks.
// Such a span contains no others.
func (k kind) opaque() bool { return k >= marker }

// inline reports whether k is written as a mark before and a mark behind.
func (k kind) inline() bool { return k <= link }

// slice returns the text between two places; spans are those that may touch it.
func (t text) slice(start, end int, spans []span) text {
	part := text{plain: t.plain[start:end]}
	for _, s := range spans {
		s.start, s.end = max(s.start, start)-start, min(s.end, end)-start
		if s.start < s.end {
			part.spans = append(part.spans, s)
		}
	}
	return part
}

// trim leaves out the blank lines before and the blank space behind, which no
// platform shows, and outside of code the blank space before too.
func (t text) trim() text {
	end := t.end()
	rest := strings.TrimLeftFunc(t.plain[:end], unicode.IsSpace)
	start := end - len(rest)
	if t.in(block, start) {
		start = strings.LastIndexByte(t.plain[:start], '\n') + 1
		for _, s := range t.spans {
			if s.kind == block && s.end > start {
				start = max(start, s.start)
				break
			}
		}
	}
	return t.slice(start, end, t.spans)
}

func (t text) end() int {
	end := len(strings.TrimRightFunc(t.plain, blank))
	for _, s := range t.spans {
		if s.kind == block && s.start < end && s.end > end {
			line, _, _ := strings.Cut(t.plain[end:s.end], "\n")
			end += len(line)
		}
	}
	return end
}

func (t text) in(k kind, at int) bool {
	for _, s := range t.spans {
		if s.kind == k && s.start <= at && at < s.end {
			return true
		}
	}
	return false
}

func (t text) render(p Platform) Message {
	t = t.trim()
	switch p {
	case Telegram:
		return t.telegram()
	case WhatsApp:
		return Message{Text: t.write(&whatsapp{})}
	default:
		return Message{Text: t.write(&discord{})}
	}
}
