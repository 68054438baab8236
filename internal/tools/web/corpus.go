package web

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// articles are fictional pages. Their addresses cannot be registered (RFC 2606).
//
//go:embed corpus/*.md
var articles embed.FS

const shippedNote = "This page is shipped with errand for its demonstration. It is made up: no such trains, shops or sites exist."

// ShippedPages returns the pages that are part of errand, by address.
func ShippedPages() map[string]Page {
	pages := map[string]Page{}
	for _, a := range shippedArticles() {
		pages[a.address] = a.Page
	}
	return pages
}

func shippedArticles() []fetchedPage {
	files, err := articles.ReadDir("corpus")
	if err != nil {
		panic(err) // cannot happen: the files are embedded
	}
	var list []fetchedPage
	for _, f := range files {
		raw, err := articles.ReadFile("corpus/" + f.Name())
		if err != nil {
			panic(err)
		}
		head, text, _ := strings.Cut(strings.TrimPrefix(string(raw), "---\n"), "\n---\n")
		a := fetchedPage{Page: Page{Text: strings.TrimSpace(text), Note: shippedNote}}
		for line := range strings.Lines(head) {
			key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			switch value = strings.Trim(value, `"`); key {
			case "title":
				a.Title = value
			case "address":
				a.address = value
			case "date":
				a.Date = value
			}
		}
		list = append(list, a)
	}
	return list
}

// A Corpus is an engine that searches the shipped pages.
type Corpus struct{ articles []fetchedPage }

// NewCorpus returns a Corpus of the shipped pages.
func NewCorpus() Corpus { return Corpus{shippedArticles()} }

// Name makes clear that this is not the web.
func (c Corpus) Name() string {
	return fmt.Sprintf("the %d pages that are shipped with errand's demonstration", len(c.articles))
}

// Search ranks pages by the number of different query words that they contain. A word in
// the title counts three times. It omits pages that have only one of several words.
func (c Corpus) Search(_ context.Context, query string, n int) ([]Result, error) {
	wanted := words(query)
	type hit struct {
		Result
		score int
	}
	var hits []hit
	for _, a := range c.articles {
		title, text := words(a.Title), words(a.Text)
		score, found := 0, 0
		for w := range wanted {
			if title[w] || text[w] {
				found++
				score++
			}
			if title[w] {
				score += 2
			}
		}
		if found == 0 || found == 1 && len(wanted) > 2 && score < 3 {
			continue
		}
		first, _, _ := strings.Cut(a.Text, "\n")
		hits = append(hits, hit{Result{Title: a.Title, Address: a.address, Excerpt: first, Date: a.Date}, score})
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	var results []Result
	for _, h := range hits[:min(n, len(hits))] {
		results = append(results, h.Result)
	}
	return results, nil
}

var fillers = rawWords("a an and any are as at be by can compare comparison could do does explain find for from get give has have how i in into is it know look me my of on one only or out please research say should so some tell than that the their there they this to two up us was way we were what when where which who why will with would you your")

func words(text string) map[string]bool {
	set := rawWords(text)
	for w := range fillers {
		delete(set, w)
	}
	return set
}

func rawWords(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = strings.TrimSuffix(w, "s")
		}
		if strings.HasSuffix(w, "oe") {
			w = strings.TrimSuffix(w, "e") // tomatoes
		}
		set[w] = true
	}
	return set
}
