package activities

import (
	"context"
	"errors"

	"errand/internal/core"
	"errand/internal/store"
)

// registeredPeer is the peer of a registered agent. The agent finds its requests in the
// store and stores its answers there.
type registeredPeer struct {
	*worker
	work store.PeerWork
}

func (r registeredPeer) Start(ctx context.Context, _ core.PeerOrder) (core.PeerTask, error) {
	err := r.store.OfferRequest(ctx, r.work.Task, r.work.Agent)
	return core.PeerTask{ID: string(core.SubAgentOwner(r.work.Task, r.work.Agent)), State: core.Working}, err
}

// Poll always returns working: the agent's answer ends the work in the store.
func (r registeredPeer) Poll(_ context.Context, id string) (core.PeerTask, error) {
	return core.PeerTask{ID: id, State: core.Working}, nil
}

func (r registeredPeer) Answer(context.Context, core.PeerTask, string, string) (core.PeerTask, error) {
	return core.PeerTask{}, errors.New("a registered agent asks nothing")
}

// Cancel does nothing: the request has ended with its task.
func (r registeredPeer) Cancel(context.Context, string) error { return nil }
