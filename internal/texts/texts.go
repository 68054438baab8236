// Package texts is the catalogue of everything that errand itself says to people, in each language.
// It contains English and Spanish. An installation may change the texts or add languages, see
// [New].
//
// A text has named placeholders: "There is no agent {agent}." Texts for models are elsewhere.
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

// English is the language that has every text. It is the fallback.
const English = "en"

//go:embed languages/*.json
var shipped embed.FS

// A Catalog has all texts in all languages. It is immutable and safe for concurrent use.
type Catalog struct {
	tags    []string // English first, the others in order
	texts   map[string]map[string]string
	matcher language.Matcher
}

// New returns the shipped texts with overrides by language and key. A new language may override
// only some of the texts; the others come from the nearest shipped language. New returns an error
// for an invalid override, see [Catalog.Check].
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

// override starts a new language with the texts of the nearest shipped one.
func (c *Catalog) override(tag string, texts map[string]string) {
	if c.texts[tag] == nil {
		c.texts[tag] = maps.Clone(c.For(tag).texts)
		delete(c.texts[tag], "language") // the name of the nearest language
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

// match lists English first, because the matcher falls back to the first language.
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

// canonical returns a language tag in its standard form: "es-MX" for "ES_mx".
func canonical(tag string) string {
	t, err := language.Parse(tag)
	if err != nil {
		return tag
	}
	return t.String()
}

// For returns the texts in the first wanted language (BCP 47: "es", "es-MX") that the catalogue
// has or that is near to one of its languages. The default is English.
func (c *Catalog) For(wanted ...string) Texts {
	for _, w := range wanted {
		if tag, sure := c.nearest(w); sure > language.No {
			return Texts{c.language(tag), c.texts[tag]}
		}
	}
	return Texts{c.language(English), c.texts[English]}
}

// longestTag limits language names, because people type them.
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

// A Language is a language of the catalogue.
type Language struct {
	Tag  string // "es"
	Name string // "Español"
}

// Languages returns the languages of the catalogue, English first.
func (c *Catalog) Languages() []Language {
	list := make([]Language, len(c.tags))
	for i, tag := range c.tags {
		list[i] = c.language(tag)
	}
	return list
}

// Find returns the language called "es", "es-MX", "Español" or "spanish". ok is false if the
// catalogue does not have it.
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

// Tag returns the language tag of the texts, such as "es".
func (t Texts) Tag() string { return t.language.Tag }

// Under returns the texts whose keys begin with any of the prefixes.
func (t Texts) Under(prefixes ...string) map[string]string {
	list := maps.Clone(t.texts)
	maps.DeleteFunc(list, func(key, _ string) bool {
		return !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(key, p) })
	})
	return list
}

// Language returns the language of the texts.
func (t Texts) Language() Language { return t.language }

// A Key is the key of a text. As an argument of another text it is replaced with its own text in
// the same language.
type Key string

var shippedEnglish = sync.OnceValue(func() Texts {
	c, err := New(nil)
	if err != nil {
		panic(err) // impossible: a test parses the embedded files
	}
	return c.For(English)
})

// Shipped returns the shipped English texts, for programs and logs.
func Shipped() Texts { return shippedEnglish() }

// Fill is Localize with arguments that may be texts themselves, as a [Key].
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

// Sentence is Fill with a capital letter, unless the text begins with an argument, and a full stop.
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

// Number formats a number by the language's "number.pattern". decimals -1 keeps all decimals.
func (t Texts) Number(n float64, decimals int) string {
	pattern := []rune(t.Localize("number.pattern"))
	point := string(pattern[len(pattern)-2])
	whole := pattern[:len(pattern)-2]
	const inGroup = 3
	at := len(whole) - inGroup - 1 // of the group separator
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

// Localize returns a text with its placeholders filled in. args are names and values in turn. It
// does not expand placeholders in values.
func (t Texts) Localize(key string, args ...string) string {
	text, ok := t.texts[key]
	if !ok {
		return key // a test checks that every used key exists
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
