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

// Consent reports whether a message as a whole means yes or no. A longer message is neither.
func Consent(text string) (yes, no bool) {
	plain := strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,!¡?¿;:", r)
	}), " ")
	return slices.Contains(agreeing, plain), slices.Contains(declining, plain)
}

// Declining returns the reason after a word that declines: "no, because it is too expensive". The
// reason may be empty.
func Declining(text string) (reason string, no bool) {
	text = strings.TrimSpace(text)
	if _, no := Consent(text); no {
		return "", true
	}
	first, rest, found := strings.Cut(text, " ")
	if i := strings.IndexAny(text, ",.:;\n"); i >= 0 && i < len(first) {
		first, rest, found = text[:i], text[i+1:], true
	}
	if _, no := Consent(first); !no || !found {
		return "", false
	}
	return strings.TrimSpace(strings.TrimLeft(rest, " ,.:;\n")), true
}
