package errand

import (
	"encoding/json"
	"strings"
	"unicode"
)

// A ToolUse is one tool that a turn has called, and how often.
type ToolUse struct {
	Tool  string `json:"tool"`
	About string `json:"about,omitempty" description:"what its first call was about: the words of a search, an address, a path"`
	Calls int    `json:"calls"`
}

const longestAbout = 80 // characters

var aboutArguments = []string{"query", "url", "path", "name", "key", "title", "text", "id"}

// About says in a line what a call is about: one of its arguments; empty where none does.
// The words are a model's.
func (c ToolCall) About() string {
	var args map[string]any
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return ""
	}
	for _, name := range aboutArguments {
		if text, ok := args[name].(string); ok && strings.TrimSpace(text) != "" {
			return Cut(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " "), longestAbout)
		}
	}
	return ""
}
