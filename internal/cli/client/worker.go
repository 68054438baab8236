// Package client carries the requests of the generated Go client to a running worker, for
// the commands: it shows their key, and says what went wrong in words for people.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	api "errand/client"
	"errand/internal/cli/words"
)

const DefaultServer = "http://127.0.0.1:8080"

// CallTimeout bounds what is answered from the store.
const CallTimeout = 30 * time.Second

// A Worker is the HTTP API of a running worker. It repeats what was refused because it came too
// often, and nothing else: callers know what may be repeated.
type Worker struct {
	Base  string // "http://127.0.0.1:8080"
	Token string
	KeyOf string // token is the key of this data folder
	NoKey string // why there is no token
	HTTP  *http.Client
	Words words.Language // of whoever reads what went wrong
}

func NewWorker(base, token string) *Worker {
	return &Worker{Base: base, Token: token, HTTP: &http.Client{}}
}

// ServerURL makes an address complete and shifts its port. Its errors are in a language.
func ServerURL(l words.Language, address string, offset int) (string, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", errors.New(l.Sayf("server %q: want an address like %s", address, DefaultServer))
	}
	if offset != 0 {
		port, err := strconv.Atoi(u.Port())
		if err != nil || port+offset < 1 || port+offset > 65535 {
			return "", errors.New(l.Sayf("server %q: no port that --port-offset %d can shift", address, offset))
		}
		u.Host = net.JoinHostPort(u.Hostname(), strconv.Itoa(port+offset))
	}
	return strings.TrimRight(u.Scheme+"://"+u.Host+u.Path, "/"), nil
}

// API is what the worker can be asked that it answers from its store: each call is bounded
// by [CallTimeout].
func (w *Worker) API() *api.Client { return &api.Client{Base: w.Base, HTTP: caller{w, CallTimeout}} }

// Unbounded is API for streams, files and what waits for others: a call lasts as long as
// its context.
func (w *Worker) Unbounded() *api.Client { return &api.Client{Base: w.Base, HTTP: caller{w, 0}} }

// A caller carries the generated client's requests as whoever runs the command. Any answer
// but success is an error: an [*api.Problem] in the words of the command line, or a
// [*ConnectError].
type caller struct {
	worker *Worker
	within time.Duration // 0: an answer that is no JSON is read by whoever asked
}

// A request that came too often is sent again after the time that the worker names.
func (c caller) Do(req *http.Request) (*http.Response, error) {
	for {
		resp, err := c.attempt(req)
		var no *api.Problem
		if !errors.As(err, &no) || no.RetryAfter <= 0 || req.Body != nil && req.GetBody == nil {
			return resp, err
		}
		select {
		case <-time.After(no.RetryAfter):
		case <-req.Context().Done():
			return nil, err
		}
		if req = req.Clone(req.Context()); req.GetBody != nil {
			if req.Body, err = req.GetBody(); err != nil {
				return nil, err
			}
		}
	}
}

func (c caller) attempt(req *http.Request) (*http.Response, error) {
	if c.within > 0 {
		ctx, cancel := context.WithTimeout(req.Context(), c.within)
		defer cancel()
		req = req.WithContext(ctx)
	}
	resp, err := c.worker.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	isJSON := req.Header.Get("Accept") == api.JSON
	if resp.StatusCode/100 == 2 && c.within == 0 && !isJSON {
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return nil, c.worker.Refused(resp)
	}
	raw, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		return nil, c.worker.BrokeOff(err)
	case resp.StatusCode == http.StatusNoContent:
		raw = []byte("{}")
	case isJSON && !json.Valid(raw):
		return nil, c.worker.Stranger(resp)
	}
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	return resp, nil
}

// BrokeOff is the error that an answer did not come to its end.
func (w *Worker) BrokeOff(err error) error { return &ConnectError{w.Base, true, err, w.Words} }

// RoundTrip sends a request as whoever runs the command, and returns any answer.
func (w *Worker) RoundTrip(req *http.Request) (*http.Response, error) {
	if w.Token != "" {
		req.Header.Set("Authorization", "Bearer "+w.Token)
	}
	req.Header.Set("User-Agent", "errand-cli") // the audit log tells it from other programs
	if w.Words != words.English {
		req.Header.Set("Accept-Language", string(w.Words)) // a person reads the answer
	}
	resp, err := w.HTTP.Do(req)
	if err != nil {
		var dial *net.OpError
		return nil, &ConnectError{w.Base, !errors.As(err, &dial) || dial.Op != "dial", err, w.Words}
	}
	return resp, nil
}

// Refused is the error that an answer is which did not succeed.
func (w *Worker) Refused(resp *http.Response) error {
	if resp.StatusCode == http.StatusUnauthorized {
		return &api.Problem{Status: resp.StatusCode, Code: "unauthorized", Message: w.stranded()}
	}
	no := api.ProblemOf(resp)
	switch {
	case no.Code == notErrand:
		return w.Stranger(resp)
	case no.Status == http.StatusNotFound && strings.Contains(no.Message, "/api/openapi.json"):
		return &api.Problem{Status: no.Status, Code: "no_route", Message: w.Words.Say("errand at {base} cannot do that: it is of another version than this command", "base", w.Base)}
	}
	no.Message = ofRoute.ReplaceAllString(no.Message, w.Words.Sayf("that")+" ")
	return no
}

// notErrand is the code of answers that errand would not give.
const notErrand = "not_errand"

// ofRoute is how the worker calls what was asked for. Whoever typed a command
// knows what it was, and not by that name.
var ofRoute = regexp.MustCompile(`^(GET|POST|PUT|DELETE) /api/\S+ `)

// stranded says what to do where the worker does not know who asks.
func (w *Worker) stranded() string {
	switch {
	case w.KeyOf != "":
		return w.Words.Say("errand at {base} does not take the key of {folder}: it runs on another data folder; name that one with --data or ERRAND_DATA", "base", w.Base, "folder", w.KeyOf)
	case w.Token == "":
		why := ""
		if w.NoKey != "" {
			why = " (" + w.NoKey + ")"
		}
		return w.Words.Say("errand at {base} does not know who you are{why}: run this in the folder of the worker, or name its data folder with --data; elsewhere, give its key in ERRAND_KEY or a token of yours in ERRAND_TOKEN", "base", w.Base, "why", why)
	}
	return w.Words.Say("errand at {base} does not know this token: it was mistyped, has expired or was revoked; errand tokens add makes another, or an admin with errand users token", "base", w.Base)
}

// Stranger is for answers that errand would not give.
func (w *Worker) Stranger(resp *http.Response) error {
	return &api.Problem{Status: resp.StatusCode, Code: notErrand, Message: w.Words.Say("the server at {base} is not this version of errand ({status} to {method} {path})",
		"base", w.Base, "status", resp.Status, "method", resp.Request.Method, "path", resp.Request.URL.Path)}
}
