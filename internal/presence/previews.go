package presence

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

// previews show a reply while it is being written, in a message or in a temporary draft. The store
// keeps the message's id with the turn, and the delivery of the outbox row replaces the message.
type previews struct {
	p     *Presence
	mu    sync.Mutex
	calls map[core.Route]chan struct{} // calls in progress; closed when they have ended
}

const (
	pollEvery = 250 * time.Millisecond
	changing  = 3 * time.Second
	// firstChange is early, because the first message shows little more than a placeholder.
	firstChange = 1500 * time.Millisecond
	placeholder = "…"
	early       = 10 * time.Second
)

type livePreview struct {
	turn
	key   core.SessionKey
	route core.Route
	began time.Time // when its first text was written; zero: none yet
	shown string    // the text so far
	at    time.Time // when it was shown
	next  time.Time // time of the next change at the earliest
	// sent is a message whose id is not stored yet.
	sent store.GrowingReply
}

func (v *previews) follow(ctx context.Context, t turn, key core.SessionKey, to core.Route) {
	if !v.p.Streams(to.At()) || v.p.Notifiers.PreviewStyle(to).Every == 0 {
		return
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	w := livePreview{turn: t, key: key, route: to}
	for {
		select {
		case <-ctx.Done():
			v.keep(context.WithoutCancel(ctx), &w)
			return
		case <-tick.C:
		}
		if partial, ok := v.due(&w); ok && !v.show(ctx, &w, partial) {
			return
		}
	}
}

func (v *previews) partial(t turn, key core.SessionKey) (core.Event, bool) {
	partial, ok := v.p.Store.Bus().Partial(key)
	if !ok || partial.Session != t.session || partial.Turn != t.number {
		return core.Event{}, false
	}
	return partial, true
}

func (v *previews) due(w *livePreview) (core.Event, bool) {
	now := time.Now()
	partial, ok := v.partial(w.turn, w.key)
	if ok && w.began.IsZero() {
		w.began = now
	}
	text := partial.Text
	switch {
	case !ok || now.Before(w.next):
		return partial, false
	case w.shown == text:
		fades := v.p.Notifiers.PreviewStyle(w.route).Fades
		return partial, fades > 0 && now.Sub(w.at) >= fades-early
	case w.shown == "":
		return partial, now.Sub(w.began) >= v.p.PreviewAfter && utf8.RuneCountInString(text) >= v.p.PreviewLeast
	}
	// A reply that starts again does not replace a longer text with a shorter one.
	return partial, strings.HasPrefix(text, w.shown) || utf8.RuneCountInString(text) >= v.p.PreviewLeast
}

// show returns false if nothing more may be shown. It does not interrupt a call at the end of the
// turn, because the call's outcome would be unknown.
func (v *previews) show(ctx context.Context, w *livePreview, partial core.Event) bool {
	if !v.p.Holds(w.route.At()) {
		return true // until this process holds the account again
	}
	end, ok := v.begin(w.route)
	if !ok {
		return true
	}
	defer end()
	stored := context.WithoutCancel(ctx)
	call, cancel := context.WithTimeout(stored, changing)
	defer cancel()
	if !v.keep(call, w) {
		return true
	}
	have, isOpen, err := v.p.Store.GrowingReply(call, w.session, w.number)
	if err != nil {
		v.failed(w, err)
		w.next = time.Now().Add(later)
		return true
	}
	if !isOpen {
		return false
	}
	style := v.p.Notifiers.PreviewStyle(w.route)
	n := v.p.Worded(core.Notification{Key: have.Key, Route: w.route, Session: w.key, Agent: partial.Agent, Event: core.EventReply, Text: partial.Text, ReplyTo: have.ReplyTo})
	if call.Err() != nil { // this process was suspended: the reply may have been delivered
		return true
	}
	id, err := v.p.Notifiers.Preview(call, n, have.Message)
	if err != nil {
		return v.notShown(w, have.Message, err)
	}
	w.at, w.shown = time.Now(), partial.Text
	w.next = w.at.Add(style.Every)
	if have.Message == "" && id != "" { // the first message may show only a placeholder
		w.shown, w.next = placeholder, w.at.Add(min(style.Every, firstChange))
	}
	if id != have.Message {
		w.sent = have
		w.sent.Message = id
		v.keep(stored, w)
	}
	return true
}

// keep stores the id of a message that was sent, and reports whether no id is left to store. It
// takes no longer than a change, because deliveries wait for it.
func (v *previews) keep(ctx context.Context, w *livePreview) bool {
	if w.sent.Message == "" {
		return true
	}
	ctx, cancel := context.WithTimeout(ctx, changing)
	defer cancel()
	if err := v.p.Store.KeepGrowing(ctx, w.session, w.number, w.sent); err != nil {
		v.failed(w, err)
		w.next = time.Now().Add(later)
		return false
	}
	w.sent = store.GrowingReply{}
	return true
}

// notShown reports whether to continue. A message whose id is unknown is not sent again.
func (v *previews) notShown(w *livePreview, message string, err error) bool {
	send := &notifiers.SendError{Outcome: notifiers.Unknown, Err: err}
	errors.As(err, &send)
	v.failed(w, send)
	w.next = time.Now().Add(cmp.Or(send.RetryAfter, later))
	return send.Outcome == notifiers.NotSent || send.Outcome == notifiers.Unknown && message != ""
}

func (v *previews) failed(w *livePreview, err error) {
	v.p.Logger.Debug("reply not shown while it is written", "session", w.session, "channel", w.route.Channel, "account", w.route.Account, "error", err)
}

func (v *previews) begin(to core.Route) (end func(), ok bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.calls[to] != nil {
		return nil, false
	}
	over := make(chan struct{})
	v.calls[to] = over
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		delete(v.calls, to)
		close(over)
	}, true
}

// Settle waits until this process has finished changing a preview on a route, and reports whether
// it had to wait. A turn that has ended begins no further change, so that a later delivery is not
// overwritten.
func (p *Presence) Settle(ctx context.Context, to core.Route) bool {
	p.previews.mu.Lock()
	over := p.previews.calls[to]
	p.previews.mu.Unlock()
	if over == nil {
		return false
	}
	select {
	case <-over:
	case <-ctx.Done():
	}
	return true
}
