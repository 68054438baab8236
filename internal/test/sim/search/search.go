// Package search is simulated search engines, for tests: they answer and refuse as
// the real ones do, each in words that are on record.
package search

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
)

// Key is the key that the simulated engines take.
const Key = "sim-key"

// A Mood is how an engine answers.
type Mood string

// The moods.
const (
	Answers   Mood = ""
	Empty     Mood = "empty"     // it searched, and found nothing
	Refuses   Mood = "refuses"   // it takes errand for a robot, or does not speak JSON
	TooFast   Mood = "too fast"  // rate limit
	NoMoney   Mood = "no money"  // the plan is used up
	Broken    Mood = "broken"    // 500, and a page in HTML
	Elsewhere Mood = "elsewhere" // a redirect
	Changed   Mood = "changed"   // 200, and a page of another shape
)

// An Engine is a simulated one. Its fields may be changed while it runs, under Lock.
type Engine struct {
	sync.Mutex
	*httptest.Server
	Mood  Mood
	Calls int    // requests so far
	Query string // the last one
}

// Start starts an engine by its name: searxng, brave, tavily, exa, duckduckgo.
func Start(name string) *Engine {
	e := &Engine{}
	handlers := map[string]func(http.ResponseWriter, *http.Request, Mood) string{
		"searxng": searxng, "brave": brave, "tavily": tavily, "exa": exa, "duckduckgo": duckduckgo,
	}
	handle := handlers[name]
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		e.Lock()
		mood := e.Mood
		e.Calls++
		e.Unlock()
		switch mood {
		case Broken:
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, "<html><body>Internal Server Error</body></html>")
			return
		case Elsewhere:
			http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
			return
		}
		query := handle(w, r, mood)
		e.Lock()
		e.Query = query
		e.Unlock()
	}))
	return e
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(body) // the client left, if this fails
}

// searxng is SearXNG's search API. A format that settings.yml does not list is 403, its
// limiter answers 429, and engines that failed are listed.
// https://docs.searxng.org/dev/search_api.html
// https://github.com/searxng/searxng/blob/master/searx/webapp.py (flask.abort(403))
// https://docs.searxng.org/admin/searx.limiter.html
func searxng(w http.ResponseWriter, r *http.Request, mood Mood) string {
	q := r.URL.Query()
	if r.URL.Path != "/search" || q.Get("format") != "json" {
		http.NotFound(w, r)
		return ""
	}
	unresponsive := [][]string{}
	results := []any{
		map[string]any{"url": "https://one.example/a", "title": "One &amp; only", "content": "The <b>first</b> excerpt.", "engine": "bing", "publishedDate": "2026-09-01T00:00:00"},
		map[string]any{"url": "https://two.example/", "title": "Two", "content": "", "publishedDate": nil},
		map[string]any{"url": "https://one.example/a", "title": "One again", "content": "The same address."},
		map[string]any{"url": "magnet:?xt=1", "title": "No page", "content": ""},
	}
	switch mood {
	case Refuses:
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "<!doctype html><title>403 Forbidden</title>")
		return ""
	case TooFast:
		http.Error(w, "Too Many Requests", http.StatusTooManyRequests)
		return ""
	case Empty:
		results = []any{}
	case NoMoney: // every engine behind it refuses
		results, unresponsive = []any{}, [][]string{{"google", "Suspended: CAPTCHA"}, {"brave", "too many requests"}}
	}
	answer(w, http.StatusOK, map[string]any{"query": q.Get("q"), "number_of_results": 0, "results": results, "answers": []any{}, "suggestions": []any{}, "unresponsive_engines": unresponsive})
	return q.Get("q")
}

// brave is the Brave Search API. A wrong key is 422, not 401.
// https://api-dashboard.search.brave.com/app/documentation/web-search/responses
// https://api-dashboard.search.brave.com/documentation/resources/errors
func brave(w http.ResponseWriter, r *http.Request, mood Mood) string {
	q := r.URL.Query()
	refuse := func(status int, code, detail string) string {
		answer(w, status, map[string]any{"type": "ErrorResponse", "error": map[string]any{"code": code, "detail": detail, "status": status}})
		return ""
	}
	switch {
	case r.URL.Path != "/res/v1/web/search":
		http.NotFound(w, r)
		return ""
	case r.Header.Get("X-Subscription-Token") != Key:
		return refuse(422, "SUBSCRIPTION_TOKEN_INVALID", "The provided subscription token is invalid.")
	case len(q.Get("q")) > 400 || q.Get("count") == "" || len(q.Get("count")) > 2:
		return refuse(422, "VALIDATION", "Unable to validate request parameter(s)")
	case mood == TooFast:
		return refuse(429, "RATE_LIMITED", "Request rate limit exceeded for plan.")
	case mood == NoMoney:
		return refuse(429, "QUOTA_LIMITED", "Request quota limit exceeded for plan.")
	case mood == Empty:
		answer(w, 200, map[string]any{"type": "search", "query": map[string]any{"original": q.Get("q")}})
		return q.Get("q")
	}
	answer(w, 200, map[string]any{"type": "search", "web": map[string]any{"type": "search", "results": []any{
		map[string]any{"title": "One &amp; only", "url": "https://one.example/a", "description": "The <strong>first</strong> excerpt.", "page_age": "2026-09-01T10:00:00", "age": "September 1, 2026"},
		map[string]any{"title": "Two", "url": "https://two.example/", "description": ""},
	}}})
	return q.Get("q")
}

