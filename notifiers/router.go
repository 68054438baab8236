package notifiers

import (
	"context"
	"time"

	"errand/internal/core"
)

// A Router passes each notification to the notifier of its channel. Its zero value has no
// notifiers. Call Handle only before the first Notify: the two are not synchronized.
type Router struct {
	channels map[string]Notifier
}

var (
	_ Notifier    = (*Router)(nil)
	_ Checker     = (*Router)(nil)
	_ RateLimiter = (*Router)(nil)
	_ Typer       = (*Router)(nil)
	_ Progress    = (*Router)(nil)
	_ Previewer   = (*Router)(nil)
	_ Reactor     = (*Router)(nil)
)

// Handle sets the notifier of a channel, or of one account ("telegram/main"). The notifier of an
// account takes precedence.
func (r *Router) Handle(channel string, n Notifier) {
	if r.channels == nil {
		r.channels = make(map[string]Notifier)
	}
	r.channels[channel] = n
}

func (r *Router) at(to core.Route) (Notifier, bool) {
	n, ok := r.channels[to.At().String()]
	if !ok {
		n, ok = r.channels[to.Channel]
	}
	return n, ok
}

// Handles reports whether this process has a notifier for a route.
func (r *Router) Handles(to core.Route) bool {
	_, ok := r.at(to)
	return ok
}

// Notify delivers n on its channel. Without a notifier it returns a NotSent error, because another
// worker may have one, or this worker once the account is set up.
func (r *Router) Notify(ctx context.Context, n core.Notification) (Receipt, error) {
	to, ok := r.at(n.Route)
	if !ok {
		return Receipt{}, NotSetUp(n.Route.At())
	}
	return to.Notify(ctx, n)
}

// Delivered asks the notifier of n's channel, if it is a Checker.
func (r *Router) Delivered(ctx context.Context, n core.Notification) (Receipt, bool, error) {
	to, _ := r.at(n.Route)
	if c, ok := to.(Checker); ok {
		return c.Delivered(ctx, n)
	}
	return Receipt{}, false, ErrCannotCheck
}

// WaitToSend waits until a message may be sent, if the channel has rate limits.
func (r *Router) WaitToSend(ctx context.Context, to core.Route, patience time.Duration) (context.Context, error) {
	n, _ := r.at(to)
	if p, ok := n.(RateLimiter); ok {
		return p.WaitToSend(ctx, to, patience)
	}
	return ctx, nil
}

// MaxFile returns the size limit of files on a route in bytes. It is 0 if the channel sends no
// files, and most if this process has no notifier for the route, because another worker may.
func (r *Router) MaxFile(to core.Route, most int64) int64 {
	n, ok := r.at(to)
	if !ok {
		return most
	}
	if f, ok := n.(FileSender); ok {
		return f.MaxFile()
	}
	return 0
}

// Typing shows that the agent is typing, if the channel can.
func (r *Router) Typing(ctx context.Context, to core.Route) error {
	n, _ := r.at(to)
	if t, ok := n.(Typer); ok {
		return t.Typing(ctx, to)
	}
	return nil
}

// TypingDuration is how long the typing indicator lasts on a route.
func (r *Router) TypingDuration(to core.Route) time.Duration {
	n, _ := r.at(to)
	if f, ok := n.(TypingDuration); ok {
		return f.TypingDuration()
	}
	return DefaultTypingDuration
}

// ShowsProgress reports whether the channel of a route can edit messages.
func (r *Router) ShowsProgress(to core.Route) bool {
	n, _ := r.at(to)
	_, ok := n.(Progress)
	return ok
}

// ShowProgress shows progress. It returns ErrCannotShow if the channel cannot.
func (r *Router) ShowProgress(ctx context.Context, to core.Route, text, id string) (string, error) {
	n, _ := r.at(to)
	if p, ok := n.(Progress); ok {
		return p.ShowProgress(ctx, to, text, id)
	}
	return "", ErrCannotShow
}

// PreviewStyle returns how previews appear on a route.
func (r *Router) PreviewStyle(to core.Route) PreviewStyle {
	n, _ := r.at(to)
	if p, ok := n.(Previewer); ok {
		return p.PreviewStyle(to)
	}
	return PreviewStyle{}
}

// Preview shows an unfinished reply. It returns ErrCannotShow if the channel cannot.
func (r *Router) Preview(ctx context.Context, n core.Notification, id string) (string, error) {
	to, _ := r.at(n.Route)
	if p, ok := to.(Previewer); ok {
		return p.Preview(ctx, n, id)
	}
	return "", ErrCannotShow
}

// React puts a mark on a message, if the channel can.
func (r *Router) React(ctx context.Context, to core.Route, messageID string, mark Mark) error {
	n, _ := r.at(to)
	if p, ok := n.(Reactor); ok {
		return p.React(ctx, to, messageID, mark)
	}
	return nil
}
