package openaiwire

import (
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"errand/internal/recovered"
)

// A stream is an answer that is sent as it comes. It begins with the first event: what fails
// before is an error with a status.
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

// send sends an event. Its name is empty where the API has none.
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
	case <-s.ended: // the answer is not ours any more
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
		defer recovered.Panic(s.log, "a stream of an OpenAI client", nil)
		for {
			select {
			case <-s.beat.C:
				_ = s.write(": still at work\n\n") // a client that is gone ends the request
			case <-s.ended:
				return
			}
		}
	}()
}

func (s *stream) end() {
	s.beat.Stop()
	s.mu.Lock() // a beat that is being written ends first
	defer s.mu.Unlock()
	close(s.ended)
}
