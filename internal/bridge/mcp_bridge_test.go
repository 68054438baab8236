package bridge

import (
	"bufio"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"errand/internal/cli/console"
)

// bridged plays a worker, says lines to it through a bridge, and returns what comes back
// once the input has ended.
func bridged(t *testing.T, worker http.HandlerFunc, lines ...string) string {
	t.Helper()
	server := httptest.NewServer(worker)
	defer server.Close()
	var out strings.Builder
	w := console.NewWorker(server.URL, "secret")
	for _, line := range lines { // each by itself, so that the answers are in order
		if err := RunMCP(t.Context(), w, strings.NewReader(line+"\n"), &out); err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

// TestBridge proves that messages reach the worker with what the protocol wants beside
// them, that answers come back a line each, and that what cannot be answered is answered
// with an error that says why.
func TestBridge(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_task","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`
	for _, tt := range []struct {
		name, say, want string
		worker          http.HandlerFunc
	}{
		{"an answer", call, `{"jsonrpc":"2.0","id":7,"result":{}}`, func(w http.ResponseWriter, r *http.Request) {
			for name, want := range map[string]string{"Authorization": "Bearer secret", "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "get_task"} {
				if got := r.Header.Get(name); got != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, "{\"jsonrpc\":\"2.0\",\n \"id\":7,\"result\":{}}")
		}},
		{"a task", `{"jsonrpc":"2.0","id":7,"method":"tasks/get","params":{"taskId":"t-1","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, `"id":7`, func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Mcp-Name"); got != "t-1" {
				t.Errorf("Mcp-Name is %q", got)
			}
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{}}`)
		}},
		{"a stream", call, "{\"method\":\"notifications/progress\"}\n{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "event: message\ndata: {\"method\":\"notifications/progress\"}\n\ndata: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}\n\n")
		}},
		{"a stream that is cut off", call, "ended too early", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: {\"method\":\"notifications/progress\"}\n\n")
		}},
		{"an error of the protocol", call, `"code":-32602`, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"bad"}}`)
		}},
		{"a token that is not known", call, "does not know this token", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusUnauthorized)
		}},
		{"a refusal", call, "too many", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTooManyRequests)
			io.WriteString(w, `{"error":{"code":"too_many","message":"too many"}}`)
		}},
		{"another program", call, "is not this version of errand", func(w http.ResponseWriter, _ *http.Request) {
			io.WriteString(w, "<html>")
		}},
		{"a refusal in words", call, "unsupported protocol version", func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Bad Request: unsupported protocol version", http.StatusBadRequest)
		}},
		{"a message that is too long", `{"x":"` + strings.Repeat("y", maxMCPLine) + `"}` + "\n" + call, "longer than 4 MB\"},\"id\":null,\"jsonrpc\":\"2.0\"}\n{\"jsonrpc\":\"2.0\",\"id\":7", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"jsonrpc":"2.0","id":7,"result":{}}`)
		}},
		{"no JSON", "what is this?", `"code":-32700`, nil},
		{"nothing", "", "", nil},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":1,"result":{}}`, "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := bridged(t, tt.worker, tt.say)
			if !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
				t.Errorf("it answers %q, want %q", got, tt.want)
			}
		})
	}
}

// TestBridgeCancels proves that a client which cancels a call ends the request, and gets no
// answer to it.
func TestBridgeCancels(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		close(began)
		<-r.Context().Done()
		close(ended)
	}))
	defer server.Close()
	in, say := io.Pipe()
	read, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- RunMCP(t.Context(), console.NewWorker(server.URL, ""), in, out); out.Close() }()
	io.WriteString(say, `{"jsonrpc":"2.0","id":"a","method":"tools/call"}`+"\n")
	<-began
	io.WriteString(say, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"a"}}`+"\n")
	<-ended
	say.Close()
	if line, err := bufio.NewReader(read).ReadString('\n'); err != io.EOF {
		t.Errorf("the canceled call is answered %q, %v", line, err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
