// Package presence shows activity in the chats of platforms: that an agent is writing, the text so
// far or why its model fails, the progress of a turn's tasks, and that a message was seen.
//
// All of this is best effort. Nothing waits for it, and it delivers nothing: results are delivered
// separately, whatever is shown here.
package presence

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store"
	"errand/notifiers"
)

// Options configure a Presence. Store, Notifiers and Logger are required.
type Options struct {
	Store     *store.Store
	Notifiers *notifiers.Router
	Logger    *slog.Logger
	// Reacts reports whether messages in a chat are marked as seen and done; default: none is.
	Reacts func(core.Route) bool
	// Streams reports whether replies on an account are shown while they are written; default: no.
	// Holds reports whether this process sends on an account; default: it does. Worded returns a
	// reply with the text of its later delivery; default: unchanged.
	Streams func(core.Account) bool
	Holds   func(core.Account) bool
	Worded  func(core.Notification) core.Notification

	// TypeEvery is how often the typing indicator is sent; default: a little more often than the
	// platform's indicator disappears.
	TypeEvery time.Duration
	// ShowAfter is how long a task must take before it is shown; default 3 s.
	ShowAfter time.Duration
	// EditEvery is the minimum interval between changes; default 3 s.
	EditEvery time.Duration
	// A reply is shown PreviewAfter its first text if it has at least PreviewLeast characters by
	// then. Shorter replies are only delivered. Defaults: 1 s and 60.
	PreviewAfter time.Duration
	PreviewLeast int
	// SweepEvery is how often it looks for work that other processes left; default 1 min.
	SweepEvery time.Duration
}

// A Presence follows the events of this process and shows them.
type Presence struct {
	Options
	typing    typing
	progress  progress
	reactions reactions
	previews  previews
	work      sync.WaitGroup // calls in progress
}

// New returns an error if a required option is missing.
func New(o Options) (*Presence, error) {
	switch {
	case o.Store == nil:
		return nil, errors.New("presence: no store")
	case o.Notifiers == nil:
		return nil, errors.New("presence: no notifiers")
	case o.Logger == nil:
		return nil, errors.New("presence: no logger")
	}
	if o.Reacts == nil {
		o.Reacts = func(core.Route) bool { return false }
	}
	if o.Streams == nil {
		o.Streams = func(core.Account) bool { return false }
	}
	if o.Holds == nil {
		o.Holds = func(core.Account) bool { return true }
	}
	if o.Worded == nil {
		o.Worded = func(n core.Notification) core.Notification { return n }
	}
	o.PreviewLeast = cmp.Or(o.PreviewLeast, 60)
	def := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	def(&o.ShowAfter, 3*time.Second)
	def(&o.EditEvery, 3*time.Second)
	def(&o.PreviewAfter, time.Second)
	def(&o.SweepEvery, time.Minute)
	p := &Presence{Options: o}
	p.typing = typing{p: p, running: map[turn]*typist{}}
	p.progress = progress{p: p, due: map[core.SessionID]*due{}, slots: make(chan struct{}, atOnce)}
	p.reactions = reactions{p: p, queues: map[account]chan reaction{}}
	p.previews = previews{p: p, calls: map[core.Route]chan struct{}{}}
	return p, nil
}

type turn struct {
	session core.SessionID
	number  int
}

// Run shows events until ctx ends. When it returns, no call is in progress.
func (p *Presence) Run(ctx context.Context) {
	happening, cancel := p.Store.Bus().Watch()
	defer p.work.Wait()
	defer p.progress.stop()
	defer cancel()
	sweep := time.NewTicker(p.SweepEvery)
	defer sweep.Stop()
	p.progress.sweep(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-happening:
			p.see(ctx, e)
		case <-sweep.C:
			p.progress.sweep(ctx)
		}
	}
}

// see must not wait: a slow reader loses events.
func (p *Presence) see(ctx context.Context, e core.Event) {
	if e.Type == events.Lag { // the store has what was missed
		p.progress.sweep(ctx)
		return
	}
	route, _, err := e.Key.Parse()
	if err != nil || route.Channel == core.ChannelWeb {
		return
	}
	switch e.Type {
	case core.EventStep:
		if e.Turn > 0 && e.Task == "" {
			p.typing.start(ctx, turn{e.Session, e.Turn}, e.Key, route)
		}
	case core.EventTask:
		p.progress.changed(ctx, e.Session, route)
	case core.EventMessage:
		p.reactions.seen(ctx, route, e.Message)
	case core.EventReply, core.EventQuestion, core.EventLate, core.EventError, core.EventNotice:
		if e.Turn > 0 {
			p.typing.stop(turn{e.Session, e.Turn})
			p.reactions.done(ctx, route, turn{e.Session, e.Turn}, e.Type)
		}
	}
}
