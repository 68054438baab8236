package api

import (
	"bytes"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// A Client calls the operations of a running errand. It does not retry, because only the caller
// knows which calls are safe to repeat. It is safe for concurrent use if its fields do not change.
type Client struct {
	Base  string // the address of errand, such as "http://127.0.0.1:8080"
	Token string // made by "errand tokens add", or the owner's key
	HTTP  Doer   // sends the requests; nil: http.DefaultClient
}

// A Doer sends a request, as [http.Client] does.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// An Answer is the answer of an operation. Raw is the JSON that Value was read from; it may have
// fields that this version does not know.
type Answer[T any] struct {
	Value T
	Raw   json.RawMessage
	// Next is the cursor of a list's next page: repeat the call with it as After. Empty: last page.
	Next string
}

// A Problem is an error response of errand (RFC 9457).
type Problem struct {
	Status  int
	Code    string // for programs: "not_found"
	Message string // for people: what is wrong, and what to do
	// RetryAfter is how long to wait after too many requests; 0: the response does not say.
	RetryAfter time.Duration
}

func (p *Problem) Error() string { return p.Message }

// An UnknownAnswerError means that a response does not have the operation's type. The operation
// may have taken effect.
type UnknownAnswerError struct {
	Raw []byte
	Err error
}

func (e *UnknownAnswerError) Error() string {
	return fmt.Sprintf("answer not understood (is the worker of another version?): %v", e.Err)
}

func (e *UnknownAnswerError) Unwrap() error { return e.Err }

// Call calls an operation and reads its JSON. Use [Open] for one that answers with a [File].
func Call[In, Out any](ctx context.Context, c *Client, op Op[In, Out], in In) (Answer[Out], error) {
	return Read[Out](c.open(ctx, op, in, "application/json"))
}

// Read reads the JSON of a response, and closes its body.
func Read[T any](resp *http.Response, err error) (a Answer[T], _ error) {
	if err != nil {
		return a, err
	}
	defer resp.Body.Close()
	a.Next = nextPage(resp.Header)
	if a.Raw, err = io.ReadAll(resp.Body); err != nil {
		return a, err
	}
	var to any = &a.Value
	if list, ok := to.(interface{ items(next string) any }); ok {
		to = list.items(a.Next)
	}
	if err := json.Unmarshal(a.Raw, to); err != nil {
		return a, &UnknownAnswerError{a.Raw, err}
	}
	return a, nil
}

// items sets the cursor of the next page, and returns a pointer for decoding the items.
func (l *List[T]) items(next string) any {
	l.Next = next
	return &l.Items
}

// Open calls an operation and returns the response unread; [ReadStream] reads that of a [Stream].
// The caller must close its body.
func Open(ctx context.Context, c *Client, op Any, in any) (*http.Response, error) {
	accept := ""
	if op.Streams() {
		accept = "text/event-stream"
	}
	return c.open(ctx, op, in, accept)
}

// URL returns the address of an operation that has no body, at the server base. It panics if the
// operation is not offered over HTTP.
func URL(base string, op Any, in any) string {
	req, err := newRequest(context.Background(), base, op.Spec(), in)
	if err != nil {
		panic(err)
	}
	return req.URL.String()
}

func (c *Client) open(ctx context.Context, op Any, in any, accept string) (*http.Response, error) {
	req, err := newRequest(ctx, c.Base, op.Spec(), in)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", op.Spec().Name, err)
	}
	if accept != "" {
		req.Header.Set("Accept", accept)
	}
	if c.Token != "" {
		req.Header.Set("Authorization", "Bearer "+c.Token)
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

func newRequest(ctx context.Context, base string, s Spec, in any) (*http.Request, error) {
	method, path, ok := strings.Cut(s.Route, " ")
	if !ok {
		return nil, errors.New("it is not offered over HTTP")
	}
	p := parts{path: path, query: url.Values{}, header: http.Header{}}
	if err := p.add(reflect.ValueOf(in)); err != nil {
		return nil, err
	}
	if len(p.query) > 0 {
		p.path += "?" + p.query.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, method, base+p.path, p.body)
	if err == nil {
		req.Header = p.header
	}
	return req, err
}

// parts collects the parts of a request.
type parts struct {
	path   string
	query  url.Values
	header http.Header
	body   io.Reader
}

// add adds the fields of an input to the request, by the same tags that the HTTP door reads. It
// omits zero values from the query and the headers.
func (p *parts) add(in reflect.Value) error {
	for i := range in.NumField() {
		f, v := in.Type().Field(i), in.Field(i)
		if f.Name == "Body" {
			if err := p.addBody(v.Interface()); err != nil {
				return err
			}
			continue
		}
		if f.Anonymous {
			if err := p.add(v); err != nil {
				return err
			}
			continue
		}
		if name := f.Tag.Get("path"); name != "" {
			p.path = strings.Replace(p.path, "{"+name+"}", url.PathEscape(fmt.Sprint(v.Interface())), 1)
		}
		if v.IsZero() {
			continue
		}
		if name := f.Tag.Get("header"); name != "" {
			p.header.Set(name, fmt.Sprint(v.Interface()))
		}
		if name := f.Tag.Get("query"); name != "" {
			if err := p.addQuery(name, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *parts) addQuery(name string, v reflect.Value) error {
	if v.Kind() == reflect.Slice {
		for i := range v.Len() {
			p.query.Add(name, fmt.Sprint(v.Index(i).Interface()))
		}
		return nil
	}
	if text, ok := v.Interface().(encoding.TextMarshaler); ok {
		raw, err := text.MarshalText()
		p.query.Add(name, string(raw))
		return err
	}
	p.query.Add(name, fmt.Sprint(v.Interface()))
	return nil
}

func (p *parts) addBody(body any) error {
	if up, ok := body.(Upload); ok {
		p.body = up.Reader
		p.header.Set("Content-Type", "application/octet-stream")
		return nil
	}
	raw, err := json.Marshal(body)
	p.body = bytes.NewReader(raw)
	p.header.Set("Content-Type", "application/json")
	return err
}

// nextPage reads the header Link (RFC 8288).
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

// ProblemOf returns the error in an unsuccessful response. Its code is "not_errand" if the response
// is not from errand.
func ProblemOf(resp *http.Response) *Problem {
	var told struct {
		Error struct{ Code, Message string }
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // a longer body is cut, which is no valid JSON
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
