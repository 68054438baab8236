package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"sync/atomic"
)

// An HTTP is the server as one that is spoken with by HTTP.
type HTTP struct {
	*Server
	Token atomic.Pointer[string] // the one that is let in; nil: anybody is
	Asked atomic.Int64           // requests that came
}

// ServeHTTP answers one message.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.Asked.Add(1)
	if want := h.Token.Load(); want != nil && r.Header.Get("Authorization") != "Bearer "+*want {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	var m Message
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	if len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	var out bytes.Buffer
	one := New(&out, h.folder)
	one.faults = h.faults
	if one.Answer(m); out.Len() == 0 { // it never answers
		<-r.Context().Done()
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(out.Bytes())
}
