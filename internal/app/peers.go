package app

import (
	"fmt"

	"errand/activities"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/remote/a2aclient"
	"errand/internal/service"
)

// peers makes no calls: a peer is called only for a task.
func peers(cfg *config.Config) (map[core.AgentName]activities.Peer, map[core.AgentName]service.Peer, error) {
	list, looked := make(map[core.AgentName]activities.Peer, len(cfg.RemoteAgents)), make(map[core.AgentName]service.Peer, len(cfg.RemoteAgents))
	// A stream occupies a slot of the sub-agents' queue. The limit leaves them most of the slots.
	streams := make(chan struct{}, max(1, cfg.Slots.Tasks/4))
	for _, r := range cfg.RemoteAgents {
		peer, err := a2aclient.New(a2aclient.Options{
			Card: r.Card, Headers: revealed(r.Headers), Stream: r.Updates != config.UpdatesPoll, Streams: streams,
		})
		if err != nil {
			return nil, nil, fmt.Errorf("remote agent %s: %w", r.Name, err)
		}
		list[r.Name], looked[r.Name] = peer, peer
	}
	return list, looked, nil
}
