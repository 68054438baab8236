package markup

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSpaces allows for deep indentation. maxMarks is more than any language uses.
const (
	maxSpaces   = 100 // in a row, within a line
	maxNewlines = 20  // in a row
	maxMarks    = 16  // combining characters on one letter
)

// A cleaner removes characters that are invisible, reorder the text, or repeat excessively. The
// zero value is for the start of a text.
type cleaner struct {
	prev     rune // the last character that was kept; 0 at the start
	spaces   int
	newlines int
	marks    int
	tags     bool // inside a flag that is spelled with tags
}

func clean(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var c cleaner
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s { // invalid UTF-8 becomes U+FFFD
		if r, ok := c.next(r); ok {
			b.WriteRune(r)
		}
	}
	return b.String()
}

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
		// A joiner or selector has a meaning only once, and only after a visible
		// character.
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
	zwsp      = "\u200b" // clean removes it from input, so that only this package inserts it
	blackFlag = '\U0001F3F4'
)

func blank(r rune) bool {
	return unicode.IsSpace(r) || r == '\u200e' || r == '\u200f' || r == '\u061c'
}

// tag letters spell the flags of regions. Elsewhere they can hide text from a reader.
func tag(r rune) bool { return r >= 0xE0020 && r <= 0xE007F }

// hidden reports whether r is invisible or reorders other characters.
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

func visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !blank(r) })
}
