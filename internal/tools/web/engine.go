package web

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"errand/internal/core"
	"errand/internal/fetch"
	"errand/internal/sandbox"
)

// An Engine searches the web.
type Engine interface {
	Name() string // for people

	// Search returns at most n results, the best first. No results are not an error. An error
	// means that the engine did not search, and says what to do.
	Search(ctx context.Context, query string, n int) ([]Result, error)
}

// A Result is one page that an engine found.
type Result = sandbox.SearchResult

const (
	longestTitle   = 200
	longestExcerpt = 500
)

var (
	tag     = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	isoDate = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2})[T ]`)
)

func tidy(results []Result, n int) []Result {
	var out []Result
	seen := map[string]bool{}
	for _, r := range results {
		u, err := fetch.ParseURL(r.Address)
		if err != nil || seen[u.String()] || len(out) == n {
			continue
		}
		seen[u.String()] = true
		r.Address = u.String()
		r.Title, r.Excerpt = plain(r.Title, longestTitle), plain(r.Excerpt, longestExcerpt)
		if r.Title == "" {
			r.Title = u.Host
		}
		if m := isoDate.FindStringSubmatch(r.Date); m != nil {
			r.Date = m[1]
		}
		r.Date = plain(r.Date, 40)
		out = append(out, r)
	}
	return out
}

// plain returns s without markup, on one line, with at most n characters.
func plain(s string, n int) string {
	s = html.UnescapeString(tag.ReplaceAllString(s, ""))
	return core.Cut(strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " "), n)
}

// An API is the connection to a search engine.
type API struct {
	Client *fetch.Client // follows no redirects, so that keys go to no other host
	Base   string        // without a trailing slash
	Key    string

	KeyName string // the variable that Key came from, for errors
}

type refusal func(status int, body []byte) error

func (a API) call(ctx context.Context, r *http.Request, into any, refused refusal) error {
	r.Header.Set("Accept", "application/json")
	resp, err := a.Client.Do(r.WithContext(ctx))
	if err != nil {
		return err
	}
	if resp.Status != http.StatusOK {
		if err := refused(resp.Status, resp.Body); err != nil {
			return err
		}
		return fmt.Errorf("%s answered %d %s: %s", r.URL.Host, resp.Status, http.StatusText(resp.Status), plain(string(resp.Body), 200))
	}
	if err := json.Unmarshal(resp.Body, into); err != nil {
		return fmt.Errorf("%s answered with something else than the JSON of its API: the operator should check web.search.base_url in errand.yaml", r.URL.Host)
	}
	return nil
}

func (a API) get(ctx context.Context, path string, q url.Values, header http.Header, into any, refused refusal) error {
	r, err := http.NewRequest(http.MethodGet, a.Base+path+"?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	for key, values := range header {
		r.Header[key] = values
	}
	return a.call(ctx, r, into, refused)
}

func (a API) post(ctx context.Context, path string, header http.Header, body, into any, refused refusal) error {
	raw, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, a.Base+path, bytes.NewReader(raw))
	if err != nil {
		return err
	}
	for key, values := range header {
		r.Header[key] = values
	}
	r.Header.Set("Content-Type", "application/json")
	return a.call(ctx, r, into, refused)
}

func badKey(engine, variable string) error {
	return fmt.Errorf("%s does not accept the key: the operator should check %s", engine, variable)
}

func noMoney(engine string) error {
	return fmt.Errorf("%s has no searches left on this plan: the operator should raise the plan, or choose another engine in errand.yaml (web.search)", engine)
}

func tooFast(engine string) error {
	return fmt.Errorf("%s takes no more searches just now: wait some seconds, or work with what you have", engine)
}
