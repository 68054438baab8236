package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"errand"
	"errand/internal/content"
	"errand/internal/jsonbody"
	"errand/internal/service"
)

// maxBody is the largest body that an operation reads as JSON, in bytes, unless it says so.
// A larger one is read only while there is room for it, see [uploads].
const maxBody = 1 << 20

// A boundedBody is the body of a request. One that is larger than maxBody gets room before it
// is read on, or is refused, and has to arrive in time.
type boundedBody struct {
	io.ReadCloser
	admit  func() (release func(), err error)
	arrive time.Duration

	read    int64
	until   time.Time // it has to be here; zero: it is not large, or not admitted
	release func()
	err     error // why it is not admitted
}

// bounded serves an operation whose body may be large. Who it is from, and that they may, was
// looked at before. So is now how fast they are, where that is not counted already: who would
// be refused for it is, before they have sent all of it.
func (s *Server) bounded(counted bool, serve func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		b := s.newBoundedBody(r, counted)
		r.Body = b
		defer b.done()
		return serve(w, r)
	}
}

func (s *Server) newBoundedBody(r *http.Request, counted bool) *boundedBody {
	by, size := actor(r), r.ContentLength
	if size < 0 {
		size = maxFiles // it does not say
	}
	return &boundedBody{ReadCloser: r.Body, arrive: s.uploads.arrive, admit: func() (func(), error) {
		if !counted {
			if err := s.Backend.CheckRate(by, errand.WebRoute("").At()); err != nil {
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
	if !b.until.IsZero() && time.Now().After(b.until) {
		return 0, service.Refuse(service.KindTimeout, "slow", "refusal.slow_request", "minutes", int(b.arrive.Minutes()))
	}
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	return n, err
}

// enter admits it as a large one, once.
func (b *boundedBody) enter() error {
	if b.until.IsZero() && b.err == nil {
		if b.release, b.err = b.admit(); b.err == nil {
			b.until = time.Now().Add(b.arrive)
		}
	}
	return b.err
}

// Close ends the reading of it.
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

// errMediaType refuses what is declared as anything but JSON.
var errMediaType = service.Refuse(service.KindMediaType, "media_type", "refusal.request_media")

// asJSON serves an operation to requests that do not say that what they bring is anything
// else: a form of a page that somebody opened does.
func asJSON(serve func(http.ResponseWriter, *http.Request) error) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		if !jsonbody.IsDeclared(r.Header) {
			return errMediaType
		}
		return serve(w, r)
	}
}

// bodyDone says that what the body of a request has brought is not held any more, though the
// answer is still to come.
func bodyDone(r *http.Request) {
	if b, ok := r.Body.(*boundedBody); ok {
		b.done()
	}
}

// readBody reads the body of a request. One that says that it has more than most is refused
// at once. What it brings first is read all the same, and forgotten: a client that is still
// sending when the connection closes may not see the answer.
func readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, error) {
	if r.ContentLength > most {
		_, _ = io.CopyN(io.Discard, r.Body, maxBody+1) // whatever comes of it
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

// unread is why the body of a request could not be read.
func unread(err error) error {
	var larger *http.MaxBytesError
	var known *service.Error
	switch {
	case err == nil, errors.As(err, &known):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return service.Refuse(service.KindTimeout, "stalled", "refusal.stalled")
	case errors.As(err, &larger):
		return tooLarge(larger.Limit)
	}
	return service.Invalid("body", "refusal.request_unread")
}

func tooLarge(most int64) error {
	if most >= maxFile {
		return service.Refuse(service.KindTooLarge, "too_large", "refusal.file_large", "most", content.Size(maxFile))
	}
	return service.Refuse(service.KindTooLarge, "too_large", "refusal.request_large", "most", content.Size(most))
}
