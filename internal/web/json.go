package web

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"errand"
	"errand/internal/service"
)

// maxBody is the largest body the API reads, in bytes.
const maxBody = 1 << 20

// read reads a JSON body into v; an empty one leaves v as it is.
func read(w http.ResponseWriter, r *http.Request, v any) error {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &service.Error{Status: http.StatusRequestTimeout, Code: "stalled", Message: "nothing of the request came for too long"}
	case errors.As(err, &tooLarge):
		return &service.Error{Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "the request is larger than 1 MB"}
	case err != nil:
		return &service.Error{Status: http.StatusBadRequest, Code: "body", Message: "the request could not be read"}
	case len(raw) == 0:
		return nil
	}
	// encoding/json would replace what is not UTF-8 and not say so.
	if !utf8.Valid(raw) {
		return &service.Error{Status: http.StatusBadRequest, Code: "not_utf8", Message: "the request is not valid UTF-8"}
	}
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		return &service.Error{Status: http.StatusBadRequest, Code: "json", Message: "the request is not the JSON that is expected: " + errand.Cut(err.Error(), 200)}
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return &service.Error{Status: http.StatusBadRequest, Code: "json", Message: "something follows the JSON object"}
	}
	return nil
}

func replyList[T any](w http.ResponseWriter, list []T, err error) error {
	if err != nil {
		return err
	}
	if list == nil {
		list = []T{}
	}
	return reply(w, http.StatusOK, list)
}

func reply(w http.ResponseWriter, status int, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if _, err := w.Write(append(raw, '\n')); err != nil {
		return nil // the client is gone
	}
	return nil
}
