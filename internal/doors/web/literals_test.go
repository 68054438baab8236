package web

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var spoken = map[string]string{
	"ask Sasha to compare night trains to Oslo, in the background": "is what a model is asked: the demonstration understands English",
	"ask Finn to explain what a mutex is":                          "as above",
	"what is running?":                                             "as above",
}

// TestNoLiteralSentencesOnPages proves that what people read on pages is in the
// catalog: no template has words of its own, and no module a string with two words.
func TestNoLiteralSentencesOnPages(t *testing.T) {
	files := 0
	err := fs.WalkDir(os.DirFS("."), "static", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasPrefix(filepath.Ext(path), ".ts") || strings.Contains(path, "/vendor/") || d.Name() == "api_types.ts" {
			return err
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		files++
		for _, found := range literals(string(raw)) {
			if spoken[found] == "" {
				t.Errorf("%s: %q is in English in every language: give it a key in internal/texts/languages", path, found)
			}
		}
		return nil
	})
	if err != nil || files < 60 {
		t.Fatalf("%d modules, %v", files, err)
	}
}

// TestLiteralsAreFound proves what is taken for a sentence, and what is not.
func TestLiteralsAreFound(t *testing.T) {
	for code, want := range map[string]int{
		`return <p>Not a word</p>;`:                                 1,
		`return <button>Send</button>;`:                             1,
		`return <code>errand open</code>;`:                          0,
		`return <p class="row muted">{say("page.not_a_word")}</p>;`: 0,
		`<i class={on ? "row muted" : "row"}>`:                      0,
		`<input placeholder="Search" />`:                            1,
		`const x = "nobody is here";`:                               1,
		"const x = `nobody has ${n}`;":                              1,
		`say(n === 1 ? "one thing" : "many things", {n})`:           2,
		`say(n === 1 ? "page.thing" : "page.things", {n})`:          0,
		`console.warn("nobody reads this")`:                         0,
		"// nobody reads \"any of this\"":                           0,
	} {
		if got := literals(code); len(got) != want {
			t.Errorf("%s: %q", code, got)
		}
	}
}

const literal = `"(?:[^"\\]|\\.)*"`

var (
	comment   = regexp.MustCompile(`(?m)(^|\s)//.*$`)
	notRead   = regexp.MustCompile(`(?m)^import .*$|console\.warn\(.*$`)
	forStyle  = regexp.MustCompile("\\b(?:class|rel)(?:=|: )(?:" + literal + "|\\$?\\{[^}]*\\}|`[^`]*`)|kind: " + literal + "|return " + `"act end"`)
	twoWords  = regexp.MustCompile(`[A-Za-z’']{2,} [a-z’']{2,}`)
	noWords   = regexp.MustCompile(`[=<>/#\[(]|^(reply question|small \w+|card current)$`)
	aString   = regexp.MustCompile(`"((?:[^"\\]|\\.)*)"|` + "`([^`$]*)")
	inElement = regexp.MustCompile("<(\\w+)(?:\\s[^<>`]*[^=<>`])?>([A-Za-z][^<>$`{}]*)")
	attribute = regexp.MustCompile(`(?:aria-label|placeholder|alt|title)="([A-Za-z][^"]*)"`)
	names     = []string{"Temporal", "errand", "Escape", "Markdown", "JSON", "UTC", "Discord", "BotFather", "Message Content Intent", "errand.yaml"} // the same in every language
)

func literals(module string) (found []string) {
	module = notRead.ReplaceAllString(comment.ReplaceAllString(module, ""), "")
	add := func(text string) {
		for _, name := range names {
			if text == name {
				return
			}
		}
		found = append(found, text)
	}
	for _, m := range inElement.FindAllStringSubmatch(module, -1) {
		if m[1] != "code" && m[1] != "kbd" {
			add(strings.TrimSpace(m[2]))
		}
	}
	for _, m := range attribute.FindAllStringSubmatch(module, -1) {
		add(m[1])
	}
	for _, line := range strings.Split(forStyle.ReplaceAllString(module, ""), "\n") {
		for _, m := range aString.FindAllStringSubmatch(line, -1) {
			if text := fmt.Sprint(m[1], m[2]); twoWords.MatchString(text) && !noWords.MatchString(text) {
				add(text)
			}
		}
	}
	return found
}
