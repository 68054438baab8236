package lineedit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// A buffer is a text and a place in it, between two of what people see as characters.
type buffer struct {
	text string
	at   int
}

func (b *buffer) set(text string) { b.text, b.at = text, len(text) }

func (b *buffer) insert(text string) {
	b.text = b.text[:b.at] + text + b.text[b.at:]
	b.at += len(text)
}

// cut removes what is between two places, and returns it.
func (b *buffer) cut(from, to int) string {
	gone := b.text[from:to]
	b.text = b.text[:from] + b.text[to:]
	b.at = from
	return gone
}

// lineStart and lineEnd are the ends of the line that the place is in.
func (b *buffer) lineStart() int { return strings.LastIndexByte(b.text[:b.at], '\n') + 1 }

func (b *buffer) lineEnd() int {
	if n := strings.IndexByte(b.text[b.at:], '\n'); n >= 0 {
		return b.at + n
	}
	return len(b.text)
}

// left is where the character before the place begins.
func (b *buffer) left() int {
	from := b.lineStart()
	if from == b.at {
		return max(0, b.at-1) // a line end
	}
	state, rest := -1, b.text[from:b.at]
	for {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if rest == "" {
			return b.at - len(cluster)
		}
	}
}

func (b *buffer) right() int {
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(b.text[b.at:], -1)
	return b.at + len(cluster)
}

// wordLeft is where the word before the place begins, wordRight where the one behind it
// ends; isPart tells what a word is made of.
func (b *buffer) wordLeft(isPart func(rune) bool) int {
	text := strings.TrimRightFunc(b.text[:b.at], func(r rune) bool { return !isPart(r) })
	return len(strings.TrimRightFunc(text, isPart))
}

func (b *buffer) wordRight(isPart func(rune) bool) int {
	text := strings.TrimLeftFunc(b.text[b.at:], func(r rune) bool { return !isPart(r) })
	return len(b.text) - len(strings.TrimLeftFunc(text, isPart))
}

func isLetter(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.M) || r > unicode.MaxLatin1 && !unicode.In(r, unicode.Z, unicode.P)
}

func isNoSpace(r rune) bool { return !unicode.IsSpace(r) }

// up and down go to the line above or below, as far to the right as the place is now, and
// report whether there is one.
func (b *buffer) up() bool {
	start := b.lineStart()
	if start == 0 {
		return false
	}
	column := uniseg.GraphemeClusterCount(b.text[start:b.at])
	b.at = start - 1
	b.at = b.column(b.lineStart(), column)
	return true
}

func (b *buffer) down() bool {
	start, end := b.lineStart(), b.lineEnd()
	if end == len(b.text) {
		return false
	}
	b.at = b.column(end+1, uniseg.GraphemeClusterCount(b.text[start:b.at]))
	return true
}

func (b *buffer) column(start, n int) int {
	at, state, rest := start, -1, b.text[start:]
	for ; n > 0 && rest != "" && rest[0] != '\n'; n-- {
		var cluster string
		cluster, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		at += len(cluster)
	}
	return at
}

// transpose exchanges the two characters before the place, or around it.
func (b *buffer) transpose() {
	if b.at == b.lineStart() {
		return
	}
	if b.at < b.lineEnd() {
		b.at = b.right()
	}
	end := b.at
	b.at = b.left()
	middle := b.at
	if b.at == b.lineStart() {
		b.at = end
		return
	}
	from := b.left()
	b.text = b.text[:from] + b.text[middle:end] + b.text[from:middle] + b.text[end:]
	b.at = end
}

// clean leaves out of what is typed or pasted what is no text.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r != 0x7f && (r < 0x80 || r >= 0xa0) && r != utf8.RuneError {
			return r
		}
		return -1
	}, text)
}
