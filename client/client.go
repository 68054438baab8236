package client

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// A Client is the API of a running errand. It does not try again: callers know what may be
// repeated. It may be used by several goroutines at once, while nobody changes it.
type Client struct {
	Base  string // where errand is: "http://127.0.0.1:8080"
	Token string // who asks: a token of errand tokens add, or the owner's key
	HTTP  Doer   // what carries the requests; nil: http.DefaultClient
}

// A Doer carries a request, as [http.Client] does.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// An Answer is what errand answered: the value, and the JSON that it was read from, which
// may hold more than this version knows of.
type Answer[T any] struct {
	Value T
	Raw   json.RawMessage
	// Next is the After of the same call for the next page of a list; empty: this was the last.
	Next string
}

// A Problem is an error that errand answered (RFC 9457).
type Problem struct {
	Status  int
	Code    string // what programs go by: "not_found"
	Message string // for people: what is wrong, and what to do
	// RetryAfter is when a request that came too often may be sent again; 0: the answer did not say.
	RetryAfter time.Duration
}

func (p *Problem) Error() string { return p.Message }

// An UnknownAnswerError means that an answer was not what the API's document says. Whatever
// was asked for may have been done.
type UnknownAnswerError struct {
	Raw []byte
	Err error
}

func (e *UnknownAnswerError) Error() string {
	return fmt.Sprintf("answer not understood (is the worker of another version?): %v", e.Err)
}

func (e *UnknownAnswerError) Unwrap() error { return e.Err }

// Read reads an answer that may come as JSON or otherwise, and came as JSON.
func Read[T any](resp *http.Response, err error) (Answer[T], error) {
	var a Answer[T]
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	a.Next = nextPage(resp.Header)
	if a.Raw, err = io.ReadAll(resp.Body); err != nil {
		return a, err
	}
	if err := json.Unmarshal(a.Raw, &a.Value); err != nil {
		return a, &UnknownAnswerError{a.Raw, err}
	}
	return a, nil
}

// nextPage is what the header Link says of the next page of a list (RFC 8288).
func nextPage(h http.Header) string {
	for _, link := range h.Values("Link") {
		to, about, _ := strings.Cut(strings.TrimPrefix(link, "<"), ">")
		u, err := url.Parse(to)
		if err == nil && strings.TrimSpace(strings.TrimPrefix(about, ";")) == `rel="next"` {
			return u.Query().Get("after")
		}
	}
	return ""
}

// What answers come as: most as JSON, some as a stream of events.
const (
	JSON   = "application/json"
	Stream = "text/event-stream"
)

// A request is what a method has to say.
type request struct {
	method, path  string
	query, header url.Values
	body          any // nil, an [io.Reader], or what is sent as JSON
	accept        string
}

// add says something in a query or a header, unless it is zero.
func add[T comparable](to *url.Values, name string, values ...T) {
	var zero T
	for _, v := range values {
		if v == zero {
			continue
		}
		if *to == nil {
			*to = url.Values{}
		}
		to.Add(name, fmt.Sprint(v))
	}
}

// addGiven is add of what may be zero and mean it.
func addGiven[T any](to *url.Values, name string, value *T) {
	if value == nil {
		return
	}
	if *to == nil {
		*to = url.Values{}
	}
	to.Add(name, fmt.Sprint(*value))
}

func answer[T any](ctx context.Context, c *Client, r request) (Answer[T], error) {
	r.accept = JSON
	return Read[T](c.open(ctx, r))
}

func (c *Client) open(ctx context.Context, r request) (*http.Response, error) {
	req, err := c.request(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.method, r.path, err)
	}
	do := c.HTTP
	if do == nil {
		do = http.DefaultClient
	}
	resp, err := do.Do(req)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	defer resp.Body.Close()
	return nil, ProblemOf(resp)
}

func (c *Client) request(ctx context.Context, r request) (*http.Request, error) {
	kind := "application/octet-stream"
	body, ok := r.body.(io.Reader)
	if !ok && r.body != nil {
		raw, err := json.Marshal(r.body)
		if err != nil {
			return nil, err
		}
		body, kind = bytes.NewReader(raw), JSON
	}
	at := c.Base + r.path
	if len(r.query) > 0 {
		at += "?" + r.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, r.method, at, body)
	if err != nil {
		return nil, err
	}
	for name, values := range r.header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if r.body != nil {
		req.Header.Set("Content-Type", kind)
	}
	if r.accept != "" {
		req.Header.Set("Accept", r.accept)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
	}
	return req, nil
}

// ProblemOf is the error that an answer tells which does not say that it succeeded. Its code
// is "not_errand" where errand would not answer so.
func ProblemOf(resp *http.Response) *Problem {
	var told Error
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // cut off is no JSON: handled below
	if json.Unmarshal(raw, &told) != nil || told.Error.Message == "" {
		return &Problem{Status: resp.StatusCode, Code: "not_errand", Message: fmt.Sprintf("the server there is not this version of errand (%s to %s %s)",
			resp.Status, resp.Request.Method, resp.Request.URL.EscapedPath())}
	}
	no := &Problem{Status: resp.StatusCode, Code: told.Error.Code, Message: told.Error.Message}
	if seconds, err := strconv.Atoi(resp.Header.Get("Retry-After")); err == nil && resp.StatusCode == http.StatusTooManyRequests {
		no.RetryAfter = time.Duration(seconds) * time.Second
	}
	return no
}
