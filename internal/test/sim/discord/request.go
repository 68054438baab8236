package discord

import (
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"time"
)

// A request is a call of a route.
type request struct {
	*http.Request
	route Route
	bot   *Bot
	body  []byte // JSON
	files []upload
	call  *Call
}

// An upload is a file of a form.
type upload struct {
	field, name, kind string
	data              []byte
}

func (r *request) decode(to any) error {
	if err := json.Unmarshal(r.body, to); err != nil {
		return errJSON
	}
	return nil
}

// The largest request, and the largest file in one.
const (
	mostBody = 110 << 20
	mostFile = 10 << 20
)

func (r *request) read() error {
	r.Body = http.MaxBytesReader(nil, r.Body, mostBody)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if kind != "multipart/form-data" {
		var err error
		if r.body, err = io.ReadAll(r.Body); err != nil {
			return errTooLarge
		}
		if len(r.body) == 0 && r.Header.Get("Content-Type") != "" && r.Method != http.MethodGet {
			return errJSON
		}
		return nil
	}
	form, err := r.MultipartReader()
	if err != nil {
		return errJSON
	}
	for {
		part, err := form.NextPart()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return errJSON
		}
		data, err := io.ReadAll(part)
		if err != nil || len(data) > mostFile {
			return errTooLarge
		}
		if part.FormName() == "payload_json" {
			r.body = data
			continue
		}
		if part.FileName() != "" {
			r.files = append(r.files, upload{part.FormName(), part.FileName(), part.Header.Get("Content-Type"), data})
		}
	}
}

func (s *Server) now() string { return stamp(s.opts.Now()) }

func (s *Server) until(d time.Duration) time.Time { return s.opts.Now().Add(d) }
