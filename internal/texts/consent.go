package texts

import (
	"slices"
	"strings"
	"unicode"
)

// Words that agree to a question, and that decline it, in the languages in which
// it is asked and the larger ones around.
var (
	agreeing  = []string{"yes", "y", "yep", "yeah", "ok", "okay", "sure", "please", "please do", "yes please", "go ahead", "do it", "sí", "si", "vale", "claro", "sí por favor", "si por favor", "dale", "ja", "oui", "da", "👍"}
	declining = []string{"no", "n", "nope", "no thanks", "no thank you", "not now", "don't", "stay", "no gracias", "mejor no", "nein", "non", "nej", "nei", "👎"}
)

// Consent says whether a message as a whole agrees to, or declines, what was asked.
// Anything longer is a message like every other.
func Consent(text string) (yes, no bool) {
	plain := strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune(".,!¡?¿;:", r)
	}), " ")
	return slices.Contains(agreeing, plain), slices.Contains(declining, plain)
}

// Declining returns the reason that a message gives which begins with a word that
// declines: "no, because it is too expensive". Of one that only declines it is empty.
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
