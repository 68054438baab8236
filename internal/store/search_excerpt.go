package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// characters before and after a match
const (
	excerptBefore = 50
	excerptAfter  = 130
)

func excerpt(text string, words []string) string {
	at := 0
	if t, ok := firstMatch(text, words); ok {
		at = t.begin
	}
	begin, end := at, at
	for n := 0; n < excerptBefore && begin > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(text[:begin])
		begin -= size
	}
	for n := 0; n < excerptAfter && end < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[end:])
		end += size
	}
	if i := strings.IndexFunc(text[begin:at], unicode.IsSpace); begin > 0 && i >= 0 {
		begin += i
	}
	if i := strings.LastIndexFunc(text[at:end], unicode.IsSpace); end < len(text) && i > excerptAfter/2 {
		end = at + i
	}
	line := strings.Join(strings.Fields(text[begin:end]), " ")
	if begin > 0 {
		line = "… " + line
	}
	if end < len(text) {
		line += " …"
	}
	return line
}

// firstMatch also matches words that begin with the last of words.
func firstMatch(text string, words []string) (token, bool) {
	folded := make([]string, len(words))
	for i, w := range words {
		folded[i] = foldWord(w)
	}
	begins, found := token{}, false
	for _, t := range tokens(text) {
		word := foldWord(text[t.begin:t.end])
		for i, w := range folded {
			if word == w {
				return t, true
			}
			if i == len(folded)-1 && !found && strings.HasPrefix(word, w) {
				begins, found = t, true
			}
		}
	}
	return begins, found
}

// begins reports whether a word of text begins with word, which must be folded.
func begins(text, word string) bool {
	return slices.ContainsFunc(tokens(text), func(t token) bool { return strings.HasPrefix(foldWord(text[t.begin:t.end]), word) })
}

func foldWord(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	plain, _, err := transform.String(transform.Chain(norm.NFD, runes.Remove(runes.In(unicode.Mn)), norm.NFC), word)
	if err != nil {
		plain = word
	}
	return strings.ToLower(plain)
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
