package texts

import (
	"regexp"
	"testing"
)

// banned are words that read like a riddle, a judgement or poetry, by language.
var banned = map[string]*regexp.Regexp{
	English: regexp.MustCompile(`(?i)\b(nonsense|whoever|whomever|whatsoever|put to rest|what is more|so few as|let in|turned away|master_admin|aforementioned|henceforth)\b|\.\.$|[^.]\.\.[^.]`),
	"es":    regexp.MustCompile(`(?i)\b(disparate|tontería|quienquiera|master_admin)\b|[^.]\.\.([^.]|$)`),
}

// TestNoBannedWords proves that no text has a word that a friendly colleague would not
// use, nor two full stops.
func TestNoBannedWords(t *testing.T) {
	c := catalog(t, nil)
	for tag, words := range banned {
		if len(c.texts[tag]) < 500 {
			t.Fatalf("only %d texts in %s", len(c.texts[tag]), tag)
		}
		for key, text := range c.texts[tag] {
			if found := words.FindString(text); found != "" {
				t.Errorf("%s, %s: %q in %q", tag, key, found, text)
			}
		}
	}
}
