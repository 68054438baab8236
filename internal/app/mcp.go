package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"time"

	"errand/api"
	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/remote/mcpclient"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/tools"
)

const mcpSlots = 16

func (a *App) newMCP(ctx context.Context, o Options, set *tools.Set) (err error) {
	opts := mcpclient.Options{
		Servers: mcpServers(o.Config), Tools: crowdWatch{set, a}, Lists: a.Store, Leases: a.Store, Artifacts: a.Store, Worker: a.owner, Version: o.Version,
		Folder: filepath.Join(o.Config.Data, "mcp"), Logger: a.log,
		Serve: func(ctx context.Context, queue string) {
			a.workers.workWhile(ctx, queue, mcpSlots, a.workers.stopTimeout, func(err error) {
				a.log.Warn("MCP server's calls wait, because their worker does not start", "queue", queue, "error", err)
			})
		},
	}
	for _, p := range o.Config.ToolPatterns() {
		opts.Patterns = append(opts.Patterns, mcpclient.Pattern(p))
	}
	if a.Store.Shared() {
		opts.Poll = 15 * time.Second
	}
	if a.MCP, err = mcpclient.New(opts); err != nil {
		return err
	}
	return a.MCP.Known(ctx)
}

type crowdWatch struct {
	*tools.Set
	a *App
}

func (w crowdWatch) Replace(source string, list []tools.Tool) error {
	if err := w.Set.Replace(source, list); err != nil {
		return err
	}
	w.a.warnCrowded()
	return nil
}

func (a *App) crowded() []core.CrowdedAgent {
	if a.acts == nil { // not everything is built yet
		return nil
	}
	return a.acts.Prompts.Crowded()
}

func (a *App) warnCrowded() {
	for _, c := range a.crowded() {
		if _, warned := a.crowdWarned.LoadOrStore(fmt.Sprint(c), true); !warned {
			a.log.Warn("too many tools for one request, so some MCP tools are left out; list the ones that the agent needs under tools of the agent or the MCP server",
				"agent", c.Agent, "tools", c.Tools, "most", c.Most, "left_out", c.LeftOut)
		}
	}
}

// startMCP does not delay the start. When it has stopped, so have the processes that it started.
func (a *App) startMCP() {
	a.warnCrowded()
	a.runUntilStop(a.MCP.Run)
}

type mcpView struct {
	servers   *mcpclient.Servers
	approvals tools.Approvals
	set       *tools.Set
	roster    *agents.Roster
	started   time.Time
}

var _ service.MCP = mcpView{}

func (v mcpView) Servers() []api.MCPServer {
	list := []api.MCPServer{}
	for _, s := range v.servers.List() {
		server := api.MCPServer{Name: s.Name, Wire: s.Wire, State: string(s.State), RemoteState: string(s.RemoteState), Worker: s.Worker, Single: s.Single, Reason: s.Reason, Since: s.Since,
			Says: s.Says, Protocol: s.Protocol, Tools: []api.MCPTool{}, LeftOut: s.LeftOut, Unmatched: s.Unmatched, Blocked: s.Blocked}
		for _, t := range s.Tools {
			server.Tools = append(server.Tools, api.MCPTool{Name: t.Name, Effect: string(t.Effect), Role: t.Role, Description: t.Description,
				Approval: v.approvals.Rule(tools.Tool{Name: t.Name, By: store.ByActivity, Approval: t.Approval})})
		}
		for _, f := range s.Failures {
			server.Failures = append(server.Failures, api.MCPFailure(f))
		}
		list = append(list, server)
	}
	return list
}

func (v mcpView) BuiltIn() api.MCPServer {
	own := api.MCPServer{Name: "errand", Wire: "built_in", State: string(mcpclient.Connected), Since: v.started, Tools: []api.MCPTool{}}
	for _, t := range v.set.BuiltIn() {
		tool := api.MCPTool{Name: t.Name, Effect: string(t.Effect), Role: t.Role, Approval: v.approvals.Rule(t), Description: t.Description, Agents: []core.AgentName{}}
		for _, name := range v.roster.Names() {
			if agent, _ := v.roster.Agent(name); v.mayCall(agent, t) {
				tool.Agents = append(tool.Agents, name)
			}
		}
		own.Tools = append(own.Tools, tool)
	}
	return own
}

// mayCall reports whether an agent has a tool. It ignores the person's rights and where the call is
// made.
func (v mcpView) mayCall(agent *agents.Agent, t tools.Tool) bool {
	switch {
	case agent.Kind != core.LocalAgent || !agent.MayUse(t.Name) || t.For != nil && !t.For(agent.Name):
		return false
	case t.By == store.ByDelegation:
		return len(agent.Delegates) > 0
	case t.By == store.ByHandover:
		return len(v.roster.HandoffTo(agent.Name)) > 0
	}
	return true
}

func (v mcpView) Try(ctx context.Context, server, tool string, args json.RawMessage) (string, error) {
	text, err := v.servers.Try(ctx, server, tool, args)
	if errors.Is(err, mcpclient.ErrUnknown) {
		err = service.ErrNoMCPTool
	}
	return text, err
}

func mcpServers(cfg *config.Config) []mcpclient.Server {
	list := make([]mcpclient.Server, len(cfg.MCPServers))
	for i, s := range cfg.MCPServers {
		list[i] = mcpclient.Server{Name: s.Name, Command: s.Command, URL: s.URL, Env: revealed(s.Env), Headers: revealed(s.Headers), Secrets: revealedList(s.Secrets),
			Tools: s.Tools, Effects: map[string]tools.Effect{}, Approval: s.Approval, Trust: s.Trust, Single: s.Single, Timeout: s.Timeout}
		if s.OAuth != nil {
			list[i].OAuth = &mcpclient.OAuth{ClientID: s.OAuth.ClientID, ClientSecret: s.OAuth.ClientSecret.Reveal()}
		}
		for tool, effect := range maps.All(s.Effects) {
			list[i].Effects[tool] = tools.Effect(effect)
		}
	}
	return list
}

func revealed(secrets map[string]config.Secret) map[string]string {
	texts := make(map[string]string, len(secrets))
	for name, secret := range secrets {
		texts[name] = secret.Reveal()
	}
	return texts
}

func revealedList(secrets []config.Secret) []string {
	texts := make([]string, len(secrets))
	for i, secret := range secrets {
		texts[i] = secret.Reveal()
	}
	return texts
}
