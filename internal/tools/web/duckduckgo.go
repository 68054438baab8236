package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// DuckDuckGo reads the page that DuckDuckGo has for browsers without JavaScript. It
// needs no key, and it is no API: now and then it refuses programs, with the status
// 202 and a puzzle ("anomaly") instead of results.
type DuckDuckGo struct{ API }

// Name is what people know it as.
func (DuckDuckGo) Name() string { return "DuckDuckGo" }

var errDuckDuckGoRefuses = errors.New("DuckDuckGo takes errand for a robot and asks for a puzzle instead of searching: nothing was searched. " +
	"Waiting some minutes may help; the operator can choose an engine that is meant for programs in errand.yaml (web.search: searxng, brave, tavily or exa)")

// Search reads the first page of results.
func (s DuckDuckGo) Search(ctx context.Context, query string, n int) ([]Result, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Base+"/html/?"+url.Values{"q": {query}}.Encode(), nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/html")
	resp, err := s.Client.Do(r)
	if err != nil {
		return nil, err
	}
	switch {
	case resp.Status == http.StatusAccepted, resp.Status == http.StatusForbidden, resp.Status == http.StatusTooManyRequests, bytes.Contains(resp.Body, []byte("anomaly-modal")):
		return nil, errDuckDuckGoRefuses
	case resp.Status != http.StatusOK:
		return nil, fmt.Errorf("DuckDuckGo answered %d %s", resp.Status, http.StatusText(resp.Status))
	}
	doc, err := html.Parse(bytes.NewReader(resp.Body))
	if err != nil {
		return nil, fmt.Errorf("DuckDuckGo's page cannot be read: %w", err)
	}
	results, none := duckResults(doc)
	if len(results) == 0 && !none {
		return nil, errors.New("DuckDuckGo's page has neither results nor the words that there are none: it has changed, or is no page of results. " +
			"The operator can choose another engine in errand.yaml (web.search)")
	}
	return results[:min(n, len(results))], nil
}

// duckResults reads results, without ads, and whether the page says that there are
// none.
func duckResults(doc *html.Node) (results []Result, none bool) {
	for n := range doc.Descendants() {
		switch {
		case hasClass(n, "no-results"):
			none = true
		case hasClass(n, "result") && !hasClass(n, "result--ad"):
			var r Result
			for c := range n.Descendants() {
				switch {
				case hasClass(c, "no-results"):
					none = true
				case hasClass(c, "result__a") && r.Address == "":
					r.Title, r.Address = textOf(c), duckTarget(attr(c, "href"))
				case hasClass(c, "result__snippet"):
					r.Excerpt = textOf(c)
				}
			}
			if r.Address != "" {
				results = append(results, r)
			}
		}
	}
	return results, none
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

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasClass(n *html.Node, class string) bool {
	for c := range strings.FieldsSeq(attr(n, "class")) {
		if c == class {
			return true
		}
	}
	return false
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for c := range n.Descendants() {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
	}
	return b.String()
}
