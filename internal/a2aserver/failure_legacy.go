package a2aserver

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
)

// legacyCodes are the codes of version 0.3. What is not here is an internal error to its
// clients, with the same text.
var legacyCodes = func() map[string]int {
	codes := map[string]int{}
	for err, code := range map[error]int{
		a2a.ErrParseError: -32700, a2a.ErrInvalidRequest: -32600, a2a.ErrMethodNotFound: -32601, a2a.ErrInvalidParams: -32602,
		a2a.ErrTaskNotFound: -32001, a2a.ErrTaskNotCancelable: -32002, a2a.ErrPushNotificationNotSupported: -32003,
		a2a.ErrUnsupportedOperation: -32004, a2a.ErrUnsupportedContentType: -32005,
	} {
		codes[a2a.ErrorReason(err)] = code
	}
	return codes
}()

// withLegacyErrors is a handler of HTTP+JSON of version 0.3 whose errors both kinds of its
// clients tell apart: the module writes those of 1.0 for this version too, and clients of the
// protocol's own JavaScript look for a code and a message beside them.
func withLegacyErrors(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json") // which a stream replaces, and the module forgets
		held := &legacyErrors{ResponseWriter: w}
		h.ServeHTTP(held, r)
		held.end()
	})
}

// A legacyErrors passes on what is written, and holds errors until their end.
type legacyErrors struct {
	http.ResponseWriter
	status int
	failed bytes.Buffer
}

func (w *legacyErrors) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	if w.status < http.StatusBadRequest {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *legacyErrors) Write(p []byte) (int, error) {
	if w.status >= http.StatusBadRequest {
		return w.failed.Write(p)
	}
	return w.ResponseWriter.Write(p)
}

// Flush is as of a [http.Flusher], which the module's streams need.
func (w *legacyErrors) Flush() {
	if f, ok := w.ResponseWriter.(http.Flusher); ok {
		f.Flush()
	}
}

// end writes the error that was held, if there is one.
func (w *legacyErrors) end() {
	if w.status < http.StatusBadRequest {
		return
	}
	w.ResponseWriter.WriteHeader(w.status)
	var fault struct {
		Error struct {
			Message string `json:"message"`
			Details []struct {
				Reason string `json:"reason"`
			} `json:"details"`
		} `json:"error"`
	}
	all := map[string]any{}
	if json.Unmarshal(w.failed.Bytes(), &fault) != nil || fault.Error.Message == "" || json.Unmarshal(w.failed.Bytes(), &all) != nil {
		_, _ = w.ResponseWriter.Write(w.failed.Bytes()) // a client that is gone
		return
	}
	all["code"], all["message"] = -32603, fault.Error.Message
	for _, d := range fault.Error.Details {
		if code, ok := legacyCodes[d.Reason]; ok {
			all["code"] = code
		}
	}
	_ = json.NewEncoder(w.ResponseWriter).Encode(all)
}
