// Package prompt has errand's own texts for models: rules, the status note, marks, and results of
// calls that were not carried out. It also removes the nonce of a prompt from texts that people or
// other agents read.
package prompt

import (
	"strings"

	"errand/internal/core"
)

// Without returns text without the nonce n, which a model may repeat in a text that others read.
func Without(n core.Nonce, text string) string {
	if n == "" || !strings.Contains(text, strings.TrimPrefix(string(n), core.NonceSign)) {
		return text
	}
	f := Filter(n)
	return f.Next(text) + f.Rest()
}

// Reseal replaces the nonce drawn, which the marks of text contain, by n. If text already contains
// n, an outsider who knows n wrote it: Reseal removes it first, so that their marks are not valid.
func Reseal(n core.Nonce, text string, drawn core.Nonce) string {
	if n == drawn {
		return text
	}
	return strings.ReplaceAll(Without(n, text), string(drawn), string(n))
}

// Filter returns a filter for the nonce n.
func Filter(n core.Nonce) *NonceFilter {
	drawn := strings.TrimPrefix(string(n), core.NonceSign)
	if drawn == "" {
		return &NonceFilter{}
	}
	escaped := `\u00a7` + drawn // as in the arguments of a call
	return &NonceFilter{words: []string{string(n) + " ", string(n), escaped + " ", escaped, drawn}}
}

// A NonceFilter removes a nonce from a text in pieces, even if the nonce is split between pieces.
type NonceFilter struct {
	words []string // ways to write the nonce, longer ones first
	held  string   // the end of the text so far, which may be the beginning of the nonce
}

// Next returns the text that can be shown after piece.
func (f *NonceFilter) Next(piece string) (shown string) {
	shown, f.held = f.take(f.held+piece, false)
	return shown
}

// Rest returns the text that is still held back. The filter can then be used for another text.
func (f *NonceFilter) Rest() (shown string) {
	shown, _ = f.take(f.held, true)
	f.held = ""
	return shown
}

// take removes the nonce from text. Unless whole is set, it holds back an end that may be the
// beginning of the nonce.
func (f *NonceFilter) take(text string, whole bool) (shown, held string) {
	var s strings.Builder
scan:
	for text != "" {
		for _, word := range f.words {
			if rest, found := strings.CutPrefix(text, word); found {
				text = rest
				continue scan
			}
			if !whole && strings.HasPrefix(word, text) {
				break scan
			}
		}
		s.WriteByte(text[0])
		text = text[1:]
	}
	return s.String(), text
}
