package commands

import (
	"strings"
	"unicode"

	"errand"
	"errand/internal/team"
)

// Is reports whether a message is a command, of that name: "/stop".
func Is(name, text string) bool {
	word, _ := nextWord(text)
	return isName(name, word)
}

// In reports whether a message is a command, or has one behind other words.
func In(text string) bool { return errand.IsCommand(text) || team.Has(text) }

// Unescape takes away what keeps a message from being a command: "//text" is
// "/text" to the agent.
func Unescape(text string) string {
	if strings.HasPrefix(text, "//") {
		return text[1:]
	}
	return text
}

// isName reports whether a word is a command, in any case: people write
// "/status." and "/supervisor, show me" as they would in a sentence.
func isName(name, word string) bool {
	return strings.EqualFold(name, trimStop(word))
}

// trimStop is a word without the punctuation behind it.
func trimStop(word string) string { return strings.TrimRight(word, ".,;:!?…") }

func nextWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// split takes the words of a command from what is behind its name; then is what is
// left for whoever leads afterwards.
func (c command) split(text string) (words []string, then string) {
	if c.name == "/task" { // what is behind the id is said as it was written
		id, rest := nextWord(text)
		for _, word := range []string{trimStop(id), rest} {
			if word != "" {
				words = append(words, word)
			}
		}
		return words, ""
	}
	if !c.then {
		return strings.Fields(text), ""
	}
	for then = text; then != "" && len(words) < c.most; {
		var word string
		if word, then = nextWord(then); trimStop(word) != "" {
			word = trimStop(word)
		}
		words = append(words, word)
	}
	return words, then
}
