package web

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/service"
	"errand/internal/texts"
)

// A problem is an error response of RFC 9457. Error is an extension; programs read its code.
type problem struct {
	Type   string           `json:"type" required:"true" format:"uri" description:"urn:errand:problem: and the code"`
	Title  string           `json:"title" required:"true" description:"of the status"`
	Status int              `json:"status" required:"true" description:"that of the answer"`
	Detail string           `json:"detail" required:"true" description:"for people: what is wrong, and what to do"`
	Error  api.ProblemError `json:"error" required:"true"`
}

const (
	problemMedia = "application/problem+json"
	problemType  = "urn:errand:problem:"
)

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

func statusFor(k service.Kind) int {
	if status, ok := statuses[k]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// fail answers with an error. It hides the details of errand's own faults.
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

// textsFor returns English for programs, including the command line.
func (s *Server) textsFor(r *http.Request) texts.Texts {
	if isProgram(r) {
		return texts.Shipped()
	}
	return s.readersTexts(r)
}

func (s *Server) readersTexts(r *http.Request) texts.Texts {
	return s.Texts.For(callerOf(r).Language, language(r), s.Language)
}

func isProgram(r *http.Request) bool {
	return callerOf(r).Login == "token" || len(r.Header["Authorization"]) > 0
}

// refuse is the only place that writes the API's errors.
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
		Error: api.ProblemError{Code: e.Code, Message: message}})
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
