package web

import (
	"context"
	"net/http"
	"strings"
)

// Exa is the engine for Exa, a search engine for models:
// https://docs.exa.ai/reference/search
type Exa struct{ API }

// Name implements [Engine].
func (Exa) Name() string { return "Exa" }

// Search requests the most relevant passages of each page.
func (s Exa) Search(ctx context.Context, query string, n int) ([]Result, error) {
	var out struct {
		Results []struct {
			Title, URL    string
			PublishedDate string `json:"publishedDate"`
			Highlights    []string
			Text          string
		}
	}
	body := map[string]any{"query": query, "numResults": n, "type": "auto", "contents": map[string]any{"highlights": map[string]any{"maxCharacters": longestExcerpt}}}
	err := s.post(ctx, "/search", http.Header{"X-Api-Key": {s.Key}}, body, &out, func(status int, _ []byte) error {
		switch status {
		case http.StatusUnauthorized, http.StatusForbidden:
			return badKey("Exa", s.KeyName)
		case http.StatusPaymentRequired:
			return noMoney("Exa")
		case http.StatusTooManyRequests:
			return tooFast("Exa")
		}
		return nil
	})
	var results []Result
	for _, r := range out.Results {
		excerpt := strings.Join(r.Highlights, " … ")
		if excerpt == "" {
			excerpt = r.Text
		}
		results = append(results, Result{Title: r.Title, Address: r.URL, Excerpt: excerpt, Date: r.PublishedDate})
	}
	return results, err
}
