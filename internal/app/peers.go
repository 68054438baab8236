package app

import (
	"fmt"

	"errand"
	"errand/activities"
	"errand/internal/a2aclient"
	"errand/internal/config"
)

// peers are where the remote agents work. None is spoken with before it has a task.
func peers(cfg *config.Config) (map[errand.AgentName]activities.Peer, error) {
	list := make(map[errand.AgentName]activities.Peer, len(cfg.RemoteAgents))
	for _, r := range cfg.RemoteAgents {
		peer, err := a2aclient.New(r.Card, revealed(r.Headers))
		if err != nil {
			return nil, fmt.Errorf("remote agent %s: %w", r.Name, err)
		}
		list[r.Name] = peer
	}
	return list, nil
}
