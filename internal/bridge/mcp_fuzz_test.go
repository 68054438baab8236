package bridge

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"errand/internal/cli/console"
)

// FuzzBridge proves that no lines of a client and no answer of a worker break the bridge, and
// that all that a client reads are lines of JSON.
func FuzzBridge(f *testing.F) {
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_task","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	f.Add([]byte(call), true, 200, []byte("data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n"))
	f.Add([]byte("{\"id\":1,\"method\":\"initialize\"}\n"+call), false, 200, []byte(`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}`))
	f.Add([]byte("null\n[]\n{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":{}}}\nx"), false, 401, []byte(`<html>`))
	f.Add([]byte(`{"id":7,"method":"a\u0000","params":{"name":"\r\nX: y"}}`), false, 429, []byte(`{"error":{"code":"too_many","message":"too many"}}`))
	f.Fuzz(func(t *testing.T, lines []byte, stream bool, status int, answer []byte) {
		w := console.NewWorker("http://errand.test", "secret")
		w.HTTP.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
			kind := "application/json"
			if stream {
				kind = "text/event-stream"
			}
			return &http.Response{StatusCode: 200 + (status%300+300)%300, Status: "what it is", Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(bytes.NewReader(answer)), Request: r}, nil
		})
		var out strings.Builder
		if err := RunMCP(t.Context(), w, bytes.NewReader(lines), &out); err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(out.String()) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("the client reads %q", line)
			}
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
