package web

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// Brave is the engine for the Brave Search API:
// https://api-dashboard.search.brave.com/app/documentation/web-search/get-started
type Brave struct{ API }

// Name implements [Engine].
func (Brave) Name() string { return "Brave" }

// Search requests web results only.
func (s Brave) Search(ctx context.Context, query string, n int) ([]Result, error) {
	var out struct {
		Web struct {
			Results []struct {
				Title, URL, Description string
				PageAge                 string `json:"page_age"`
			}
		}
	}
	q := url.Values{"q": {query}, "count": {strconv.Itoa(n)}, "result_filter": {"web"}, "text_decorations": {"false"}}
	err := s.get(ctx, "/res/v1/web/search", q, http.Header{"X-Subscription-Token": {s.Key}}, &out, func(status int, body []byte) error {
		switch {
		case status == http.StatusUnauthorized, status == http.StatusForbidden, bytes.Contains(body, []byte("SUBSCRIPTION_TOKEN_INVALID")):
			return badKey("Brave", s.KeyName)
		case status == http.StatusPaymentRequired, bytes.Contains(body, []byte("QUOTA_LIMITED")):
			return noMoney("Brave")
		case status == http.StatusTooManyRequests:
			return tooFast("Brave")
		}
		return nil
	})
	var results []Result
	for _, r := range out.Web.Results {
		results = append(results, Result{Title: r.Title, Address: r.URL, Excerpt: r.Description, Date: r.PageAge})
	}
	return results, err
}
