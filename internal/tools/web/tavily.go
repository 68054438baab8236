package web

import (
	"context"
	"net/http"
)

// Tavily is the engine for Tavily, a search engine for models:
// https://docs.tavily.com/documentation/api-reference/endpoint/search
type Tavily struct{ API }

// Name implements [Engine].
func (Tavily) Name() string { return "Tavily" }

// Search uses the basic depth, which costs one credit.
func (s Tavily) Search(ctx context.Context, query string, n int) ([]Result, error) {
	var out struct {
		Results []struct {
			Title, URL, Content string
			PublishedDate       string `json:"published_date"`
		}
	}
	body := map[string]any{"query": query, "max_results": n, "search_depth": "basic"}
	err := s.post(ctx, "/search", http.Header{"Authorization": {"Bearer " + s.Key}}, body, &out, func(status int, _ []byte) error {
		switch status {
		case http.StatusUnauthorized, http.StatusForbidden:
			return badKey("Tavily", s.KeyName)
		case 432, 433: // the limit of the key or the plan; the limit of pay-as-you-go
			return noMoney("Tavily")
		case http.StatusTooManyRequests:
			return tooFast("Tavily")
		}
		return nil
	})
	var results []Result
	for _, r := range out.Results {
		results = append(results, Result{Title: r.Title, Address: r.URL, Excerpt: r.Content, Date: r.PublishedDate})
	}
	return results, err
}
