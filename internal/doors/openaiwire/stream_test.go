package openaiwire

import (
	"log/slog"
	"net/http/httptest"
	"testing"
	"time"
)

// TestStreamEnds proves that nothing is written to an answer that is over: it may be
// somebody else's by then.
func TestStreamEnds(t *testing.T) {
	w := httptest.NewRecorder()
	s := newStream(slog.New(slog.DiscardHandler), &request{w: w}, time.Nanosecond)
	if err := s.send("", "hello"); err != nil {
		t.Fatal(err)
	}
	s.end()
	before := w.Body.Len()
	if err := s.write(": still at work\n\n"); err == nil || w.Body.Len() != before {
		t.Errorf("after its end there came %q, %v", w.Body.String()[before:], err)
	}
}
