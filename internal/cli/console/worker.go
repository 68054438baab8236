package console

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

	"errand/api"
)

const DefaultServer = "http://127.0.0.1:8080"

// CallTimeout limits requests that the worker answers from its store.
const CallTimeout = 30 * time.Second

// A Worker sends requests to the HTTP API of a running worker. It retries only requests
// that exceeded a rate limit. Callers decide about other retries.
type Worker struct {
	Base  string // "http://127.0.0.1:8080"
	Token string
	KeyOf string // the data folder of the key in Token
	NoKey string // why Token is empty
	HTTP  *http.Client
}

func NewWorker(base, token string) *Worker {
	return &Worker{Base: base, Token: token, HTTP: &http.Client{}}
}

// ServerURL completes an address and shifts its port by offset.
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

// API returns a client for requests that the worker answers from its store. Each call is
// limited by [CallTimeout].
func (w *Worker) API() *api.Client { return &api.Client{Base: w.Base, HTTP: caller{w, CallTimeout}} }

// Unbounded returns a client for streams, files and requests that wait. A call lasts as
// long as its context.
func (w *Worker) Unbounded() *api.Client { return &api.Client{Base: w.Base, HTTP: caller{w, 0}} }

// A caller sends requests as the user of the command. An unsuccessful answer becomes an
// [*api.Problem] in the words of the command line, or a [*ConnectError].
type caller struct {
	worker *Worker
	within time.Duration // time limit; 0: none, and the caller reads answers that are not JSON
}

// Do repeats a request that exceeded a rate limit, after the time that the worker gives.
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
	isJSON := req.Header.Get("Accept") == "application/json"
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

// BrokeOff returns the error for an answer that ended too early.
func (w *Worker) BrokeOff(err error) error { return &ConnectError{w.Base, true, err} }

// RoundTrip sends a request as the user of the command, and returns any answer.
func (w *Worker) RoundTrip(req *http.Request) (*http.Response, error) {
	if w.Token != "" {
		req.Header.Set("Authorization", "Bearer "+w.Token)
	}
	req.Header.Set("User-Agent", "errand-cli") // for the audit log
	resp, err := w.HTTP.Do(req)
	if err != nil {
		var dial *net.OpError
		return nil, &ConnectError{w.Base, !errors.As(err, &dial) || dial.Op != "dial", err}
	}
	return resp, nil
}

// Refused returns the error for an unsuccessful answer.
func (w *Worker) Refused(resp *http.Response) error {
	if resp.StatusCode == http.StatusUnauthorized {
		return &api.Problem{Status: resp.StatusCode, Code: "unauthorized", Message: w.stranded()}
	}
	no := api.ProblemOf(resp)
	switch {
	case no.Code == notErrand:
		return w.Stranger(resp)
	case no.Status == http.StatusNotFound && strings.Contains(no.Message, "/api/openapi.json"):
		return &api.Problem{Status: no.Status, Code: "no_route", Message: fmt.Sprintf("errand at %s cannot do that: it has another version than this command", w.Base)}
	}
	no.Message = ofRoute.ReplaceAllString(no.Message, "that ")
	return no
}

// notErrand is the code for answers that do not come from errand.
const notErrand = "not_errand"

// ofRoute matches the worker's name of a request, which means nothing to the user.
var ofRoute = regexp.MustCompile(`^(GET|POST|PUT|DELETE) /api/\S+ `)

// stranded says what to do if the worker does not accept the token.
func (w *Worker) stranded() string {
	switch {
	case w.KeyOf != "":
		return fmt.Sprintf("errand at %s refuses the key in %s, because it uses another data folder: name that folder with --data or ERRAND_DATA", w.Base, w.KeyOf)
	case w.Token == "":
		why := ""
		if w.NoKey != "" {
			why = " (" + w.NoKey + ")"
		}
		return fmt.Sprintf("errand at %s does not know who you are%s: run this in the worker's folder, or name its data folder with --data; elsewhere, set ERRAND_KEY to its key or ERRAND_TOKEN to your token", w.Base, why)
	}
	return fmt.Sprintf("errand at %s does not know this token: it is wrong, has expired or was revoked. Create another with errand tokens add, or ask an admin for one (errand users token)", w.Base)
}

// Stranger returns the error for an answer that errand would not give.
func (w *Worker) Stranger(resp *http.Response) error {
	return &api.Problem{Status: resp.StatusCode, Code: notErrand, Message: fmt.Sprintf("the server at %s is not this version of errand (%s to %s %s)", w.Base, resp.Status, resp.Request.Method, resp.Request.URL.Path)}
}
