package a2aclient

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// PushPath is where peers say that there is something new of a task.
const PushPath = "/a2a-push"

// tokenHeaders have the secret that a peer was given with a task. The protocol names no header:
// version 2 of a2a-go sends the first, the modules before it and those of other languages the
// second. None sends it as Authorization: that is for credentials, and peers are given none.
var tokenHeaders = []string{"A2A-Notification-Token", "X-A2A-Notification-Token"}

const (
	mostPush   = 1 << 20 // of a push, in bytes; none of it is read for what it says
	mostPushed = 32      // that are handled at once
)

// A PushHandler is told that a peer has something new to say.
type PushHandler interface {
	// HandlePush has the peer looked at that was given a secret, and reports whether one was.
	HandlePush(ctx context.Context, secret string) (known bool, err error)
}

// A Receiver takes what peers push. Nothing of it is believed but that it is time to look:
// what comes twice, or from elsewhere, does no harm.
type Receiver struct {
	handler PushHandler
	logger  *slog.Logger
	busy    chan struct{}
	refused atomic.Int64

	mu       sync.Mutex
	warned   time.Time       // when a push for nothing known was logged last
	failed   time.Time       // when one that was not handled was
	handling map[string]bool // the secrets whose pushes are being handled
}

// NewReceiver returns a receiver that has what is pushed handled.
func NewReceiver(h PushHandler, l *slog.Logger) *Receiver {
	return &Receiver{handler: h, logger: l, busy: make(chan struct{}, mostPushed), handling: map[string]bool{}}
}

// Refused is how many pushes were for nothing that is known.
func (r *Receiver) Refused() int64 { return r.refused.Load() }

// ServeHTTP answers one push: with 204 once it is handled.
func (r *Receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	refuse := func(status int) { http.Error(w, http.StatusText(status), status) }
	if req.Method != http.MethodPost {
		refuse(http.StatusMethodNotAllowed)
		return
	}
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, req.Body, mostPush)); err != nil {
		refuse(http.StatusBadRequest)
		return
	}
	secret := secretOf(req)
	leave, ok := r.enter(secret)
	if !ok {
		w.Header().Set("Retry-After", "60")
		refuse(http.StatusTooManyRequests)
		return
	}
	defer leave()
	known, err := r.handler.HandlePush(req.Context(), secret)
	switch {
	case err != nil:
		r.logFailure(err)
		refuse(http.StatusServiceUnavailable)
	case !known:
		r.turnAway()
		refuse(http.StatusNotFound)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// secretOf is the secret that a push comes with; empty: none.
func secretOf(req *http.Request) string {
	for _, name := range tokenHeaders {
		if secret := req.Header.Get(name); secret != "" {
			return secret
		}
	}
	return ""
}

// enter lets a push in, if there is room: one for each task, so that a peer that does not
// answer when it is looked at holds up its own.
func (r *Receiver) enter(secret string) (leave func(), ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.handling[secret] {
		return nil, false
	}
	select {
	case r.busy <- struct{}{}:
	default:
		return nil, false
	}
	r.handling[secret] = true
	return func() {
		<-r.busy
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.handling, secret)
	}, true
}

// logFailure logs that a push was not handled, once a minute: its peer may send thousands.
func (r *Receiver) logFailure(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.failed) >= time.Minute {
		r.failed = time.Now()
		r.logger.Warn("a push of a peer was not heard; it is looked at later", "error", err)
	}
}

func (r *Receiver) turnAway() {
	n := r.refused.Add(1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.warned) >= time.Minute {
		r.warned = time.Now()
		r.logger.Warn("somebody pushes what belongs to no task of a peer that is known", "path", PushPath, "refused_so_far", n)
	}
}
