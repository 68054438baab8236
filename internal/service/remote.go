package service

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/ops"
)

// RemoteAgents has the operations on agents of other systems.
type RemoteAgents struct {
	peers  map[core.AgentName]Peer
	coding map[core.AgentName]func(context.Context) error
}

func (a *RemoteAgents) bind(r *ops.Runner) { ops.Bind(r, api.CheckRemoteAgents, a.check) }

const remoteCheckTime = 45 * time.Second

// check checks whether remote agents can take tasks. It reads the cards of peers, and starts coding
// agents without giving them work.
func (a *RemoteAgents) check(ctx context.Context, _ actor.Actor, _ api.None) ([]core.RemoteAgentState, error) {
	checks := make(map[core.AgentName]func(context.Context) error, len(a.coding)+len(a.peers))
	maps.Copy(checks, a.coding)
	for name, peer := range a.peers {
		if c, ok := peer.(interface{ Check(context.Context) error }); ok {
			checks[name] = c.Check
		}
	}
	list := []core.RemoteAgentState{}
	for _, name := range slices.Sorted(maps.Keys(checks)) {
		list = append(list, core.RemoteAgentState{Agent: name})
	}
	var running sync.WaitGroup
	for i := range list {
		running.Go(func() {
			ctx, done := context.WithTimeout(ctx, remoteCheckTime)
			defer done()
			err := checks[list[i].Agent](ctx)
			if list[i].OK = err == nil; err != nil {
				list[i].Says = core.Cut(content.OneLine(err.Error()), 500)
			}
		})
	}
	running.Wait()
	return list, nil
}

// isLocal returns an error for peers and registered agents, because they get a task once and no
// messages after that.
func (t *Tasks) isLocal(ctx context.Context, task core.Task) error {
	for _, a := range task.Agents {
		kind := t.Roster.Kind(a)
		remote := kind.IsRemote()
		if kind == "" {
			var err error
			if remote, err = t.Store.IsRegistered(ctx, task.Origin.Person, a); err != nil {
				return err
			}
		}
		if remote {
			return conflict("remote", "refusal.remote", "task", task.ID, "agent", a.Display())
		}
	}
	return nil
}
