package netlimit

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// Bodies bounds how long the body of a request may stand still; how long it takes
// as a whole is not bounded. A handler that does not read the body is covered
// too: the server reads what is left of it before it answers.
func (l *Limits) Bodies(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != nil && r.Body != http.NoBody {
			b := &body{ReadCloser: r.Body, c: http.NewResponseController(w), stall: l.Stall}
			if b.wait(l.Stall) == nil {
				r.Body = b
			}
		}
		next.ServeHTTP(w, r)
	})
}

// A body is one that may not stand still.
type body struct {
	io.ReadCloser
	c     *http.ResponseController
	stall time.Duration
}

func (b *body) Read(p []byte) (int, error) {
	if err := b.wait(b.stall); err != nil {
		return 0, err
	}
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		// From here on the server reads to learn whether the client is still there,
		// for as long as the answer takes.
		if err := b.c.SetReadDeadline(time.Time{}); err != nil {
			return n, err
		}
	}
	return n, err
}

func (b *body) wait(d time.Duration) error { return b.c.SetReadDeadline(time.Now().Add(d)) }
