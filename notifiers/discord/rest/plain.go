package rest

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// zwsp between an @ and its name keeps it from being a mention. allowed_mentions
// does so too; two locks are better than one.
const zwsp = "\u200b"

// Longest is how much one message holds, in code points.
const Longest = 2000

// Plain makes messages of a text that is meant as it stands.
func Plain(text string) []string {
	var parts []string
	size := Longest
	if utf8.RuneCountInString(Escape(text)) > Longest {
		size = Longest / 2 // an escape doubles a character at most
	}
	for _, piece := range split(text, size) {
		parts = append(parts, Escape(piece))
	}
	return parts
}

// Escape keeps Discord from taking characters for marks. An address is left
// alone: a backslash would become part of it.
func Escape(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, word := range strings.SplitAfter(line, " ") {
			if strings.HasPrefix(word, "https://") || strings.HasPrefix(word, "http://") {
				b.WriteString(word)
				continue
			}
			escapeWord(&b, word, j == 0)
		}
	}
	return b.String()
}

func escapeWord(b *strings.Builder, word string, first bool) {
	for i, r := range word {
		switch {
		case strings.ContainsRune("\\*_~|`[]<>", r), first && i == 0 && strings.ContainsRune("#-+", r):
			b.WriteByte('\\')
		case (r == '.' || r == ')') && first && i > 0 && strings.Trim(word[:i], "0123456789") == "":
			b.WriteByte('\\')
		}
		b.WriteRune(r)
		if r == '@' {
			b.WriteString(zwsp)
		}
	}
}

// split cuts a text into pieces of at most size code points: at the end of a line
// if it can be, otherwise of a word. No piece is blank.
func split(text string, size int) []string {
	var pieces []string
	for text = strings.TrimSpace(text); text != ""; {
		end, line, word, n := len(text), 0, 0, 0
		for i, r := range text {
			if n++; n > size {
				end = i
				break
			}
			switch {
			case r == '\n':
				line = i
			case unicode.IsSpace(r):
				word = i
			}
		}
		if end < len(text) {
			switch {
			case line > end/2:
				end = line
			case word > end/2:
				end = word
			case line > 0:
				end = line
			}
		}
		if piece := strings.TrimSpace(text[:end]); piece != "" {
			pieces = append(pieces, piece)
		}
		text = strings.TrimLeftFunc(text[end:], unicode.IsSpace)
	}
	return pieces
}
