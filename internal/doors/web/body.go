package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"

	"errand/api"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/service"
)

// maxBody is in bytes. A larger body needs reserved memory, see [uploads].
const maxBody = 1 << 20

// boundedBody reserves memory before it reads more than maxBody.
type boundedBody struct {
	io.ReadCloser
	admit func() (release func(), err error)

	read     int64
	admitted bool
	release  func()
	err      error // why it is not admitted
}

// bounded serves an operation whose body may be large. Unless counted is set, it checks the rate
// before it reads a large body, so that a refused client does not send all of it.
func (s *Server) bounded(counted bool, serve func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		b := s.newBoundedBody(r, counted)
		r.Body = b
		defer b.done()
		return serve(w, r)
	}
}

func (s *Server) newBoundedBody(r *http.Request, counted bool) *boundedBody {
	by, size := actorOf(r), r.ContentLength
	if size < 0 {
		size = api.MaxMessage // the client did not declare a size
	}
	return &boundedBody{ReadCloser: r.Body, admit: func() (func(), error) {
		if !counted {
			if err := s.CheckRate(by); err != nil {
				return nil, err
			}
		}
		return s.uploads.acquire(r.Context(), by.Person, size)
	}}
}

func (b *boundedBody) Read(p []byte) (int, error) {
	if b.read > maxBody {
		if err := b.enter(); err != nil {
			return 0, err
		}
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	return n, err
}

func (b *boundedBody) enter() error {
	if !b.admitted && b.err == nil {
		b.release, b.err = b.admit()
		b.admitted = b.err == nil
	}
	return b.err
}

func (b *boundedBody) Close() error {
	b.done()
	return b.ReadCloser.Close()
}

func (b *boundedBody) done() {
	if b.release != nil {
		b.release()
		b.release = nil
	}
}

var errMediaType = service.Refuse(service.KindMediaType, "media_type", "refusal.request_media")

// bodyDone releases the memory of a body before the answer.
func bodyDone(r *http.Request) {
	if b, ok := r.Body.(*boundedBody); ok {
		b.done()
	}
}

// readBody refuses a declared size above most at once. It first reads some of the body, because a
// client that is still sending when the connection closes may not see the answer.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		_, _ = io.CopyN(io.Discard, r.Body, maxBody+1) // an error does not matter
		return nil, tooLarge(most)
	}
	if b, ok := r.Body.(*boundedBody); ok && r.ContentLength > maxBody {
		if err := b.enter(); err != nil {
			return nil, err
		}
	}
	raw := bytes.NewBuffer(make([]byte, 0, max(r.ContentLength, 0)+bytes.MinRead))
	_, err := raw.ReadFrom(http.MaxBytesReader(w, r.Body, most))
	return raw.Bytes(), unread(err)
}

func unread(err error) error {
	var larger *http.MaxBytesError
	var known *service.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return service.Refuse(service.KindTimeout, "slow", "refusal.slow_request", "minutes", int(limit.RequestTimeout.Minutes()))
	case errors.As(err, &larger):
		return tooLarge(larger.Limit)
	}
	return service.Invalid("body", "refusal.request_unread")
}

func tooLarge(most int64) error {
	if most >= core.MaxFile {
		return service.Refuse(service.KindTooLarge, "too_large", "refusal.file_large", "most", content.Size(core.MaxFile))
	}
	return service.Refuse(service.KindTooLarge, "too_large", "refusal.request_large", "most", content.Size(most))
}
