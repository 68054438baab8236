package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"time"

	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/remote/mcpclient"
	"errand/internal/test/servicetest"
	"errand/internal/test/sim/mcp"
)

// mcpTools measures what a hundred tools of an MCP server cost a step: turns of one step
// with an agent that has them, alternating in blocks with turns of one that does not.
func mcpTools(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	address, stop, err := startScripted(o)
	if err != nil {
		return err
	}
	defer stop()
	over, err := overHTTP(address)
	if err != nil {
		return err
	}
	model := &instant{}
	model.over.Store(over)
	server := httptest.NewServer(&mcp.HTTP{Server: mcp.New(nil, "", mcp.Crowded)})
	defer server.Close()
	a, err := startCrowded(ctx, dir, o, model, server.URL)
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	var with, without cost
	for i := range 2 + max(1, o.Rounds/block) {
		for _, c := range []struct {
			chat core.AgentName
			into *cost
		}{{fewTools, &without}, {manyTools, &with}} {
			if err := c.into.add(ctx, 1, "hello", func(ctx context.Context, _ int, text string) error { return send(ctx, a, string(c.chat), text) }); err != nil {
				return err
			}
			if i < 2 { // warm up
				*c.into = cost{}
			}
		}
	}
	more := quantile(with.took, 0.5) - quantile(without.took, 0.5)
	_, err = fmt.Fprintf(o.Out, "\na step with %d tools of an MCP server: %s and %s of CPU beyond the same step without, which takes %s and %s of CPU (median of %d each)\n",
		crowd, ms(more), ms(with.perTurn()-without.perTurn()), ms(quantile(without.took, 0.5)), ms(without.perTurn()), len(with.took))
	return err
}

// The agents of the comparison; each has a chat of its name, which was handed over to it.
const (
	anyTools  core.AgentName = "any"
	manyTools core.AgentName = "many"
	fewTools  core.AgentName = "few"

	crowd = 100
)

// startCrowded starts an installation with a server of a hundred tools, and an agent
// with and one without them.
func startCrowded(ctx context.Context, dir string, o Options, model *instant, url string) (*app.App, error) {
	cfg, err := config.Load(config.Sources{
		Env: func(name string) string {
			return map[string]string{"ERRAND_DATA": filepath.Join(dir, "data")}[name]
		},
		Tools: app.ToolNames(), Flags: config.Flags{PortOffset: 4300 + o.PortOffset},
	})
	if err != nil {
		return nil, err
	}
	cfg.Limits.PerMinute, cfg.Budgets = config.Rates{}, config.Budgets{}
	cfg.MCPServers = []config.MCPServer{{Name: "crowd", URL: url, Tools: []string{"tool_*"}}}
	native := app.ToolNames()
	cfg.Roster, err = agents.New(anyTools, []agents.Agent{
		{Name: anyTools, Instructions: "You hand over.", HandoffTo: []core.AgentName{manyTools, fewTools}},
		{Name: manyTools, Instructions: "You have many tools.", Tools: append(slices.Clone(native), "crowd.*")},
		{Name: fewTools, Instructions: "You have few tools.", Tools: native},
	}, agents.Rules{})
	if err != nil {
		return nil, err
	}
	a, err := app.Start(ctx, app.Options{Config: cfg, Model: model})
	if err != nil {
		return nil, err
	}
	return a, errors.Join(offered(ctx, a), begin(ctx, a, manyTools), begin(ctx, a, fewTools))
}

// offered waits until the tools of the server are.
func offered(ctx context.Context, a *app.App) error {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		if s := a.MCP.List()[0]; s.State == mcpclient.Connected && len(s.Tools) == crowd {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// begin begins the chat of an agent.
func begin(ctx context.Context, a *app.App, agent core.AgentName) error {
	if err := send(ctx, a, string(agent), "hello"); err != nil {
		return err
	}
	by := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}
	_, err := servicetest.SwitchAgent(ctx, a.Service, by, core.NewSessionKey(core.WebRoute(string(agent)), app.Owner), agent)
	return err
}
