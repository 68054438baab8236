package texts

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/language"
)

// mostText is the size limit of an installation's own text in bytes, because it has to fit into one
// message on every platform.
const mostText = 2000

var placeholder = regexp.MustCompile(`\{[a-z_]+\}`)

// Check returns an error if an installation's own text has an unknown language or key, or other
// placeholders than the shipped text.
func (c *Catalog) Check(tag, key, text string) error {
	if err := CheckLanguage(tag); err != nil {
		return err
	}
	switch {
	case !c.Has(key):
		return errors.New("unknown key")
	case strings.TrimSpace(text) == "":
		return errors.New("is empty")
	case len(text) > mostText:
		return fmt.Errorf("is longer than %d bytes", mostText)
	case !utf8.ValidString(text):
		return errors.New("is not UTF-8 text")
	}
	want, got := placeholders(c.texts[English][key]), placeholders(text)
	for _, p := range want {
		if !slices.Contains(got, p) {
			return fmt.Errorf("the placeholder %s is missing: this text needs %s", p, strings.Join(want, ", "))
		}
	}
	for _, p := range got {
		if !slices.Contains(want, p) {
			if len(want) == 0 {
				return fmt.Errorf("unknown placeholder %s: this text has none", p)
			}
			return fmt.Errorf("unknown placeholder %s: this text has %s", p, strings.Join(want, ", "))
		}
	}
	return nil
}

// CheckLanguage returns an error for an invalid language tag.
func CheckLanguage(tag string) error {
	if t, err := language.Parse(tag); err != nil || len(tag) > longestTag || t == language.Und {
		return fmt.Errorf("%.40q is not a language tag such as es or pt-BR", tag)
	}
	return nil
}

// Keys returns the keys of all texts in order.
func (c *Catalog) Keys() []string { return slices.Sorted(maps.Keys(c.texts[English])) }

// Has reports whether there is a text with that key.
func (c *Catalog) Has(key string) bool { return c.texts[English][key] != "" }

// Placeholders returns the distinct placeholders of a text in order, without braces.
func (c *Catalog) Placeholders(key string) []string {
	list := placeholders(c.texts[English][key])
	for i, p := range list {
		list[i] = strings.Trim(p, "{}")
	}
	slices.Sort(list)
	return list
}

func placeholders(text string) []string {
	list := placeholder.FindAllString(text, -1)
	slices.Sort(list)
	return slices.Compact(list)
}
