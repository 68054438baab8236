package web

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"errand/internal/service"
	"errand/internal/texts"
)

// A problem is how the API answers what it did not do: problem details
// (RFC 9457). Error is an extension member: programs go by its code.
type problem struct {
	Type   string       `json:"type" required:"true" format:"uri" description:"urn:errand:problem: and the code"`
	Title  string       `json:"title" required:"true" description:"of the status"`
	Status int          `json:"status" required:"true" description:"that of the answer"`
	Detail string       `json:"detail" required:"true" description:"for people: what is wrong, and what to do"`
	Error  problemError `json:"error" required:"true"`
}

type problemError struct {
	Code    string `json:"code" required:"true" description:"for programs"`
	Message string `json:"message" required:"true" description:"the detail"`
}

const (
	problemMedia = "application/problem+json"
	problemType  = "urn:errand:problem:"
)

// errInternal is all that a client learns of an error of errand's own.
var errInternal = service.Refuse(service.KindInternal, "internal", "refusal.internal")

var errFull = service.Refuse(service.KindFull, "disk_full", "refusal.disk_full")

var statuses = map[service.Kind]int{
	service.KindInvalid:         http.StatusBadRequest,
	service.KindUnauthenticated: http.StatusUnauthorized,
	service.KindForbidden:       http.StatusForbidden,
	service.KindNotFound:        http.StatusNotFound,
	service.KindConflict:        http.StatusConflict,
	service.KindTooLarge:        http.StatusRequestEntityTooLarge,
	service.KindMediaType:       http.StatusUnsupportedMediaType,
	service.KindTooMany:         http.StatusTooManyRequests,
	service.KindTimeout:         http.StatusRequestTimeout,
	service.KindInternal:        http.StatusInternalServerError,
	service.KindFull:            http.StatusInsufficientStorage,
}

// statusFor returns the status of an error of a kind; one that is not known is
// errand's own.
func statusFor(k service.Kind) int {
	if status, ok := statuses[k]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// fail answers with an error: in full where it is the client's, as "internal"
// where it is ours.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var known *service.Error
	switch {
	case errors.As(err, &known):
		s.refuse(w, r, known)
	case r.Context().Err() != nil: // the client is gone
	default:
		s.Logger.Error("request failed", "method", r.Method, "path", r.URL.Path, "error", err)
		if service.IsFull(err) {
			s.refuse(w, r, errFull)
			return
		}
		s.refuse(w, r, errInternal)
	}
}

// textsFor are errand's words in the language of who asks: a person at a page, or at a
// terminal. Another program reads English, whoever it acts for.
func (s *Server) textsFor(r *http.Request) texts.Texts {
	if isProgram(r) && !isTerminal(r) {
		return texts.Shipped()
	}
	return s.Backend.TextsFor(callerOf(r).Language, language(r))
}

func isProgram(r *http.Request) bool {
	return callerOf(r).Login == "token" || len(r.Header["Authorization"]) > 0
}

// isTerminal reports whether a person reads the answer at a terminal: errand's own command
// names a language then, and else none.
func isTerminal(r *http.Request) bool {
	return isCLI(r) && language(r) != ""
}

// refuse writes an error: as a page for a person who opened one, else as problem
// details. Nothing else in this package writes errors of the API.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, e *service.Error) {
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.RetryAfter.Seconds()))))
	}
	if wantsPage(r) && !strings.HasPrefix(r.URL.Path, "/api/") {
		s.failurePage(w, r, e)
		return
	}
	status, message := statusFor(e.Kind), e.Text(s.textsFor(r))
	if status == http.StatusUnauthorized {
		s.challenge(w, r)
	}
	raw, err := json.Marshal(problem{Type: problemType + e.Code, Title: http.StatusText(status), Status: status, Detail: message,
		Error: problemError{Code: e.Code, Message: message}})
	if err != nil {
		s.Logger.Error("problem not written", "code", e.Code, "error", err)
		w.WriteHeader(status)
		return
	}
	w.Header().Set("Content-Type", problemMedia)
	w.WriteHeader(status)
	if _, err := w.Write(append(raw, '\n')); err != nil {
		s.Logger.Debug("problem not sent", "error", err)
	}
}
