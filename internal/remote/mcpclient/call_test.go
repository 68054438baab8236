package mcpclient

import (
	"context"
	"log/slog"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// TestCallKey proves that each attempt at a call has the same key, and another call another one;
// and that no part of a header's secret comes back from the server.
func TestCallKey(t *testing.T) {
	var keys []any
	server := mcp.NewServer(&mcp.Implementation{Name: "sim", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "pay", InputSchema: map[string]any{"type": "object"}}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		keys = append(keys, r.Params.Meta["io.errand/idempotency-key"])
		return nil, &jsonrpc.Error{Code: -32000, Message: "failed with hunter2hunter2 and s3cret"}
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c := newConnection(Server{Name: "sim", Headers: map[string]string{"Authorization": "Bearer hunter2hunter2", "X": "id=s3cret;v=1"}, Secrets: []string{"hunter2hunter2", "s3cret"}}, &Options{Logger: slog.New(slog.DiscardHandler)})
	c.o.setDefaults()
	session, err := c.client(nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	c.session = session
	other := aCall
	other.Key.Index++
	for _, call := range []store.Call{aCall, aCall, other, {Key: core.CallKey{}}} {
		text, err := c.call(t.Context(), entry{Name: "sim.pay", Remote: "pay", Effect: tools.Idempotent}, call, nil)
		if err != nil || !strings.Contains(text, "failed with [redacted] and [redacted]") {
			t.Fatalf("the call says %q, %v", text, err)
		}
	}
	if keys[0] == nil || keys[0] != keys[1] || keys[0] == keys[2] || keys[3] != nil {
		t.Errorf("the keys are %v", keys)
	}
}
