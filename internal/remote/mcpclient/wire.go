package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/auth/extauth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"errand/internal/remote/stdio"
)

type wire struct {
	transport mcp.Transport
	process   *stdio.Process // nil: the server uses HTTP
	login     *login         // nil: the server is a process
	life      context.Context
	end       context.CancelFunc
}

func (c *connection) open() (*wire, error) {
	life, end := context.WithCancel(context.Background()) // ends with close
	if len(c.Command) > 0 {
		c.busy.Store(0)
		p, err := c.start()
		if err != nil {
			end()
			return nil, err
		}
		return &wire{transport: &mcp.IOTransport{Reader: p, Writer: p, MaxLineLength: stdio.LongestMessage + 1}, process: p, life: life, end: end}, nil
	}
	l := &login{next: c.o.Transport, headers: c.Headers, life: life}
	t := &mcp.StreamableClientTransport{Endpoint: c.URL, HTTPClient: &http.Client{Transport: l, CheckRedirect: sameHost}, MaxEventSize: stdio.LongestMessage}
	if c.OAuth != nil {
		handler, err := c.credentials(life)
		if err != nil {
			end()
			return nil, err
		}
		l.handled, t.OAuthHandler = true, handler
	}
	return &wire{transport: t, login: l, life: life, end: end}, nil
}

func (c *connection) start() (*stdio.Process, error) {
	if err := os.MkdirAll(c.folder(), 0o700); err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(c.folder())
	if err != nil {
		return nil, err
	}
	return stdio.Start(stdio.Program{Command: c.Command, Folder: folder, Home: folder, Env: c.Env, Mark: stdio.MarkOf(folder), Secrets: secretsOf(c.Server),
		Protocol: "MCP", Busy: &c.busy, Most: c.o.mostMessages, Logger: c.log})
}

// secretsOf returns the values that logs must not contain, the longest first.
func secretsOf(s Server) []string {
	list := append(stdio.SecretsOf(s.Env, s.Secrets...), stdio.SecretsOf(s.Headers)...)
	if s.OAuth != nil {
		list = append(list, s.OAuth.ClientSecret)
	}
	slices.SortFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

func (c *connection) credentials(life context.Context) (auth.OAuthHandler, error) {
	return extauth.NewClientCredentialsHandler(&extauth.ClientCredentialsHandlerConfig{
		Credentials: &oauthex.ClientCredentials{ClientID: c.OAuth.ClientID, ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: c.OAuth.ClientSecret}},
		HTTPClient:  &http.Client{Transport: &login{next: c.o.Transport, life: life, handled: true}, Timeout: 30 * time.Second},
	})
}

func (w *wire) abort() {
	w.end()
	if w.process != nil {
		w.process.Close()
	}
}

func (w *wire) close() { w.abort() }

func (w *wire) describe(err error) error {
	if w.process != nil {
		return w.process.Describe(err)
	}
	var refused *LoginError
	switch status := int(w.login.refused.Load()); {
	case errors.As(err, &refused):
		return refused
	case status != 0:
		return &LoginError{status}
	case errors.Is(err, context.DeadlineExceeded):
		return errors.New("it did not answer in time")
	}
	return err
}

// A LoginError means that a server refuses errand's login.
type LoginError struct{ Status int }

func (e *LoginError) Error() string {
	return fmt.Sprintf("it refuses errand's login (HTTP %d): the login is missing or has expired; the operator has to renew headers or oauth of the server in errand.yaml", e.Status)
}

// An attempt travels in the request's context, because the SDK drops these errors.
type attempt struct {
	refused atomic.Int64 // the status of a refused login
	unsent  atomic.Bool  // the request has not been sent
}

type attemptKey struct{}

// A login adds the configured headers and limits answers. It records refused logins,
// because the SDK has no error for them.
type login struct {
	next    http.RoundTripper
	headers map[string]string
	life    context.Context
	handled bool         // something handles refused logins
	refused atomic.Int64 // the status of the last refusal; 0: the last request was accepted
}

func (l *login) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(r.Context())
	stop := context.AfterFunc(l.life, func() { cancel(context.Canceled) })
	r = r.Clone(ctx)
	for name, value := range l.headers {
		r.Header.Set(name, value)
	}
	try, _ := r.Context().Value(attemptKey{}).(*attempt)
	if try == nil {
		try = &attempt{}
	}
	resp, err := l.next.RoundTrip(r)
	if err != nil {
		var dial *net.OpError
		try.unsent.Store(errors.As(err, &dial) && dial.Op == "dial")
		stop()
		cancel(nil)
		return nil, err
	}
	try.refused.Store(0)
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		l.refused.Store(int64(resp.StatusCode))
		try.refused.Store(int64(resp.StatusCode))
		if !l.handled {
			stop()
			cancel(nil)
			resp.Body.Close()
			return nil, &LoginError{resp.StatusCode}
		}
	} else {
		l.refused.Store(0)
	}
	most := stdio.LongestMessage
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") {
		most = 0 // MaxEventSize limits one event, and flood limits all of them
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, most: most, done: func() {
		stop()
		cancel(nil)
	}}
	return resp, nil
}

type boundedBody struct {
	io.ReadCloser
	most  int // bytes; 0: no limit
	read  int
	flood stdio.Flood
	done  func()
}

func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += n
	if b.most > 0 && b.read > b.most {
		return n, fmt.Errorf("it sent a message of more than %d MB", stdio.LongestMessage>>20)
	}
	if why := b.flood.Add(n, false); why != nil {
		return n, why
	}
	return n, err
}

func (b *boundedBody) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

// sameHost prevents redirects from sending the configured headers to another host.
func sameHost(r *http.Request, via []*http.Request) error {
	if len(via) >= 5 || r.URL.Host != via[0].URL.Host || r.URL.Scheme != via[0].URL.Scheme {
		return fmt.Errorf("it redirects to %s://%s: write the address that it really has", r.URL.Scheme, r.URL.Host)
	}
	return nil
}
