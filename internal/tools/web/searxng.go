package web

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// SearXNG is the engine for SearXNG, a metasearch engine that people host themselves:
// https://docs.searxng.org/dev/search_api.html
type SearXNG struct{ API }

// Name implements [Engine].
func (SearXNG) Name() string { return "SearXNG" }

// Search queries one instance.
func (s SearXNG) Search(ctx context.Context, query string, n int) ([]Result, error) {
	var out struct {
		Results []struct {
			Title, URL, Content string
			PublishedDate       string `json:"publishedDate"`
		}
		Unresponsive [][]string `json:"unresponsive_engines"` // name, reason
	}
	err := s.get(ctx, "/search", url.Values{"q": {query}, "format": {"json"}}, nil, &out, func(status int, _ []byte) error {
		switch status {
		case http.StatusForbidden:
			return fmt.Errorf("SearXNG does not answer in JSON: its operator should add json to search.formats in its settings.yml")
		case http.StatusTooManyRequests:
			return fmt.Errorf("SearXNG's limiter refuses errand: its operator should let errand's address pass (limiter.toml), or switch the limiter off")
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, r := range out.Results {
		results = append(results, Result{Title: r.Title, Address: r.URL, Excerpt: r.Content, Date: r.PublishedDate})
	}
	if len(results) == 0 && len(out.Unresponsive) > 0 {
		var why []string
		for _, e := range out.Unresponsive {
			why = append(why, plain(strings.Join(e, ": "), 80))
		}
		return nil, fmt.Errorf("none of SearXNG's engines answered (%s): try again later", strings.Join(why, "; "))
	}
	return results[:min(n, len(results))], nil
}
