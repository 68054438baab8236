package discord

import "strings"

// zwsp after an @ prevents a mention, in addition to allowed_mentions.
const zwsp = "\u200b"

// MaxMessage is the maximum length of a message in code points.
const MaxMessage = 2000

// Escape escapes Markdown characters. It does not change URLs, because a backslash would become
// part of them.
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
