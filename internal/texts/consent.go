package texts

import (
	"slices"
	"strings"
	"unicode"
)

// These words cover the languages of the questions and other common languages.
var (
	agreeing  = []string{"yes", "y", "yep", "yeah", "ok", "okay", "sure", "please", "please do", "yes please", "go ahead", "do it", "sí", "si", "vale", "claro", "sí por favor", "si por favor", "dale", "ja", "oui", "da", "👍"}
	declining = []string{"no", "n", "nope", "no thanks", "no thank you", "not now", "don't", "stay", "no gracias", "mejor no", "nein", "non", "nej", "nei", "👎"}
)

// Consent reports whether a message as a whole means yes or no. A longer message or a question is
// neither.
func Consent(text string) (yes, no bool) {
	word := plain(text)
	return slices.Contains(agreeing, word), slices.Contains(declining, word)
}

// plain returns text in lower case, without punctuation except question marks.
func plain(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,!¡;:", r)
	}), " ")
}

// Chosen returns the index of the option that a message names; -1: none.
func Chosen(options []string, text string) int {
	return slices.IndexFunc(options, func(option string) bool { return plain(option) == plain(text) })
}

// Declining returns the reason after a word that declines: "no, because it is too expensive". The
// reason may be empty. words also decline.
func Declining(text string, words ...string) (reason string, no bool) {
	declines := func(text string) bool {
		_, no := Consent(text)
		return no || Chosen(words, text) >= 0
	}
	text = strings.TrimSpace(text)
	if declines(text) {
		return "", true
	}
	first, rest, found := strings.Cut(text, " ")
	if i := strings.IndexAny(text, ",.:;\n"); i >= 0 && i < len(first) {
		first, rest, found = text[:i], text[i+1:], true
	}
	if !declines(first) || !found {
		return "", false
	}
	return strings.TrimSpace(strings.TrimLeft(rest, " ,.:;\n")), true
}