// tavily is Tavily's search. 432 is the limit of the plan.
// https://docs.tavily.com/documentation/api-reference/endpoint/search
func tavily(w http.ResponseWriter, r *http.Request, mood Mood) string {
	var in struct {
		Query      string `json:"query"`
		MaxResults int    `json:"max_results"`
	}
	refuse := func(status int, why string) string {
		answer(w, status, map[string]any{"detail": map[string]any{"error": why}})
		return ""
	}
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/search":
		http.NotFound(w, r)
		return ""
	case r.Header.Get("Authorization") != "Bearer "+Key:
		return refuse(401, "Unauthorized: missing or invalid API key.")
	case json.NewDecoder(r.Body).Decode(&in) != nil || in.Query == "" || in.MaxResults < 0 || in.MaxResults > 20:
		return refuse(400, "Bad request")
	case len(in.Query) > 400:
		return refuse(400, "Query is too long. Max query length is 400 characters.")
	case mood == TooFast:
		return refuse(429, "Your request has been blocked due to excessive requests.")
	case mood == NoMoney:
		return refuse(432, "This request exceeds your plan's set usage limit.")
	}
	results := []any{
		map[string]any{"title": "One & only", "url": "https://one.example/a", "content": "The first excerpt.", "score": 0.9, "raw_content": nil, "published_date": "2026-09-01T10:00:00Z"},
		map[string]any{"title": "Two", "url": "https://two.example/", "content": "", "score": 0.5},
	}
	if mood == Empty {
		results = []any{}
	}
	answer(w, 200, map[string]any{"query": in.Query, "answer": nil, "images": []any{}, "results": results, "response_time": 1.2})
	return in.Query
}

// exa is Exa's search. https://docs.exa.ai/reference/search and
// https://docs.exa.ai/reference/error-codes
func exa(w http.ResponseWriter, r *http.Request, mood Mood) string {
	var in struct {
		Query      string `json:"query"`
		NumResults int    `json:"numResults"`
	}
	refuse := func(status int, tag, why string) string {
		answer(w, status, map[string]any{"requestId": "5f1", "error": why, "tag": tag})
		return ""
	}
	switch {
	case r.Method != http.MethodPost || r.URL.Path != "/search":
		http.NotFound(w, r)
		return ""
	case r.Header.Get("x-api-key") != Key:
		return refuse(401, "INVALID_API_KEY", "Invalid API key")
	case json.NewDecoder(r.Body).Decode(&in) != nil || in.Query == "" || in.NumResults < 1:
		return refuse(400, "INVALID_REQUEST_BODY", "Invalid request body")
	case mood == TooFast:
		return refuse(429, "RATE_LIMIT_EXCEEDED", "You've exceeded your Exa rate limit.")
	case mood == NoMoney:
		return refuse(402, "NO_MORE_CREDITS", "You have no more credits.")
	}
	results := []any{
		map[string]any{"id": "https://one.example/a", "title": "One & only", "url": "https://one.example/a", "publishedDate": "2026-09-01T00:00:00.000Z", "highlights": []string{"The first excerpt."}},
		map[string]any{"id": "https://two.example/", "title": nil, "url": "https://two.example/"},
	}
	if mood == Empty {
		results = []any{}
	}
	answer(w, 200, map[string]any{"requestId": "5f1", "resolvedSearchType": "neural", "results": results})
	return in.Query
}

// duckduckgo is DuckDuckGo's page for browsers without JavaScript. To those it takes for
// robots it answers 202, with a puzzle of ducks ("anomaly-modal").
// https://github.com/deedy5/ddgs/issues/153, https://github.com/hearchco/agent/issues/239
func duckduckgo(w http.ResponseWriter, r *http.Request, mood Mood) string {
	q := r.URL.Query().Get("q")
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	const puzzle = `<!DOCTYPE html><html><head><title>DuckDuckGo</title></head><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?sv=html&cc=botnet"><div class="anomaly-modal__mask"><div class="anomaly-modal__modal" data-testid="anomaly-modal"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div><div class="anomaly-modal__description">Please complete the following challenge to confirm this search was made by a human.</div></div></div></form></body></html>`
	switch {
	case r.URL.Path != "/html/":
		http.NotFound(w, r)
	case mood == TooFast:
		w.WriteHeader(http.StatusAccepted)
	case mood == Refuses:
		w.WriteHeader(http.StatusAccepted)
		fmt.Fprint(w, puzzle)
	case mood == NoMoney: // the same page, with 200
		fmt.Fprint(w, puzzle)
	case mood == Changed:
		fmt.Fprint(w, `<!DOCTYPE html><html><body><main>Welcome</main></body></html>`)
	case mood == Empty:
		fmt.Fprintf(w, `<!DOCTYPE html><html><body><div id="links" class="results"><div class="result results_links results_links_deep result--no-result"><div class="links_main links_deep result__body"><div class="no-results">No results found for <b>%s</b></div></div></div></div></body></html>`, html.EscapeString(q))
	default:
		fmt.Fprint(w, `<!DOCTYPE html><html><body><div id="links" class="results">
<div class="result results_links results_links_deep result--ad"><h2 class="result__title"><a class="result__a" href="https://duckduckgo.com/y.js?ad_domain=shop.example">Buy one</a></h2><a class="result__snippet">An advertisement.</a></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body"><h2 class="result__title"><a rel="nofollow" class="result__a" href="//duckduckgo.com/l/?uddg=`+url.QueryEscape("https://one.example/a")+`&amp;rut=9f">One &amp; only</a></h2><a class="result__snippet" href="//duckduckgo.com/l/?uddg=x">The <b>first</b> excerpt.</a></div></div>
<div class="result results_links results_links_deep web-result"><div class="links_main links_deep result__body"><h2 class="result__title"><a rel="nofollow" class="result__a" href="https://two.example/">Two</a></h2></div></div>
</div></body></html>`)
	}
	return q
}
