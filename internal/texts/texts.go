// Package texts has what errand says to people in its own words, in each language.
// English and Spanish are shipped; an installation may say it differently, or in
// another language, see [New].
//
// A text has named placeholders: "There is no agent {agent}." What a model says
// is not here.
package texts

import (
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/language"
)

// English is the language that has every text, and is spoken where no other
// fits.
const English = "en"

//go:embed languages/*.json
var shipped embed.FS

// A Catalog has every text in every language that is offered. It does not
// change, and is safe for concurrent use.
type Catalog struct {
	tags    []string // English first, the others in order
	texts   map[string]map[string]string
	matcher language.Matcher
}

// New returns the shipped texts with overrides, by language and key, in place
// of those that they replace. A language that is not shipped may have some of
// the texts only; the others are said in the nearest language that is shipped. An
// override that is not good is an error, see [Catalog.Check].
func New(overrides map[string]map[string]string) (*Catalog, error) {
	c := &Catalog{texts: map[string]map[string]string{}}
	if err := c.readShipped(); err != nil {
		return nil, err
	}
	c.match()
	for _, tag := range slices.Sorted(maps.Keys(overrides)) {
		for _, key := range slices.Sorted(maps.Keys(overrides[tag])) {
			if err := c.Check(tag, key, overrides[tag][key]); err != nil {
				return nil, fmt.Errorf("texts: %s: %s: %w", tag, key, err)
			}
		}
		c.override(canonical(tag), overrides[tag])
	}
	c.match()
	return c, nil
}

// override puts texts in the place of a language's own. A language that is not
// there yet begins as the shipped one that is nearest to it.
func (c *Catalog) override(tag string, texts map[string]string) {
	if c.texts[tag] == nil {
		c.texts[tag] = maps.Clone(c.For(tag).texts)
		delete(c.texts[tag], "language") // what the nearest one is called
	}
	maps.Copy(c.texts[tag], texts)
}

func (c *Catalog) readShipped() error {
	files, err := shipped.ReadDir("languages")
	if err != nil {
		return fmt.Errorf("texts: %w", err)
	}
	for _, f := range files {
		text, err := shipped.ReadFile("languages/" + f.Name())
		if err != nil {
			return fmt.Errorf("texts: %w", err)
		}
		var list map[string]string
		if err := json.Unmarshal(text, &list); err != nil {
			return fmt.Errorf("texts: %s: %w", f.Name(), err)
		}
		c.texts[strings.TrimSuffix(f.Name(), path.Ext(f.Name()))] = list
	}
	return nil
}

// match prepares to tell which language fits a person's best. The first one is
// what the matcher falls back to.
func (c *Catalog) match() {
	c.tags = []string{English}
	for _, tag := range slices.Sorted(maps.Keys(c.texts)) {
		if tag != English {
			c.tags = append(c.tags, tag)
		}
	}
	tags := make([]language.Tag, len(c.tags))
	for i, tag := range c.tags {
		tags[i] = language.Make(tag)
	}
	c.matcher = language.NewMatcher(tags)
}

// canonical writes a language tag as the standard does: "es-MX" for "ES_mx".
func canonical(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	return t.String()
}

// For returns the texts in the first of some wanted languages (BCP 47: "es",
// "es-MX") that is offered or near to one that is; in English if none is.
func (c *Catalog) For(wanted ...string) Texts {
	for _, w := range wanted {
		if tag, sure := c.nearest(w); sure > language.No {
			return Texts{c.language(tag), c.texts[tag]}
		}
	}
	return Texts{c.language(English), c.texts[English]}
}

// longestTag bounds what is taken for the name of a language: people type it.
const longestTag = 40

func (c *Catalog) nearest(wanted string) (string, language.Confidence) {
	if wanted == "" || len(wanted) > longestTag {
		return "", language.No
	}
	t, err := language.Parse(wanted)
	if err != nil {
		return "", language.No
	}
	_, i, sure := c.matcher.Match(t)
	return c.tags[i], sure
}

