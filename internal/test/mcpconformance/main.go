// Command mcpconformance is the client that the conformance suite of MCP tests: errand's own,
// as it is used for a server with a url. It connects to the server that its last argument
// names, calls each tool, and ends.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/remote/mcpclient"
	"errand/internal/store"
	"errand/internal/tools"
)

type nothing struct{}

func (nothing) Replace(string, []tools.Tool) error                       { return nil }
func (nothing) NoteMCPServer(context.Context, store.MCPServer) error     { return nil }
func (nothing) MCPServers(context.Context) ([]store.MCPServer, error)    { return nil, nil }
func (nothing) ReleaseLease(context.Context, core.Account, string) error { return nil }
func (nothing) KeepArtifact(context.Context, store.Call, store.NewArtifact) (core.ArtifactID, error) {
	return "a-1", nil
}
func (nothing) Lease(_ context.Context, _ core.Account, _ string, ttl time.Duration) (time.Duration, error) {
	return ttl, nil
}

type wanted struct {
	ClientID     string `json:"client_id"`
	ClientSecret string `json:"client_secret"`
	ToolCalls    []struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"toolCalls"`
}

func main() {
	if err := run(os.Args[len(os.Args)-1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(address string) error {
	var w wanted
	if raw := os.Getenv("MCP_CONFORMANCE_CONTEXT"); raw != "" {
		if err := json.Unmarshal([]byte(raw), &w); err != nil {
			return err
		}
	}
	server := mcpclient.Server{Name: "suite", URL: address, Timeout: 10 * time.Second}
	if w.ClientSecret != "" {
		server.OAuth = &mcpclient.OAuth{ClientID: w.ClientID, ClientSecret: w.ClientSecret}
	}
	var n nothing
	all, err := mcpclient.New(mcpclient.Options{Servers: []mcpclient.Server{server}, Tools: n, Lists: n, Leases: n, Artifacts: n, Version: "conformance", StartTimeout: 10 * time.Second})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var running sync.WaitGroup
	running.Go(func() { all.Run(ctx) })
	defer running.Wait()
	defer cancel()
	status := all.List()[0]
	for ; status.State != mcpclient.Connected; status = all.List()[0] {
		if status.State == mcpclient.Down || ctx.Err() != nil {
			return fmt.Errorf("down: %s", status.Reason)
		}
		time.Sleep(5 * time.Millisecond)
	}
	if w.ToolCalls == nil {
		for _, tool := range status.Tools {
			arguments := json.RawMessage("{}")
			if strings.HasSuffix(tool.Name, ".add_numbers") {
				arguments = json.RawMessage(`{"a":5,"b":3}`)
			}
			if err := try(ctx, all, tool.Name, arguments); err != nil {
				return err
			}
		}
	}
	for _, c := range w.ToolCalls {
		if err := try(ctx, all, c.Name, c.Arguments); err != nil {
			return err
		}
	}
	return nil
}

// try calls a tool. What a model would read it prints.
func try(ctx context.Context, all *mcpclient.Servers, name string, arguments []byte) error {
	text, err := all.Try(ctx, "suite", name, arguments)
	if err != nil {
		return err
	}
	fmt.Println(name, text)
	return nil
}
