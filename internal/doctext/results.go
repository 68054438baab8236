package doctext

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A Result is one page that a search engine found. All engines have this shape, and no more.
type Result struct {
	Title   string
	Address string
	Excerpt string
	Date    string // as 2026-11-23, or as the engine says it; empty: unknown
}

// readResults reads DuckDuckGo's page of results, without ads.
func readResults(body []byte) (text Text) {
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return Text{Error: broken}
	}
	none := false // the page says so
	for n := range doc.Descendants() {
		none = none || hasClass(n, "no-results")
		if !hasClass(n, "result") || hasClass(n, "result--ad") {
			continue
		}
		var r Result
		for c := range n.Descendants() {
			if hasClass(c, "result__a") && r.Address == "" {
				r.Title, r.Address = textOf(c), duckTarget(attr(c, "href"))
			} else if hasClass(c, "result__snippet") {
				r.Excerpt = textOf(c)
			}
		}
		if r.Address != "" {
			text.Results = append(text.Results, r)
		}
	}
	if len(text.Results) == 0 && !none {
		text.Error = "it contains no results and does not say that there are none: it has changed, or it is not a page of results. " +
			"The operator can choose another engine in errand.yaml (web.search)"
	}
	return text
}

// duckTarget is where a link of a result leads: results name it in a parameter.
func duckTarget(href string) string {
	u, err := url.Parse(href)
	if err != nil {
		return ""
	}
	if to := u.Query().Get("uddg"); to != "" {
		return to
	}
	if u.Scheme == "" {
		u.Scheme = "https"
	}
	return u.String()
}

func hasClass(n *html.Node, class string) bool {
	return slices.Contains(strings.Fields(attr(n, "class")), class)
}
