package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestLongList proves that of a list of many large pages no more is in memory than the
// page that is read, and that the SDK, which keeps the pages, gives the same list again.
func TestLongList(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads 200,000 properties")
	}
	const pages = 10
	large := map[string]any{}
	for n := range 20_000 {
		large[fmt.Sprint("property", n)] = map[string]any{"type": "string"}
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	fresh, asked := mcp.Cacheable{TTLMs: 3_600_000}, 0
	var before, after uint64
	server := mcp.NewServer(&mcp.Implementation{Name: "sim", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method != "tools/list" {
				return next(ctx, method, req)
			}
			asked++
			page, _ := strconv.Atoi(strings.TrimPrefix(req.GetParams().(*mcp.ListToolsParams).Cursor, "page "))
			switch page {
			case 0:
				before = heap()
			case pages:
				after = heap()
				return &mcp.ListToolsResult{Cacheable: fresh, Tools: []*mcp.Tool{{Name: "last", InputSchema: map[string]any{"type": "object"}}}}, nil
			}
			return &mcp.ListToolsResult{Cacheable: fresh, NextCursor: fmt.Sprint("page ", page+1), Tools: []*mcp.Tool{
				{Name: fmt.Sprint("large", page), InputSchema: map[string]any{"type": "object", "properties": large}}}}, nil
		}
	})
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	c := newConnection(Server{Name: "sim"}, &Options{Logger: slog.New(slog.DiscardHandler)})
	session, err := c.client(nil).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	l, err := c.list(t.Context(), session, nil)
	if err != nil || len(l.entries) != 1 || len(l.leftOut) != pages || !strings.Contains(l.leftOut[0], "more than 16000") {
		t.Fatalf("listed: %d tools, left out %q, %v", len(l.entries), l.leftOut, err)
	}
	again, err := c.list(t.Context(), session, nil)
	if err != nil || !slices.EqualFunc(again.entries, l.entries, entry.equal) || !slices.Equal(again.leftOut, l.leftOut) || asked != pages+1 {
		t.Errorf("then: %+v, left out %q, %v; asked %d times", again.entries, again.leftOut, err, asked)
	}
	if grown := int64(after - before); grown > 40<<20 {
		t.Errorf("after %d pages %d MB more are in use", pages, grown>>20)
	}
}

// TestSmallTool proves that of what a server says of a tool little is kept, however long
// it is.
func TestSmallTool(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	object := func(key string, value any) map[string]any { return map[string]any{"type": "object", key: value} }
	for name, tool := range map[string]*mcp.Tool{
		"name":        {Name: long},
		"title":       {Name: "a", Title: long, Annotations: &mcp.ToolAnnotations{Title: long}},
		"description": {Name: "a", Description: long},
		"note":        {Name: "a", InputSchema: object("description", long)},
		"schema":      {Name: "a", InputSchema: object("properties", object("b", []any{long}))},
		"output":      {Name: "a", OutputSchema: object("description", long)},
		"meta":        {Name: "a", Meta: mcp.Meta{"a": long}},
	} {
		small := smallTool(tool)
		raw, err := json.Marshal(small)
		if err != nil || len(raw) > largestSchema {
			t.Errorf("with a long %s %d bytes are kept, %v", name, len(raw), err)
		}
		_, offered := small.InputSchema.(json.RawMessage)
		if why, _ := small.InputSchema.(error); offered == (name == "name" || name == "schema") || why != nil && len(why.Error()) > 100 {
			t.Errorf("with a long %s it is offered: %v; %.200v", name, offered, why)
		}
	}
}

// TestLargeTools proves that of tools which are large together as many are offered as fit, and
// that it is said why the others are not.
func TestLargeTools(t *testing.T) {
	var all []*mcp.Tool
	for i := range 10 {
		all = append(all, &mcp.Tool{Name: fmt.Sprint("tool", i), InputSchema: json.RawMessage(`{"x":"` + strings.Repeat("x", 10_000) + `"}`)})
	}
	all = append(all, &mcp.Tool{Name: "zip", InputSchema: json.RawMessage(`{"type":"object"}`)})
	entries, leftOut := Server{Name: "large"}.entries(all)
	if len(entries) != 7 || entries[6].Remote != "zip" || len(leftOut) != 4 || !strings.Contains(leftOut[0], "more than 64 kB") {
		t.Errorf("%d tools are offered, and left out are %q", len(entries), leftOut)
	}
}
