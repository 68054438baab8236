package presence

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"errand"
	"errand/internal/store"
	"errand/notifiers"
)

// previews show a reply while it is being written: in a message that changes, or in
// something that fades by itself where a platform has that. What is shown is no delivery.
// The row of the outbox is: it takes the place of the message, and where nothing does, the
// message is taken away.
//
// The store knows which message it is, and that somebody is just changing it, so that a
// process that dies leaves none of it behind, and no change comes after the delivery.
type previews struct {
	p      *Presence
	wanted chan struct{} // full when it is to be looked for what is left
}

const (
	pollEvery = 250 * time.Millisecond
	changing  = 3 * time.Second
	hold      = 5 * time.Second
	spare     = 500 * time.Millisecond
	// firstChange is when the first message is changed at the latest: it shows the
	// placeholder, or little more.
	firstChange = 1500 * time.Millisecond
	placeholder = "…"
	// oldest is how old a message may be that is taken away: Telegram lets a bot delete
	// none that is older than two days.
	oldest = 47 * time.Hour
	early  = 10 * time.Second
)

// A livePreview is what is shown of a turn.
type livePreview struct {
	turn
	key   errand.SessionKey
	route errand.Route
	fails *atomic.Pointer[trouble]
	began time.Time // the first of it that was written; zero: nothing yet
	shown string    // so far
	at    time.Time // when that was
	next  time.Time // not before
}

// follow shows what a turn writes, until ctx ends: the turn is over.
func (v *previews) follow(ctx context.Context, t turn, key errand.SessionKey, to errand.Route, fails *atomic.Pointer[trouble]) {
	if !v.p.Streams(to.At()) || v.p.Notifiers.PreviewStyle(to).Every == 0 {
		return
	}
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	w := livePreview{turn: t, key: key, route: to, fails: fails}
	for {
		select {
		case <-ctx.Done():
			v.sweep() // maybe nothing takes the place of it
			return
		case <-tick.C:
		}
		if partial, ok := v.due(&w); ok && !v.show(ctx, &w, partial) {
			return
		}
	}
}

func (v *previews) partial(t turn, key errand.SessionKey) (errand.Event, bool) {
	partial, ok := v.p.Store.Bus().Partial(key)
	if !ok || partial.Session != t.session || partial.Turn != t.number {
		return errand.Event{}, false
	}
	return partial, true
}

func (v *previews) due(w *livePreview) (errand.Event, bool) {
	now := time.Now()
	partial, ok := v.partial(w.turn, w.key)
	if ok && w.began.IsZero() {
		w.began = now
	}
	fails := w.fails.Load()
	if fails != nil && fails.written == partial.Text {
		partial, ok = fails.Event, true
	} else {
		fails = nil
	}
	text := partial.Text
	switch {
	case !ok || now.Before(w.next):
		return partial, false
	case w.shown == text:
		fades := v.p.Notifiers.PreviewStyle(w.route).Fades
		return partial, fades > 0 && now.Sub(w.at) >= fades-early
	case fails != nil:
		return partial, true
	case w.shown == "":
		return partial, now.Sub(w.began) >= v.p.PreviewAfter && utf8.RuneCountInString(text) >= v.p.PreviewLeast
	}
	// What begins anew does not take away what is there until there is as much of it.
	return partial, strings.HasPrefix(text, w.shown) || utf8.RuneCountInString(text) >= v.p.PreviewLeast
}

// show shows what was written so far; false if no more of the turn is to be shown. A call
// that is under way when the turn ends is not broken off: nobody would know whether it
// comes later.
func (v *previews) show(ctx context.Context, w *livePreview, partial errand.Event) bool {
	if !v.p.Holds(w.route.At()) {
		return true // until this process has the account again
	}
	stored, began := context.WithoutCancel(ctx), time.Now()
	have, claimed, open, err := v.p.Store.ClaimPreview(stored, w.session, w.number, w.route, hold)
	if err != nil || !open {
		if err != nil {
			v.failed(w, err)
			w.next = time.Now().Add(later)
		}
		return err != nil
	}
	style := v.p.Notifiers.PreviewStyle(w.route)
	switch {
	case !claimed:
		w.next = time.Now().Add(style.Every)
		return true
	case have.Passed && have.Message != "":
		w.shown = ""
		return v.remove(stored, have) == nil
	case !have.New && have.Message == "" && style.Fades == 0 && time.Since(have.Since) >= style.Once:
		// It was sent by somebody who never came back. Better none than two.
		v.noted(w, v.p.Store.NotePreview(stored, have.ID, ""))
		return false
	}
	n := v.p.Worded(errand.Notification{Key: have.Key, Route: w.route, Session: w.key, Agent: partial.Agent, Event: errand.EventReply, Text: partial.Text, ReplyTo: have.ReplyTo})
	// The claim may be older than it looks: this process may have stood still since. What comes
	// after its end would come behind the reply, and in its place.
	held, end := context.WithDeadline(stored, began.Add(hold-spare))
	defer end()
	if held.Err() != nil {
		return true
	}
	call, cancel := context.WithTimeout(held, changing)
	defer cancel()
	id, err := v.p.Notifiers.Preview(call, n, have.Message)
	if err != nil {
		return v.notShown(stored, w, have, err)
	}
	w.at, w.shown = time.Now(), partial.Text
	w.next = w.at.Add(style.Every)
	if style.Fades > 0 {
		return v.noted(w, v.p.Store.DropPreview(stored, have.ID))
	}
	if have.Message == "" { // which need not show anything yet
		w.shown, w.next = placeholder, w.at.Add(min(style.Every, firstChange))
	}
	return v.noted(w, v.p.Store.NotePreview(stored, have.ID, id))
}

