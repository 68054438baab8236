package a2aclient

import (
	"errors"
	"io"
	"net/http"
)

// mostBytes is read of an answer. A result is text: files are not taken.
const mostBytes = 4 << 20

// A transport adds the operator's headers to requests to their host, and bounds answers.
type transport struct {
	next         http.RoundTripper
	scheme, host string
	headers      map[string]string
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if len(t.headers) > 0 && r.URL.Scheme == t.scheme && r.URL.Host == t.host {
		r = r.Clone(r.Context()) // a request is its caller's
		for name, value := range t.headers {
			r.Header.Set(name, value)
		}
	}
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &bounded{ReadCloser: resp.Body, left: mostBytes}
	return resp, nil
}

// A bounded body fails where it is longer than it may be.
type bounded struct {
	io.ReadCloser
	left int
}

var errTooLong = errors.New("the peer's answer is longer than 4 MB")

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
