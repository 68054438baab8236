package app

import (
	"fmt"

	"errand"
	"errand/activities"
	"errand/internal/a2aclient"
	"errand/internal/config"
	"errand/internal/service"
)

// peers are where the remote agents work, as activities and the service know them. None is
// spoken with before it has a task.
func peers(cfg *config.Config) (map[errand.AgentName]activities.Peer, map[errand.AgentName]service.Peer, error) {
	list, looked := make(map[errand.AgentName]activities.Peer, len(cfg.RemoteAgents)), make(map[errand.AgentName]service.Peer, len(cfg.RemoteAgents))
	// What is followed holds a slot of the queue on which sub-agents work: those keep most.
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
