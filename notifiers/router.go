package notifiers

import (
	"context"
	"time"

	"errand"
)

// A Router passes a notification to the notifier of its channel. Its zero value
// knows none. Handle is called before the first Notify, not beside it.
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

// Handle sets the notifier of a channel, or of one account on it
// ("telegram/main"), which goes before.
func (r *Router) Handle(channel string, n Notifier) {
	if r.channels == nil {
		r.channels = make(map[string]Notifier)
	}
	r.channels[channel] = n
}

func (r *Router) at(to errand.Route) (Notifier, bool) {
	n, ok := r.channels[to.At().String()]
	if !ok {
		n, ok = r.channels[to.Channel]
	}
	return n, ok
}

// Handles reports whether what is told on a route can be sent from here at all.
func (r *Router) Handles(to errand.Route) bool {
	_, ok := r.at(to)
	return ok
}

// Notify delivers n on its channel. Where nobody handles it, it is not sent: another
// worker may, or this one once the account is set up.
func (r *Router) Notify(ctx context.Context, n errand.Notification) (Receipt, error) {
	to, ok := r.at(n.Route)
	if !ok {
		return Receipt{}, NotSetUp(n.Route.At())
	}
	return to.Notify(ctx, n)
}

// Delivered asks the notifier of n's channel, where it can tell.
func (r *Router) Delivered(ctx context.Context, n errand.Notification) (Receipt, bool, error) {
	to, _ := r.at(n.Route)
	if c, ok := to.(Checker); ok {
		return c.Delivered(ctx, n)
	}
	return Receipt{}, false, ErrCannotCheck
}

// WaitToSend waits until a message may go, where the channel has a pace.
func (r *Router) WaitToSend(ctx context.Context, to errand.Route, patience time.Duration) (context.Context, error) {
	n, _ := r.at(to)
	if p, ok := n.(RateLimiter); ok {
		return p.WaitToSend(ctx, to, patience)
	}
	return ctx, nil
}

// MaxFile returns how large a file may be that is sent on a route, in bytes; 0: none can
// be. Of a route that nobody handles here it is not known, and another worker may: it is
// most then.
func (r *Router) MaxFile(to errand.Route, most int64) int64 {
	n, ok := r.at(to)
	if !ok {
		return most
	}
	if f, ok := n.(FileSender); ok {
		return f.MaxFile()
	}
	return 0
}

// Typing shows that somebody is writing, where the channel can.
func (r *Router) Typing(ctx context.Context, to errand.Route) error {
	n, _ := r.at(to)
	if t, ok := n.(Typer); ok {
		return t.Typing(ctx, to)
	}
	return nil
}

// TypingDuration is how long what Typing shows stays on a route.
func (r *Router) TypingDuration(to errand.Route) time.Duration {
	n, _ := r.at(to)
	if f, ok := n.(TypingDuration); ok {
		return f.TypingDuration()
	}
	return DefaultTypingDuration
}

// ShowsProgress reports whether a route has messages that can change.
func (r *Router) ShowsProgress(to errand.Route) bool {
	n, _ := r.at(to)
	_, ok := n.(Progress)
	return ok
}

// ShowProgress shows how far something is; ErrCannotShow where the channel cannot.
func (r *Router) ShowProgress(ctx context.Context, to errand.Route, text, id string) (string, error) {
	n, _ := r.at(to)
	if p, ok := n.(Progress); ok {
		return p.ShowProgress(ctx, to, text, id)
	}
	return "", ErrCannotShow
}

// PreviewStyle is how a reply is shown on a route while it is being written.
func (r *Router) PreviewStyle(to errand.Route) PreviewStyle {
	n, _ := r.at(to)
	if p, ok := n.(Previewer); ok {
		return p.PreviewStyle(to)
	}
	return PreviewStyle{}
}

// Preview shows so much of a reply as is written; ErrCannotShow where the channel cannot.
func (r *Router) Preview(ctx context.Context, n errand.Notification, id string) (string, error) {
	to, _ := r.at(n.Route)
	if p, ok := to.(Previewer); ok {
		return p.Preview(ctx, n, id)
	}
	return "", ErrCannotShow
}

// RemovePreview takes away what Preview has shown; ErrCannotShow where the channel cannot.
func (r *Router) RemovePreview(ctx context.Context, to errand.Route, id string) error {
	n, _ := r.at(to)
	if p, ok := n.(Previewer); ok {
		return p.RemovePreview(ctx, to, id)
	}
	return ErrCannotShow
}

// React marks a message, where the channel can.
func (r *Router) React(ctx context.Context, to errand.Route, messageID string, mark Mark) error {
	n, _ := r.at(to)
	if p, ok := n.(Reactor); ok {
		return p.React(ctx, to, messageID, mark)
	}
	return nil
}
