// Package client speaks the HTTP API of a running worker.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const DefaultServer = "http://127.0.0.1:8080"

// CallTimeout bounds what is answered from the store.
const CallTimeout = 30 * time.Second

// A Worker is the HTTP API of a running worker. It does not try again: callers
// know what may be repeated.
type Worker struct {
	Base  string // "http://127.0.0.1:8080"
	Token string
	KeyOf string // token is the key of this data folder
	NoKey string // why there is no token
	HTTP  *http.Client
}

func NewWorker(base, token string) *Worker {
	return &Worker{Base: base, Token: token, HTTP: &http.Client{}}
}

// ServerURL makes an address complete and shifts its port.
func ServerURL(address string, offset int) (string, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("server %q: want an address like %s", address, DefaultServer)
	}
	if offset != 0 {
		port, err := strconv.Atoi(u.Port())
		if err != nil || port+offset < 1 || port+offset > 65535 {
			return "", fmt.Errorf("server %q: no port that --port-offset %d can shift", address, offset)
		}
		u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port+offset))
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.Path, "/"), nil
}

// Get asks for path and returns the JSON of the answer.
func (w *Worker) Get(ctx context.Context, path string) (json.RawMessage, error) {
	return w.call(ctx, http.MethodGet, path, nil)
}

// Post sends body, which may be nil, to path.
func (w *Worker) Post(ctx context.Context, path string, body any) (json.RawMessage, error) {
	if body == nil {
		body = struct{}{}
	}
	return w.call(ctx, http.MethodPost, path, body)
}

// Remove asks the worker to take away what is at path.
func (w *Worker) Remove(ctx context.Context, path string) (json.RawMessage, error) {
	return w.call(ctx, http.MethodDelete, path, nil)
}

// Put sends the content of a file to path.
func (w *Worker) Put(ctx context.Context, path string, content []byte) (json.RawMessage, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, w.Base+path, bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("PUT %s: %w", path, err)
	}
	req.Header.Set("Content-Type", "application/octet-stream")
	resp, err := w.send(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, &ConnectError{w.Base, true, err}
	case !json.Valid(raw):
		return nil, w.Stranger(resp)
	}
	return raw, nil
}

func (w *Worker) call(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	raw, resp, err := w.Fetch(ctx, method, path, body)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusNoContent:
		return json.RawMessage("{}"), nil
	case !json.Valid(raw):
		return nil, w.Stranger(resp)
	}
	return raw, nil
}

// Fetch reads the whole of an answer, of whatever type.
func (w *Worker) Fetch(ctx context.Context, method, path string, body any) ([]byte, *http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, CallTimeout)
	defer cancel()
	resp, err := w.Do(ctx, method, path, body, nil)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, &ConnectError{w.Base, true, err}
	}
	return raw, resp, nil
}

// Do sends a request. Any answer but success is an error: a *refusal or a
// *connectError.
func (w *Worker) Do(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.Base+path, reader)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	return w.send(req)
}

// send sends a request as whoever runs the command.
func (w *Worker) send(req *http.Request) (*http.Response, error) {
	resp, err := w.RoundTrip(req)
	if err != nil || resp.StatusCode/100 == 2 {
		return resp, err
	}
	defer resp.Body.Close()
	return nil, w.Refused(resp)
}

// RoundTrip sends a request as whoever runs the command, and returns any answer.
func (w *Worker) RoundTrip(req *http.Request) (*http.Response, error) {
	if w.Token != "" {
		req.Header.Set("Authorization", "Bearer "+w.Token)
	}
	req.Header.Set("User-Agent", "errand-cli") // the audit log tells it from other programs
	resp, err := w.HTTP.Do(req)
	if err != nil {
		var dial *net.OpError
		return nil, &ConnectError{w.Base, !errors.As(err, &dial) || dial.Op != "dial", err}
	}
	return resp, nil
}

// Refused is the error that an answer is which did not succeed.
func (w *Worker) Refused(resp *http.Response) error {
	if resp.StatusCode == http.StatusUnauthorized {
		return &Refusal{resp.StatusCode, "unauthorized", w.stranded()}
	}
	var answer struct {
		Error Refusal `json:"error"`
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // cut off is no JSON: handled below
	if json.Unmarshal(raw, &answer) != nil || answer.Error.Message == "" {
		return w.Stranger(resp)
	}
	answer.Error.Status = resp.StatusCode
	if resp.StatusCode == http.StatusNotFound && strings.Contains(answer.Error.Message, "/api/openapi.json") {
		return &Refusal{resp.StatusCode, "no_route", "errand at " + w.Base + " cannot do that: it is of another version than this command"}
	}
	answer.Error.Message = ofRoute.ReplaceAllString(answer.Error.Message, "that ")
	return &answer.Error
}

// ofRoute is how the worker calls what was asked for. Whoever typed a command
// knows what it was, and not by that name.
var ofRoute = regexp.MustCompile(`^(GET|POST|PUT|DELETE) /api/\S+ `)

// stranded says what to do where the worker does not know who asks.
func (w *Worker) stranded() string {
	switch {
	case w.KeyOf != "":
		return "errand at " + w.Base + " does not take the key of " + w.KeyOf + ": it runs on another data folder; name that one with --data or ERRAND_DATA"
	case w.Token == "":
		why := ""
		if w.NoKey != "" {
			why = " (" + w.NoKey + ")"
		}
		return "errand at " + w.Base + " does not know who you are" + why + ": run this in the folder of the worker, or name its data folder with --data; elsewhere, give its key in ERRAND_KEY or a token of yours in ERRAND_TOKEN"
	}
	return "errand at " + w.Base + " does not know this token: it was mistyped, has expired or was revoked; errand tokens add makes another, or an admin with errand users token"
}

// Stranger is for answers that errand would not give.
func (w *Worker) Stranger(resp *http.Response) error {
	return &Refusal{resp.StatusCode, "not_errand",
		fmt.Sprintf("what answers at %s does not speak as errand does (%s to %s %s): is it another program, or another version?",
			w.Base, resp.Status, resp.Request.Method, resp.Request.URL.Path)}
}

// ChatPath is the path of a chat's resource.
func ChatPath(chat, resource string) string {
	return "/api/sessions/" + url.PathEscape(chat) + "/" + resource
}

// Resource joins the parts of a path, each escaped.
func Resource(parts ...string) string {
	var b strings.Builder
	b.WriteString("/api")
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}

// Filtered is path with those of the values that are not empty.
func Filtered(path string, values ...string) string {
	q := url.Values{}
	for i := 0; i+1 < len(values); i += 2 {
		if values[i+1] != "" {
			q.Set(values[i], values[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}
