package a2aclient

import (
	"context"
	"errors"
	"time"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand"
)

const following = 50 * time.Second // one stream; it is shorter than an attempt may be

// Follow waits for a while until a task of the peer may have come to something, on a stream of
// the peer's. It reports whether it may have: what, Look says. It fails with
// [errand.ErrPeerNotFollowed] if the peer has no streams, or if errand follows as many tasks as
// it may.
func (p *Peer) Follow(ctx context.Context, id string) (news bool, err error) {
	client, err := p.connect(ctx)
	if err != nil {
		return false, err
	}
	if !p.follows() {
		return false, errand.ErrPeerNotFollowed
	}
	select {
	case p.streams <- struct{}{}:
		defer func() { <-p.streams }()
	default:
		return false, errand.ErrPeerNotFollowed
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
			return false, errand.ErrPeerNotFollowed
		case err != nil:
			return false, short(err)
		case isNews(event):
			return true, nil
		}
	}
	if stream.Err() != nil {
		return false, ctx.Err()
	}
	return true, nil // the peer has ended it
}

// follows reports whether the tasks of the peer are followed.
func (p *Peer) follows() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stream && p.streaming
}

// isNews reports whether an event tells of a state in which errand has something to do.
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
