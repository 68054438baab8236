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
	_ Progress = (*Router)(nil)
	_ Reactor  = (*Router)(nil)
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

// ShowsProgress reports whether a channel has messages that can change.
func (r *Router) ShowsProgress(channel string) bool {
	_, ok := r.channels[channel].(Progress)
	return ok
}

// ShowProgress shows how far something is; ErrCannotShow where the channel cannot.
func (r *Router) ShowProgress(ctx context.Context, to errand.Route, text, id string) (string, error) {
	if p, ok := r.channels[to.Channel].(Progress); ok {
		return p.ShowProgress(ctx, to, text, id)
	}
	return "", ErrCannotShow
}

// React marks a message, where the channel can.
func (r *Router) React(ctx context.Context, to errand.Route, messageID string, mark Mark) error {
	if p, ok := r.channels[to.Channel].(Reactor); ok {
		return p.React(ctx, to, messageID, mark)
	}
	return nil
}
