package markup

import (
	"strings"
	"unicode"
)

// A text is the visible text with its styles. It is split into parts before each part is written
// with a platform's marks, so that no cut lies inside marks.
type text struct {
	plain string
	spans []span // by start, outer before inner; two that overlap are nested
}

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
	heading // single line
	marker  // marker of a list item, written as it is
	address // a visible URL
	code    // inline code
	block   // lines of code
	kinds
)

// opaque spans are written literally and contain no other spans.
func (k kind) opaque() bool { return k >= marker }

func (k kind) inline() bool { return k <= link }

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

// trim removes white space at both ends, but keeps indentation inside code.
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
