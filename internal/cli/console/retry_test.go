package console

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/api"
)

// A fakeWorker refuses requests with a status and a Retry-After until a time.
type fakeWorker struct {
	status int
	after  string
	until  time.Time
	bodies []string
}

func (f *fakeWorker) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(req.Body)
	f.bodies = append(f.bodies, string(body))
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("{}")), Request: req}
	if time.Now().Before(f.until) {
		resp.StatusCode = f.status
		resp.Header.Set("Retry-After", f.after)
		resp.Body = io.NopCloser(strings.NewReader(`{"error": {"code": "too_fast", "message": "that was too fast"}}`))
	}
	return resp, err
}

// TestRetryAfter proves that a command waits as long as the worker says when requests come too
// often, that it then sends the same again, and that it waits for no other refusal.
func TestRetryAfter(t *testing.T) {
	for _, test := range []struct {
		name   string
		status int
		after  string
		tries  int
		waits  time.Duration
		fails  bool
	}{
		{"too often", 429, "40", 3, 80 * time.Second, false},
		{"too often, without a time", 429, "", 1, 0, true},
		{"another refusal", 503, "40", 1, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				f := &fakeWorker{status: test.status, after: test.after, until: began.Add(time.Minute)}
				w := &Worker{Base: "http://h", HTTP: &http.Client{Transport: f}}
				_, err := api.Call(t.Context(), w.API(), api.CreateTask, api.CreateTaskInput{Body: api.NewTask{Text: "find trains"}})
				require.Equal(t, test.fails, err != nil, "%v", err)
				assert.Equal(t, test.waits, time.Since(began))
				require.Len(t, f.bodies, test.tries)
				for _, body := range f.bodies {
					assert.Contains(t, body, "find trains")
				}
			})
		})
	}
}
