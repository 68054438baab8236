// Package words has what the terminal says to people, in English and Spanish. The English is
// the key, as on the pages.
package words

import (
	_ "embed"
	"encoding/json"
	"strings"
	"sync"
)

//go:embed es.json
var es []byte

var spanish = sync.OnceValue(func() map[string]string {
	var list map[string]string
	if err := json.Unmarshal(es, &list); err != nil {
		panic(err) // it is part of the program, and a test reads it
	}
	return list
})

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
	text := english
	if l == Spanish {
		if s, ok := spanish()[english]; ok { // a test finds those that are not there
			text = s
		}
	}
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
