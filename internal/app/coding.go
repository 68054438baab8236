package app

import (
	"context"
	"fmt"
	"os"

	"errand"
	"errand/internal/acpclient"
	"errand/internal/config"
	"errand/workflows"
)

// codingSlots is how much work of one coding agent a worker has taken: one piece at a time is
// under way in a folder, and what finds it busy leaves again.
const codingSlots = 4

func (a *App) newCoding(o Options) (*acpclient.Agents, error) {
	opts := acpclient.Options{Leases: a.Store, Worker: a.owner, Version: o.Version, Logger: a.log,
		Serve: func(ctx context.Context, agent errand.AgentName) {
			a.workWhile(ctx, workflows.CodingQueue(agent), codingSlots, a.stopTimeout, func(err error) {
				a.log.Warn("work of a coding agent waits: its worker does not start", "agent", agent, "error", err)
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

// startCoding competes for the folders of coding agents. Nobody waits for it. Once it has
// ended no program works any more.
func (a *App) startCoding(cfg *config.Config) {
	if len(cfg.CodingAgents) == 0 {
		return
	}
	a.runUntilStop(a.coding.Run)
}
