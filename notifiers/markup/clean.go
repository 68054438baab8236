package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of the same is let through. Indentation is wider than anybody's, and
// no language puts more marks on a letter.
const (
	maxSpaces   = 100 // in a row, within a line
	maxNewlines = 20  // in a row
	maxMarks    = 16  // combining characters on one letter
)

// A cleaner takes the characters of a text one after the other and leaves out
// those that do harm: they are invisible, move what is shown elsewhere, or come
// in floods. The zero value is at the start of a text.
type cleaner struct {
	prev     rune // the last that was let through; 0 at the start
	spaces   int
	newlines int
	marks    int
	tags     bool // in a flag that is spelled with tags
}

// clean returns s without what does harm, with \n as the only line ending.
func clean(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var c cleaner
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s { // bytes that are no UTF-8 arrive as U+FFFD
		if r, ok := c.next(r); ok {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// next says what becomes of r; ok is false if it is left out.
func (c *cleaner) next(r rune) (_ rune, ok bool) {
	switch r {
	case '\r', '\u0085', '\u2028', '\u2029':
		r = '\n'
	case '\v', '\f':
		r = ' '
	}
	if !c.allowed(r) {
		return 0, false
	}
	c.prev = r
	return r, true
}

func (c *cleaner) allowed(r rune) bool {
	c.tags = c.tags && tag(r) || r == blackFlag
	switch {
	case r == '\n':
		if c.newlines++; c.newlines > maxNewlines {
			return false
		}
		c.spaces, c.marks = 0, 0
		return true
	case blank(r):
		if c.spaces++; c.spaces > maxSpaces {
			return false
		}
		c.marks = 0
		return true
	case unicode.IsControl(r), hidden(r), noncharacter(r):
		return false
	case tag(r):
		return c.tags && c.combines()
	case r == zwj, r == zwnj, unicode.Is(unicode.Variation_Selector, r):
		// One of them says something, several say nothing, and so does one
		// without a character before it.
		return c.prev != 0 && c.prev != r && !blank(c.prev) &&
			(r != zwnj || c.prev != zwj) && (r == zwj || c.prev != zwnj) && c.combines()
	case unicode.In(r, unicode.Mn, unicode.Me):
		return c.combines()
	}
	c.spaces, c.newlines = 0, 0
	if c.prev != zwj {
		c.marks = 0
	}
	return true
}

func (c *cleaner) combines() bool {
	c.marks++
	return c.marks <= maxMarks
}

const (
	zwnj      = '\u200c'
	zwj       = '\u200d'
	zwsp      = "\u200b" // never in a clean text: what defuses is known by it
	blackFlag = '\U0001F3F4'
)

// blank reports whether r shows nothing where it stands: white space, and the
// marks that only give a direction.
func blank(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200e' || r == '\u200f' || r == '\u061c'
}

// tag reports whether r is one of the invisible letters that spell the flags of
// regions, and with which text can be smuggled past a reader.
func tag(r rune) bool { return r >= 0xE0020 && r <= 0xE007F }

// hidden reports whether r has no shape of its own, or reorders what others see.
func hidden(r rune) bool {
	switch {
	case r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069': // bidirectional embeddings, overrides, isolates
		return true
	case r == '\u200b', r == '\ufeff', r == '\u00ad', r == '\u034f', r == '\u180e', r == 0xE0001:
		return true
	case r >= '\u2060' && r <= '\u2065', r >= '\u206a' && r <= '\u206f', r >= '\ufff9' && r <= '\ufffb':
		return true
	}
	return false
}

func noncharacter(r rune) bool {
	return r&0xFFFE == 0xFFFE || r >= 0xFDD0 && r <= 0xFDEF || !utf8.ValidRune(r)
}

// visible reports whether s shows anything.
func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !blank(r) })
}
