package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
	"unicode/utf8"
)

// maxBody is the largest request that is read, in bytes.
const maxBody = 1 << 20

// An apiError is an error that the client can do something about.
type apiError struct {
	status  int
	code    string
	message string
}

func (e *apiError) Error() string     { return e.message }
func (e *apiError) HTTPStatus() int   { return e.status }
func (e *apiError) ErrorCode() string { return e.code }

func badRequest(code, format string, args ...any) error {
	return &apiError{http.StatusBadRequest, code, fmt.Sprintf(format, args...)}
}

// read fills in from the JSON object in r's body. An empty body is an empty
// object.
func read(w http.ResponseWriter, r *http.Request, in any) error {
	// A server without read deadlines can have its connections used up; one
	// with a general deadline cuts off streams. Recorders in tests have none.
	control := http.NewResponseController(w)
	if control.SetReadDeadline(time.Now().Add(30*time.Second)) == nil {
		defer control.SetReadDeadline(time.Time{})
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return &apiError{http.StatusRequestEntityTooLarge, "too_large", "the request is larger than 1 MB"}
	case err != nil:
		return badRequest("unreadable", "the request could not be read: %v", err)
	case !utf8.Valid(body):
		return badRequest("not_utf8", "the request is not valid UTF-8")
	case len(bytes.TrimSpace(body)) == 0:
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(in); err != nil {
		return badRequest("not_json", "the request is not the JSON object that was expected: %v", err)
	}
	if _, err := decoder.Token(); err != io.EOF {
		return badRequest("not_json", "there is more in the request than one JSON object")
	}
	return nil
}

// write answers with v as JSON.
func write(w http.ResponseWriter, status int, v any) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		panic(err) // only types of ours get here
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(b.Bytes())
}

// list answers with one JSON array, also for none.
func list[T any](w http.ResponseWriter, items []T) {
	if items == nil {
		items = []T{}
	}
	write(w, http.StatusOK, items)
}

// fail answers with err.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // nobody is there to read it
	}
	status, code, message := describe(err)
	if status >= 500 {
		s.Logger.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "2")
	}
	write(w, status, errorBody(code, message))
}

func errorBody(code, message string) any {
	return map[string]any{"error": map[string]string{"code": code, "message": message}}
}

// describe returns what a client is told about err.
func describe(err error) (status int, code, message string) {
	var known interface{ HTTPStatus() int }
	status = http.StatusInternalServerError
	switch {
	case errors.As(err, &known):
		status = known.HTTPStatus()
	case errors.Is(err, context.DeadlineExceeded):
		status = http.StatusServiceUnavailable
	}
	code = codes[status]
	var coded interface{ ErrorCode() string }
	if errors.As(err, &coded) {
		code = coded.ErrorCode()
	}
	if code == "" {
		code = "error"
	}
	return status, code, err.Error()
}

// codes are the codes of errors that bring none.
var codes = map[int]string{
	http.StatusBadRequest:            "bad_request",
	http.StatusUnauthorized:          "unauthorized",
	http.StatusForbidden:             "forbidden",
	http.StatusNotFound:              "not_found",
	http.StatusMethodNotAllowed:      "method_not_allowed",
	http.StatusConflict:              "conflict",
	http.StatusRequestEntityTooLarge: "too_large",
	http.StatusInternalServerError:   "internal",
	http.StatusServiceUnavailable:    "unavailable",
}
