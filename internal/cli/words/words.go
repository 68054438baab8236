// Package words has what the terminal says to people, in English and Spanish. The English is
// the key, as on the pages.
package words

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
)

var (
	//go:embed es.json
	es []byte
	//go:embed help_es.json
	helpES []byte

	spanish     = sync.OnceValue(func() map[string]string { return catalogue(es) })
	spanishHelp = sync.OnceValue(func() map[string]string { return catalogue(helpES) })
)

func catalogue(raw []byte) map[string]string {
	var list map[string]string
	if err := json.Unmarshal(raw, &list); err != nil {
		panic(err) // it is part of the program, and a test reads it
	}
	return list
}

// A Language is one in which the terminal speaks. Its zero value is English.
type Language string

const (
	English Language = ""
	Spanish Language = "es"
)

// Of is the language that a tag (BCP 47) or a locale means ("es-MX", "es_ES.UTF-8"), or
// English. ok is false where it names none.
func Of(tag string) (l Language, ok bool) {
	base, _, _ := strings.Cut(strings.NewReplacer("_", "-", ".", "-", "@", "-").Replace(tag), "-")
	switch strings.ToLower(base) {
	case "", "c", "posix":
		return English, false
	case "es":
		return Spanish, true
	}
	return English, true
}

// OfLocale is the language of the environment, by the first variable that is set.
func OfLocale(getenv func(string) string) Language {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := getenv(name); locale != "" {
			l, _ := Of(locale)
			return l
		}
	}
	return English
}

// Say is a sentence in the language, with its placeholders filled in: args are names and
// values in turn. What is filled in is not looked at again.
func (l Language) Say(english string, args ...string) string {
	text := l.text(english)
	if len(args) == 0 {
		return text
	}
	pairs := make([]string, len(args))
	for i := range args {
		if pairs[i] = args[i]; i%2 == 0 {
			pairs[i] = "{" + args[i] + "}"
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// Sayf is a sentence in the language that is a format of package fmt. Another language may
// have the arguments in another order, by their indexes (%[2]s).
func (l Language) Sayf(format string, args ...any) string {
	if len(args) == 0 {
		return l.text(format)
	}
	return fmt.Sprintf(l.text(format), args...)
}

var terms = []string{
	"submitted", "working", "input_required", "completed", "failed", "canceled", "rejected", // tasks
	"active", "suspended", "ended", // sessions
	"open", "answered", "declined", "expired", "withdrawn", // questions
	"pending", "sending", "sent", "unknown", "blocked", "dismissed", // deliveries
	"connecting", "connected", "degraded", "logged out", "replaced", // connections
	"reminder active", "reminder done", "reminder canceled",
	"webhook waiting", "webhook due", "webhook sent", "webhook failed",
	"starting", "up", "down", "elsewhere", // MCP servers
	"question", "identity", "pairing", "note", "installation", // what the audit log is about
	"rows artifacts", "rows audit", "rows ended", "rows events", "rows histories", "rows inbox", "rows memory", "rows messages",
	"rows outbox", "rows pairings", "rows questions", "rows refusals", "rows reminders", "rows sessions", "rows tasks", "rows tokens", "rows turns", "rows usage",
	"YES", "NO", "ABSTAIN", "TIE", "NO_QUORUM", "invalid", "late", "absent", // verdicts and decisions
	"Guest", "Member", "Partner", "Admin", "Owner",
}

// Errorf is an error as [Language.Sayf] says it, which may wrap another (%w).
func (l Language) Errorf(format string, args ...any) error {
	return fmt.Errorf(l.text(format), args...)
}

// Term is a word of the API, such as a state, in the language; in English it is what one
// types, too. Of is what has it where the word depends on that, as a gender does.
func (l Language) Term(of, term string) string {
	if l == English {
		return term
	}
	if text, ok := spanish()[of+" "+term]; ok {
		return text
	}
	return l.text(term)
}

// Help is a text of a command's help in the language.
func (l Language) Help(english string) string {
	if text, ok := spanishHelp()[english]; ok && l == Spanish {
		return text
	}
	return english
}

// HelpTexts are the texts that help has in another language, by the English.
func HelpTexts() map[string]string { return spanishHelp() }

func (l Language) text(english string) string {
	if text, ok := spanish()[english]; ok && l == Spanish { // a test finds those that are not there
		return text
	}
	return english
}
