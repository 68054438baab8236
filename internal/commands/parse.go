package commands

import (
	"strings"
	"unicode"

	"errand/internal/core"
)

// Is reports whether a message is the command name, such as "/stop".
func Is(name, text string) bool {
	word, _ := nextWord(text)
	return isName(name, word)
}

// In reports whether a message is a command, or contains one after other words.
func In(text string) bool { return core.IsCommand(text) || core.HasTeamCall(text) }

// Unescape removes the escape of a command: the agent reads "//text" as "/text".
func Unescape(text string) string {
	if strings.HasPrefix(text, "//") {
		return text[1:]
	}
	return text
}

// isName ignores case and punctuation, because people write "/status." and "/supervisor, show me".
func isName(name, word string) bool {
	return strings.EqualFold(name, trimStop(word))
}

func trimStop(word string) string { return strings.TrimRight(word, ".,;:!?…") }

func nextWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		return text, ""
	}
	return text[:end], strings.TrimSpace(text[end:])
}

// split returns the arguments, and as then the text for the agent that leads afterwards.
func (c command) split(text string) (words []string, then string) {
	if c.name == "/task" { // the text behind the id stays as it was written
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
