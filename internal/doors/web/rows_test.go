package web

import (
	"net/http"
	"testing"
	"time"

	"errand/internal/store"
	"errand/internal/test/storetest"
)

// TestAttemptsOfTheInstallation proves that wrong tokens count together, whichever worker
// they are tried at.
func TestAttemptsOfTheInstallation(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t), Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var workers []string
	for range 2 {
		workers = append(workers, serve(t, &memory{}, func(o *Options) { o.RateRows = s }).URL)
	}
	looked := 0
	for n := range 16 {
		if login(t, workers[n%2], "wrong", "").StatusCode != http.StatusTooManyRequests {
			looked++
		}
	}
	if looked != 10 {
		t.Errorf("of 16 wrong tokens at two workers %d are looked at, want 10", looked)
	}
	if resp := login(t, workers[1], testKey, ""); len(resp.Cookies()) != 1 {
		t.Errorf("after wrong ones the owner cannot log in: %s", resp.Status)
	}
}
