package a2aclient

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand/internal/core"
)

const following = 50 * time.Second // for one stream; shorter than an activity attempt

// Follow waits on a stream of the peer until a task may have changed, for at most 50
// seconds. It reports whether the task may have changed; Poll returns its state. It returns
// [core.ErrPeerNotFollowed] if the peer has no streams, or if the limit of streams is
// reached.
func (p *Peer) Follow(ctx context.Context, id string) (news bool, err error) {
	client, err := p.connect(ctx)
	if err != nil {
		return false, err
	}
	if !p.follows() {
		return false, core.ErrPeerNotFollowed
	}
	select {
	case p.streams <- struct{}{}:
		defer func() { <-p.streams }()
	default:
		return false, core.ErrPeerNotFollowed
	}
	stream, end := context.WithTimeout(ctx, following)
	defer end()
	for event, err := range client.SubscribeToTask(stream, &a2a.SubscribeToTaskRequest{ID: a2a.TaskID(id)}) {
		switch {
		case ctx.Err() != nil:
			return false, ctx.Err()
		case stream.Err() != nil:
			return false, nil
		case errors.Is(err, a2a.ErrMethodNotFound):
			return false, core.ErrPeerNotFollowed
		case err != nil:
			return false, short(err)
		case isNews(event):
			return true, nil
		}
	}
	if stream.Err() != nil {
		return false, ctx.Err()
	}
	return true, nil // the peer has closed the stream
}

func (p *Peer) follows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stream && p.streaming
}

func isNews(event a2a.Event) bool {
	var state a2a.TaskState
	switch event := event.(type) {
	case *a2a.Task:
		state = event.Status.State
	case *a2a.TaskStatusUpdateEvent:
		state = event.Status.State
	case *a2a.Message:
		return true
	}
	return state.Terminal() || state == a2a.TaskStateInputRequired || state == a2a.TaskStateAuthRequired
}
