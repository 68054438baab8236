// Package presence shows in the chats of platforms what goes on: that an agent
// writes, and what it has written or why its model fails, how far the tasks of a
// turn are, that a message was seen.
//
// All of it is for the eye and best effort. Nothing waits for it, and nothing is
// a delivery: results are told by their own ways, whatever is shown here.
package presence

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"errand"
	"errand/internal/events"
	"errand/internal/store"
	"errand/notifiers"
)

// Options are what it works with. Store, Notifiers and Logger are needed.
type Options struct {
	Store     *store.Store
	Notifiers *notifiers.Router
	Logger    *slog.Logger
	// Reacts says where messages are marked as seen and done; default: nowhere.
	Reacts func(errand.Route) bool
	// Streams says on which accounts replies are shown while they are being written;
	// default: on none. Holds says whether this process is the one that sends on an
	// account; default: it is. Worded is a reply as it will be told; default: as it stands.
	Streams func(errand.Account) bool
	Holds   func(errand.Account) bool
	Worded  func(errand.Notification) errand.Notification

	// TypeEvery is how often it is shown that somebody writes; default: a little
	// more often than what each platform shows goes away by itself.
	TypeEvery time.Duration
	// ShowAfter is how long a task has to take before it is shown; default 3 s.
	ShowAfter time.Duration
	// EditEvery is how often what is shown may change, at most; default 3 s.
	EditEvery time.Duration
	// PreviewAfter is how long a reply has been written before it is shown, and PreviewLeast
	// how long it has to be by then, in characters: what is shorter is told at once.
	// Default 1 s and 60.
	PreviewAfter time.Duration
	PreviewLeast int
	// SweepEvery is how often it is looked for what others left; default 1 min.
	SweepEvery time.Duration
}

// A Presence follows what happens in this process, and shows it.
type Presence struct {
	Options
	typing    typing
	progress  progress
	reactions reactions
	previews  previews
	work      sync.WaitGroup // what is under way
}

// New checks that o is complete.
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
		o.Reacts = func(errand.Route) bool { return false }
	}
	if o.Streams == nil {
		o.Streams = func(errand.Account) bool { return false }
	}
	if o.Holds == nil {
		o.Holds = func(errand.Account) bool { return true }
	}
	if o.Worded == nil {
		o.Worded = func(n errand.Notification) errand.Notification { return n }
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
	p.progress = progress{p: p, due: map[errand.SessionID]*due{}, slots: make(chan struct{}, atOnce)}
	p.reactions = reactions{p: p, queues: map[account]chan reaction{}}
	p.previews = previews{p: p, wanted: make(chan struct{}, 1)}
	return p, nil
}

// A turn names one of a session.
type turn struct {
	session errand.SessionID
	number  int
}

// Run shows what happens until ctx ends. When it returns, nothing is under way.
func (p *Presence) Run(ctx context.Context) {
	happening, cancel := p.Store.Bus().Watch()
	defer p.work.Wait()
	defer p.progress.stop()
	defer cancel()
	sweep := time.NewTicker(p.SweepEvery)
	defer sweep.Stop()
	p.work.Go(func() { p.previews.tidy(ctx) })
	p.sweep(ctx)
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-happening:
			p.see(ctx, e)
		case <-sweep.C:
			p.sweep(ctx)
		}
	}
}

func (p *Presence) sweep(ctx context.Context) {
	p.progress.sweep(ctx)
	p.previews.sweep()
}

// see must not wait for anything: events are lost to those who do.
func (p *Presence) see(ctx context.Context, e errand.Event) {
	if e.Type == events.Lag { // what it was is in the store
		p.progress.sweep(ctx)
		return
	}
	route, _, err := e.Key.Parse()
	if err != nil || route.Channel == errand.ChannelWeb {
		return
	}
	switch e.Type {
	case errand.EventStep:
		if e.Turn > 0 && e.Task == "" {
			t := turn{e.Session, e.Turn}
			p.typing.start(ctx, t, e.Key, route)
			p.typing.stepped(t, e)
		}
	case errand.EventTask:
		p.progress.changed(ctx, e.Session, route)
	case errand.EventMessage:
		p.reactions.seen(ctx, route, e.Message)
	case errand.EventReply, errand.EventQuestion, errand.EventLate, errand.EventError, errand.EventNotice:
		if e.Turn > 0 {
			p.typing.stop(turn{e.Session, e.Turn})
			p.reactions.done(ctx, route, turn{e.Session, e.Turn}, e.Type)
		}
	}
}
