package app

import (
	"context"
	"fmt"
	"os"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/remote/acpclient"
	"errand/workflows"
)

// codingSlots is small, because only one task runs per folder and the other attempts return.
const codingSlots = 4

func (a *App) newCoding(o Options) (*acpclient.Agents, error) {
	opts := acpclient.Options{Leases: a.Store, Worker: a.owner, Version: o.Version, Logger: a.log,
		Serve: func(ctx context.Context, agent core.AgentName) {
			a.workers.workWhile(ctx, workflows.CodingQueue(agent), codingSlots, a.workers.stopTimeout, func(err error) {
				a.log.Warn("coding agent's work waits, because its worker does not start", "agent", agent, "error", err)
			})
		},
	}
	for _, c := range o.Config.CodingAgents {
		opts.Agents = append(opts.Agents, acpclient.Agent{Name: c.Name, Command: c.Command, Folder: c.Folder, Env: revealed(c.Env), Secrets: revealedList(c.Secrets)})
	}
	if len(opts.Agents) > 0 {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fmt.Errorf("remote_agents: coding agents keep their logins in the home of errand's user: %w", err)
		}
		opts.Home = home
	}
	return acpclient.New(opts), nil
}

// codingChecks returns functions that start the programs of coding agents without work.
func (a *App) codingChecks(cfg *config.Config) map[core.AgentName]func(context.Context) error {
	checks := make(map[core.AgentName]func(context.Context) error, len(cfg.CodingAgents))
	for _, c := range cfg.CodingAgents {
		checks[c.Name] = func(ctx context.Context) error { return a.coding.Check(ctx, c.Name) }
	}
	return checks
}

// startCoding does not delay the start. When it has stopped, no coding program runs.
func (a *App) startCoding(cfg *config.Config) {
	if len(cfg.CodingAgents) == 0 {
		return
	}
	a.runUntilStop(a.coding.Run)
}
