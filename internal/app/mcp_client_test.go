package app_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"errand/internal/bridge"
	"errand/internal/cli/console"
	"errand/internal/ownerkey"
)

func (in *installation) mcpTransports() map[string]func(*testing.T) mcp.Transport {
	in.t.Helper()
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		in.t.Fatal(err)
	}
	return map[string]func(*testing.T) mcp.Transport{
		"http": func(*testing.T) mcp.Transport {
			return in.mcpFor(string(owner))
		},
		"stdio": func(t *testing.T) mcp.Transport {
			toBridge, fromClient := io.Pipe()
			toClient, fromBridge := io.Pipe()
			ended := make(chan error, 1)
			go func() {
				ended <- bridge.RunMCP(t.Context(), console.NewWorker("http://"+in.Address, string(owner)), toBridge, fromBridge)
				fromBridge.Close()
			}()
			t.Cleanup(func() {
				fromClient.Close()
				if err := <-ended; err != nil && !errors.Is(err, t.Context().Err()) {
					t.Errorf("the bridge: %v", err)
				}
			})
			return &mcp.IOTransport{Reader: toClient, Writer: fromClient}
		},
	}
}

// mcpFor reaches an installation over HTTP with a token.
func (in *installation) mcpFor(token string) mcp.Transport {
	return &mcp.StreamableClientTransport{Endpoint: "http://" + in.Address + "/mcp", HTTPClient: &http.Client{Transport: bearer(token)}, DisableStandaloneSSE: true}
}

// An mcpCaller is a client that calls tools.
type mcpCaller struct {
	*mcp.ClientSession
	t *testing.T
}

func connectMCP(t *testing.T, transport mcp.Transport, o *mcp.ClientOptions) mcpCaller {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "editor", Version: "1"}, o).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return mcpCaller{session, t}
}

// call calls a tool, reads what it answers into out, and returns the answer in words.
func (c mcpCaller) call(name string, args map[string]any, out any) string {
	c.t.Helper()
	text, failed := c.try(name, args, out)
	if failed {
		c.t.Fatalf("%s fails: %s", name, text)
	}
	return text
}

func (c mcpCaller) try(name string, args map[string]any, out any) (text string, failed bool) {
	c.t.Helper()
	got, err := c.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	if !got.IsError && out != nil {
		raw, err := json.Marshal(got.StructuredContent)
		if err == nil {
			err = json.Unmarshal(raw, out)
		}
		if err != nil {
			c.t.Fatalf("%s: %s: %v", name, raw, err)
		}
	}
	return got.Content[0].(*mcp.TextContent).Text, got.IsError
}
