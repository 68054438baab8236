package openaiwire

import (
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"errand/internal/telemetry"
)

// A stream writes nothing before its first event, so that an earlier error can have its own status.
type stream struct {
	log   *slog.Logger
	q     *request
	began bool
	mu    sync.Mutex
	beat  *time.Ticker
	ended chan struct{}
}

func newStream(log *slog.Logger, q *request, beat time.Duration) *stream {
	return &stream{log: log, q: q, beat: time.NewTicker(beat), ended: make(chan struct{})}
}

// send writes an event. name is empty in the API that does not name its events.
func (s *stream) send(name string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	text := "data: " + string(raw) + "\n\n"
	if name != "" {
		text = "event: " + name + "\n" + text
	}
	return s.write(text)
}

func (s *stream) write(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-s.ended: // the handler has returned
		return net.ErrClosed
	default:
	}
	s.begin()
	if _, err := io.WriteString(s.q.w, text); err != nil {
		return err
	}
	return http.NewResponseController(s.q.w).Flush()
}

func (s *stream) begin() {
	if s.began {
		return
	}
	s.began = true
	h := s.q.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	s.q.w.WriteHeader(http.StatusOK)
	go func() {
		defer telemetry.RecoverPanic(s.log, "OpenAI stream failed", nil)
		for {
			select {
			case <-s.beat.C:
				_ = s.write(": still at work\n\n") // fails only if the client is gone, which ends the request
			case <-s.ended:
				return
			}
		}
	}()
}

func (s *stream) end() {
	s.beat.Stop()
	s.mu.Lock() // waits for a beat that is being written
	defer s.mu.Unlock()
	close(s.ended)
}
