package notifiers

import (
	"context"
	"fmt"

	"errand"
)

// A Router passes a notification to the notifier of its channel. Its zero value
// knows none. Handle is called before the first Notify, not beside it.
type Router struct {
	channels map[string]Notifier
}

var (
	_ Notifier = (*Router)(nil)
	_ Checker  = (*Router)(nil)
	_ Typer    = (*Router)(nil)
)

// Handle sets the notifier of a channel.
func (r *Router) Handle(channel string, n Notifier) {
	if r.channels == nil {
		r.channels = make(map[string]Notifier)
	}
	r.channels[channel] = n
}

// Notify delivers n on its channel. A channel that nobody handles refuses: the
// row is blocked, visible, and can be retried once the channel is set up.
func (r *Router) Notify(ctx context.Context, n errand.Notification) (Receipt, error) {
	to, ok := r.channels[n.Route.Channel]
	if !ok {
		return Receipt{}, &SendError{Fate: Refused, Err: fmt.Errorf("channel %q is not set up", n.Route.Channel)}
	}
	return to.Notify(ctx, n)
}

// Delivered asks the notifier of n's channel, where it can tell.
func (r *Router) Delivered(ctx context.Context, n errand.Notification) (Receipt, bool, error) {
	if c, ok := r.channels[n.Route.Channel].(Checker); ok {
		return c.Delivered(ctx, n)
	}
	return Receipt{}, false, ErrCannotTell
}

// Typing shows that somebody is writing, where the channel can.
func (r *Router) Typing(ctx context.Context, to errand.Route) error {
	if t, ok := r.channels[to.Channel].(Typer); ok {
		return t.Typing(ctx, to)
	}
	return nil
}
