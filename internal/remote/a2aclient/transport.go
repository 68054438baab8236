package a2aclient

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
)

// mostBytes leaves room for files, which grow by a third in an answer.
const mostBytes = 12 << 20

const mostDepth = 64

// A transport sends the configured headers only to the host of the card, and limits the
// size of answers.
type transport struct {
	next    http.RoundTripper
	card    *url.URL
	headers map[string]string
}

func portOf(u *url.URL) string {
	if u.Port() == "" && u.Scheme == "http" {
		return "80"
	}
	return cmp.Or(u.Port(), "443")
}

func noteSent(ctx context.Context) (_ context.Context, sent *atomic.Bool) {
	sent = new(atomic.Bool)
	ctx = context.WithValue(ctx, sentKey{}, sent)
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}), sent
}

type sentKey struct{}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	// The peer writes its card and controls what its host resolves to. On the configured host,
	// only the configured scheme and port are allowed.
	if strings.EqualFold(r.URL.Hostname(), t.card.Hostname()) && (r.URL.Scheme != t.card.Scheme || portOf(r.URL) != portOf(t.card)) {
		return nil, errors.New("the peer's card leads to another port or scheme of its host")
	}
	if len(t.headers) > 0 && r.URL.Scheme == t.card.Scheme && r.URL.Host == t.card.Host {
		r = r.Clone(r.Context()) // a RoundTripper must not change the request
		for name, value := range t.headers {
			r.Header.Set(name, value)
		}
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if refused := resp.StatusCode; refused/100 == 4 || refused == http.StatusServiceUnavailable {
		if sent, ok := r.Context().Value(sentKey{}).(*atomic.Bool); ok {
			sent.Store(false) // this attempt has not sent anything yet
		}
	}
	if r.Context().Value(fileKey{}) != nil {
		return resp, nil // the caller limits the size
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, left: mostBytes}
	return resp, nil
}

type boundedBody struct {
	io.ReadCloser
	left            int
	depth           int
	quoted, escaped bool
}

var (
	errTooLong = errors.New("the peer's answer is longer than 12 MB")
	errTooDeep = errors.New("the peer's answer is nested too deep")
)

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	for _, c := range p[:n] {
		switch {
		case b.escaped:
			b.escaped = false
		case b.quoted && c == '\\':
			b.escaped = true
		case c == '"':
			b.quoted = !b.quoted
		case b.quoted:
		case c == '{' || c == '[':
			if b.depth++; b.depth > mostDepth {
				return 0, errTooDeep
			}
		case c == '}' || c == ']':
			b.depth--
		}
	}
	return n, err
}
