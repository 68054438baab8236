package discord

import "strings"

// zwsp between an @ and its name keeps it from being a mention. allowed_mentions
// does so too; two locks are better than one.
const zwsp = "\u200b"

// MaxMessage is how much one message holds, in code points.
const MaxMessage = 2000

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
