package sandbox

import (
	"bytes"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// A SearchResult is one page that a search engine found. All engines use this type.
type SearchResult struct {
	Title   string
	Address string
	Excerpt string
	Date    string // as 2026-11-23, or in the engine's format; empty: unknown
}

func searchResults(body []byte) (text DocumentText) {
	doc, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return DocumentText{Error: brokenDocument}
	}
	none := false // the page reports no results
	for n := range doc.Descendants() {
		none = none || hasClass(n, "no-results")
		if !hasClass(n, "result") || hasClass(n, "result--ad") {
			continue
		}
		var r SearchResult
		for c := range n.Descendants() {
			if hasClass(c, "result__a") && r.Address == "" {
				r.Title, r.Address = nodeText(c), duckTarget(htmlAttr(c, "href"))
			} else if hasClass(c, "result__snippet") {
				r.Excerpt = nodeText(c)
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
	return slices.Contains(strings.Fields(htmlAttr(n, "class")), class)
}