// A Language is one that is offered.
type Language struct {
	Tag  string // "es"
	Name string // "Español"
}

// Languages returns the languages that are offered, English first.
func (c *Catalog) Languages() []Language {
	list := make([]Language, len(c.tags))
	for i, tag := range c.tags {
		list[i] = c.language(tag)
	}
	return list
}

// Find returns the language that somebody means who says "es", "es-MX",
// "Español" or "spanish"; ok is false where it is not offered.
func (c *Catalog) Find(word string) (Language, bool) {
	for _, tag := range c.tags {
		for _, name := range c.names(tag) {
			if strings.EqualFold(name, word) {
				return c.language(tag), true
			}
		}
	}
	if tag, sure := c.nearest(word); sure >= language.High {
		return c.language(tag), true
	}
	return Language{}, false
}

func (c *Catalog) language(tag string) Language { return Language{tag, c.names(tag)[0]} }

func (c *Catalog) names(tag string) []string {
	list := c.texts[tag]["language"]
	if list == "" {
		return []string{tag}
	}
	names := strings.Split(list, ",")
	for i, n := range names {
		names[i] = strings.TrimSpace(n)
	}
	return names
}

// Texts are the texts in one language.
type Texts struct {
	language Language
	texts    map[string]string
}

// Language returns the language that is spoken.
func (t Texts) Language() Language { return t.language }

// A Key is the key of a text. Among the values that fill in another text it stands
// for its own, in the same language.
type Key string

var shippedEnglish = sync.OnceValue(func() Texts {
	c, err := New(nil)
	if err != nil {
		panic(err) // they are part of the program, and a test reads them
	}
	return c.For(English)
})

// Shipped returns the English texts as they are shipped, whatever an installation
// says instead: what programs and logs read.
func Shipped() Texts { return shippedEnglish() }

// Fill is Say with values that may be texts themselves, by their [Key].
func (t Texts) Fill(key Key, args ...any) string {
	list := make([]string, len(args))
	for i, a := range args {
		if k, ok := a.(Key); ok {
			list[i] = t.Localize(string(k))
			continue
		}
		list[i] = fmt.Sprint(a)
	}
	return t.Localize(string(key), list...)
}

// Sentence is Fill for a text that may be a part of a sentence: it begins with a
// capital letter, unless a value comes first, and ends in a full stop.
func (t Texts) Sentence(key Key, args ...any) string {
	text := t.Fill(key, args...)
	if template := t.texts[string(key)]; !strings.HasPrefix(template, "{") && !strings.HasPrefix(template, "errand ") {
		first, size := utf8.DecodeRuneInString(text)
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	if !strings.ContainsAny(text[max(0, len(text)-1):], ".!?…") {
		text += "."
	}
	return text
}

// Number writes a number as people do in the language, with so many decimals; -1: as
// many as it has. The text "number.pattern" shows how.
func (t Texts) Number(n float64, decimals int) string {
	pattern := []rune(t.Localize("number.pattern"))
	point := string(pattern[len(pattern)-2])
	whole := pattern[:len(pattern)-2]
	const inGroup = 3
	at := len(whole) - inGroup - 1 // of what stands between two groups
	digits, rest, broken := strings.Cut(strconv.FormatFloat(n, 'f', decimals, 64), ".")
	if len(digits) >= len(whole)-1 {
		for i := len(digits) - inGroup; i > 0; i -= inGroup {
			digits = digits[:i] + string(whole[at]) + digits[i:]
		}
	}
	if broken {
		digits += point + rest
	}
	return digits
}

// Localize returns a text with its placeholders filled in: args are names and values
// in turn. What is filled in is not looked at again, whatever it says.
func (t Texts) Localize(key string, args ...string) string {
	text, ok := t.texts[key]
	if !ok {
		return key // a test finds every key that is used
	}
	pairs := make([]string, len(args))
	for i := range args {
		pairs[i] = args[i]
		if i%2 == 0 {
			pairs[i] = "{" + args[i] + "}"
		}
	}
	return strings.NewReplacer(pairs...).Replace(text)
}
