package web

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWordsOfPages proves that every sentence that pages say by their dictionary is in each
// other language, with the same {names}, and that nothing is there that nobody says.
func TestWordsOfPages(t *testing.T) {
	said := map[string]bool{}
	sentence, entry, name := regexp.MustCompile("\\bsay(?:With)?\\((?:[^\"`{}$]*\\? *)?("+literal+")(?: : ("+literal+"))?"), regexp.MustCompile(`(?m)^  ("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),$`), regexp.MustCompile(`\{\w+\}`)
	languages := map[string]string{}
	err := fs.WalkDir(os.DirFS("."), "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".js") || strings.Contains(path, "/vendor/") {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if strings.HasPrefix(path, "static/words/") {
			languages[path] = string(raw)
			return nil
		}
		if !strings.Contains(string(raw), `/words.js"`) {
			return nil
		}
		for _, found := range sentence.FindAllStringSubmatch(string(raw), -1) {
			for _, one := range found[1:] {
				said[one] = one != ""
			}
		}
		for _, found := range labels.FindAllStringSubmatch(string(raw), -1) {
			said[found[1]], said[found[2]] = true, true
		}
		return nil
	})
	if err != nil || len(said) < 10 || len(languages) == 0 {
		t.Fatalf("%d sentences, %d languages, %v", len(said), len(languages), err)
	}
	for path, raw := range languages {
		known := map[string]bool{}
		for _, found := range entry.FindAllStringSubmatch(raw, -1) {
			if known[found[1]] {
				t.Errorf("%s has %s twice", path, found[1])
			}
			known[found[1]] = true
			want, got := name.FindAllString(found[1], -1), name.FindAllString(found[2], -1)
			if slices.Sort(want); !slices.Equal(want, slices.Sorted(slices.Values(got))) {
				t.Errorf("%s: %s has other names than %s", path, found[2], found[1])
			}
		}
		delete(said, "")
		for _, one := range slices.Sorted(maps.Keys(said)) {
			if bad := banned.FindString(one); bad != "" {
				t.Errorf("%s has %q, which a friendly colleague would not say", one, bad)
			}
			if !known[one] {
				t.Errorf("%s has nothing for %s", path, one)
			}
		}
		for _, one := range slices.Sorted(maps.Keys(known)) {
			if !said[one] {
				t.Errorf("%s: nobody says %s", path, one)
			}
		}
	}
}

// banned are words that read like a riddle, a judgement or poetry, as in package texts.
var banned = regexp.MustCompile(`(?i)\b(nonsense|whoever|whomever|whatsoever|put to rest|what is more|so few as|be let in|turned away|master_admin|aforementioned|henceforth)\b|[^.]\.\.([^.]|$)`)

const literal = `"(?:[^"\\]|\\.)*"`

var labels = regexp.MustCompile(`act\(c\.\w+ \? ("\w+") : ("\w+")`)
