package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
)

// DuckDuckGo is the engine for DuckDuckGo's page without JavaScript. It needs no key, but
// it is not an API: at times it refuses programs, with status 202 and a puzzle ("anomaly")
// instead of results.
type DuckDuckGo struct {
	API
	Page Reader // reads the results; see [sandbox.ReadSearchResults]
}

// Name implements [Engine].
func (DuckDuckGo) Name() string { return "DuckDuckGo" }

var errDuckDuckGoRefuses = errors.New("DuckDuckGo blocks robots with a puzzle: nothing was searched. " +
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
	page, err := s.Page.Read(ctx, resp.URL, resp.Body)
	if err != nil {
		return nil, fmt.Errorf("DuckDuckGo's page cannot be read: %w", err)
	}
	return page.Results[:min(n, len(page.Results))], nil
}
