package cli

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

const defaultServer = "http://127.0.0.1:8080"

// callTimeout bounds what is answered from the store.
const callTimeout = 30 * time.Second

// A worker is the HTTP API of a running worker. It does not try again: callers
// know what may be repeated.
type worker struct {
	base  string // "http://127.0.0.1:8080"
	token string
	keyOf string // token is the key of this data folder
	noKey string // why there is no token
	http  *http.Client
}

func newWorker(base, token string) *worker {
	return &worker{base: base, token: token, http: &http.Client{}}
}

// serverURL makes an address complete and shifts its port.
func serverURL(address string, offset int) (string, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("server %q: want an address like %s", address, defaultServer)
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

// get asks for path and returns the JSON of the answer.
func (w *worker) get(ctx context.Context, path string) (json.RawMessage, error) {
	return w.call(ctx, http.MethodGet, path, nil)
}

// post sends body, which may be nil, to path.
func (w *worker) post(ctx context.Context, path string, body any) (json.RawMessage, error) {
	if body == nil {
		body = struct{}{}
	}
	return w.call(ctx, http.MethodPost, path, body)
}

// remove asks the worker to take away what is at path.
func (w *worker) remove(ctx context.Context, path string) (json.RawMessage, error) {
	return w.call(ctx, http.MethodDelete, path, nil)
}

func (w *worker) call(ctx context.Context, method, path string, body any) (json.RawMessage, error) {
	raw, resp, err := w.fetch(ctx, method, path, body)
	switch {
	case err != nil:
		return nil, err
	case resp.StatusCode == http.StatusNoContent:
		return json.RawMessage("{}"), nil
	case !json.Valid(raw):
		return nil, w.stranger(resp)
	}
	return raw, nil
}

// fetch reads the whole of an answer, of whatever type.
func (w *worker) fetch(ctx context.Context, method, path string, body any) ([]byte, *http.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	resp, err := w.do(ctx, method, path, body, nil)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, nil, &connectError{w.base, true, err}
	}
	return raw, resp, nil
}

// do sends a request. Any answer but success is an error: a *refusal or a
// *connectError.
func (w *worker) do(ctx context.Context, method, path string, body any, header http.Header) (*http.Response, error) {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, w.base+path, reader)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if w.token != "" {
		req.Header.Set("Authorization", "Bearer "+w.token)
	}
	resp, err := w.http.Do(req)
	if err != nil {
		var dial *net.OpError
		return nil, &connectError{w.base, !errors.As(err, &dial) || dial.Op != "dial", err}
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	return nil, w.refused(resp)
}

func (w *worker) refused(resp *http.Response) error {
	if resp.StatusCode == http.StatusUnauthorized {
		return &refusal{resp.StatusCode, "unauthorized", w.stranded()}
	}
	var answer struct {
		Error refusal `json:"error"`
	}
	raw, _ := io.ReadAll(io.LimitReader(resp.Body, 64<<10)) // cut off is no JSON: handled below
	if json.Unmarshal(raw, &answer) != nil || answer.Error.Message == "" {
		return w.stranger(resp)
	}
	answer.Error.status = resp.StatusCode
	if resp.StatusCode == http.StatusNotFound && strings.Contains(answer.Error.Message, "/api/openapi.json") {
		return &refusal{resp.StatusCode, "no_route", "errand at " + w.base + " cannot do that: it is of another version than this command"}
	}
	answer.Error.Message = ofRoute.ReplaceAllString(answer.Error.Message, "that ")
	return &answer.Error
}

// ofRoute is how the worker calls what was asked for. Whoever typed a command
// knows what it was, and not by that name.
var ofRoute = regexp.MustCompile(`^(GET|POST|DELETE) /api/\S+ `)

// stranded says what to do where the worker does not know who asks.
func (w *worker) stranded() string {
	switch {
	case w.keyOf != "":
		return "errand at " + w.base + " does not take the key of " + w.keyOf + ": it runs on another data folder; name that one with --data or ERRAND_DATA"
	case w.token == "":
		why := ""
		if w.noKey != "" {
			why = " (" + w.noKey + ")"
		}
		return "errand at " + w.base + " does not know who you are" + why + ": run this in the folder of the worker, or name its data folder with --data; elsewhere, give its key in ERRAND_KEY or a token of yours in ERRAND_TOKEN"
	}
	return "errand at " + w.base + " does not know this token: it was mistyped, has expired or was revoked; a master_admin makes another with errand users token"
}

// stranger is for answers that errand would not give.
func (w *worker) stranger(resp *http.Response) error {
	return &refusal{resp.StatusCode, "not_errand",
		fmt.Sprintf("what answers at %s does not speak as errand does (%s to %s %s): is it another program, or another version?",
			w.base, resp.Status, resp.Request.Method, resp.Request.URL.Path)}
}

// chatPath is the path of a chat's resource.
func chatPath(chat, resource string) string {
	return "/api/sessions/" + url.PathEscape(chat) + "/" + resource
}

// resource joins the parts of a path, each escaped.
func resource(parts ...string) string {
	var b strings.Builder
	b.WriteString("/api")
	for _, p := range parts {
		b.WriteString("/" + url.PathEscape(p))
	}
	return b.String()
}

// filtered is path with those of the values that are not empty.
func filtered(path string, values ...string) string {
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