// notShown notes that something was not shown, and returns whether to go on.
func (v *previews) notShown(ctx context.Context, w *livePreview, have store.Preview, err error) bool {
	send := &notifiers.SendError{Outcome: notifiers.Unknown, Err: err}
	errors.As(err, &send)
	v.failed(w, send)
	w.next = time.Now().Add(cmp.Or(send.RetryAfter, later))
	var noted error
	switch {
	case send.Outcome == notifiers.Unknown:
		// It may come later than what follows: the message stays this caller's until the
		// lease is over, and a reply that is told before that is a message of its own.
		return true
	case have.Message == "":
		noted = v.p.Store.DropPreview(ctx, have.ID)
	default:
		noted = v.p.Store.NotePreview(ctx, have.ID, have.Message)
	}
	return v.noted(w, noted) && send.Outcome == notifiers.NotSent
}

// noted reports whether what is known was noted.
func (v *previews) noted(w *livePreview, err error) bool {
	if err != nil {
		v.failed(w, err)
	}
	return err == nil
}

func (v *previews) failed(w *livePreview, err error) {
	v.p.Logger.Debug("reply not shown while it is written", "session", w.session, "channel", w.route.Channel, "account", w.route.Account, "error", err)
}

func (v *previews) sweep() {
	select {
	case v.wanted <- struct{}{}:
	default:
	}
}

// tidy takes that away, until ctx ends, and looks again where it is not known yet.
func (v *previews) tidy(ctx context.Context) {
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-v.wanted:
		case <-again.C:
		}
		left, later, err := v.p.Store.LeftPreviews(ctx)
		for _, p := range left {
			if !v.p.Holds(p.Route.At()) {
				if time.Since(p.Since) >= oldest { // of an account that nobody has any more
					err = errors.Join(err, v.p.Store.DropPreview(ctx, p.ID))
				}
				continue
			}
			removed, why := v.claimAndRemove(ctx, p)
			err, later = errors.Join(err, why), later || !removed
		}
		if err != nil && ctx.Err() == nil {
			v.p.Logger.Debug("messages that show replies not looked after", "error", err)
		}
		if later {
			again.Reset(hold + time.Second)
		}
	}
}

func (v *previews) claimAndRemove(ctx context.Context, p store.Preview) (removed bool, err error) {
	began := time.Now()
	claimed, err := v.p.Store.ClaimLeftPreview(ctx, p.ID, 2*hold)
	if err != nil || !claimed {
		return false, err
	}
	// The claim may be older than it looks, as in show: a reply may have taken its place by then.
	held, end := context.WithDeadline(ctx, began.Add(2*hold-spare))
	defer end()
	if held.Err() != nil {
		return false, nil
	}
	err = v.remove(held, p)
	return err == nil, err
}

// remove takes a message away. One whose id nobody knows is found where the platform knows
// it again, and else there is nothing of a reply in it, or it fades.
func (v *previews) remove(ctx context.Context, p store.Preview) error {
	call, cancel := context.WithTimeout(ctx, 2*changing)
	defer cancel()
	id := p.Message
	if style := v.p.Notifiers.PreviewStyle(p.Route); id == "" && p.Key != "" && time.Since(p.Since) < style.Once {
		var err error
		if id, err = v.p.Notifiers.Preview(call, errand.Notification{Key: p.Key, Route: p.Route, Event: errand.EventReply}, ""); err != nil {
			return err
		}
	}
	var err error
	if id != "" && time.Since(p.Since) < oldest {
		err = v.p.Notifiers.RemovePreview(call, p.Route, id)
	}
	var send *notifiers.SendError
	if err != nil && !(errors.As(err, &send) && send.Outcome == notifiers.Refused) {
		return err
	}
	return v.p.Store.DropPreview(context.WithoutCancel(ctx), p.ID)
}
