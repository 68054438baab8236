// Package answer interprets a person's text as the answer to a question, by its options or schema.
package answer

import (
	"slices"
	"strconv"
	"strings"

	"errand/internal/core"
)

// Fits returns the answer that text gives to q, or an *[core.AnswerError] that describes a valid
// answer. An option matches by its words, in any case, or by its number. A schema is validated.
// Otherwise any text is an answer.
func Fits(q *core.Question, text string) (answer string, err error) {
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", &core.AnswerError{Code: core.MisfitEmpty}
	case len(q.Options) > 0:
		if o, ok := option(q, text); ok {
			return o, nil
		}
		return "", &core.AnswerError{Code: core.MisfitOptions, Want: strings.Join(q.Options, ", ")}
	case len(q.Schema) > 0:
		schema, err := ParseAnswerSchema(q.Schema)
		if err != nil {
			return "", err
		}
		answer, misfit := Read(&schema, text)
		if misfit != nil {
			return "", misfit
		}
		return answer, nil
	}
	return text, nil
}

func option(q *core.Question, text string) (string, bool) {
	same := func(o string) bool { return strings.EqualFold(plainWords(o), plainWords(text)) }
	if i := slices.IndexFunc(q.Options, func(o string) bool { return strings.TrimSpace(o) == text }); i >= 0 {
		return q.Options[i], true
	}
	if i := slices.IndexFunc(q.Options, same); i >= 0 {
		return q.Options[i], true
	}
	n, err := strconv.Atoi(strings.TrimRight(text, ".)"))
	if err != nil || n < 1 || n > len(q.Options) {
		return "", false
	}
	return q.Options[n-1], true
}

// plainWords removes what people leave out when they retype an option.
func plainWords(s string) string {
	return strings.Trim(strings.Join(strings.Fields(s), " "), " .!?\"'“”«»")
}
