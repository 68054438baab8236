package whatsapp

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/intake"
)

// message takes a message in. Without success it stays with WhatsApp, and so do
// all behind it, to keep their order: they come again with the next connection.
func (l *line) message(ctx context.Context, e *events.Message) bool {
	l.came(e.Info.ID)
	if l.refused.Load() {
		return false
	}
	err := l.take(ctx, e)
	if err == nil {
		l.unstuck()
		return true
	}
	l.refuseRest(err)
	return false
}

// refuseRest ends the connection because of err. Nothing more of it is taken: what is
// not acknowledged comes again, in its order, with the next one.
func (l *line) refuseRest(err error) {
	l.refused.Store(true)
	l.stuck.Store(true)
	l.end(ending{err: err, intake: true})
}

// longestTake is how long it may take to commit a message, a minute of which may
// pass with what it brings. whatsmeow goes on with the next one after five
// minutes, done or not.
const longestTake = 2 * time.Minute

// take takes a message in, or, when it seems never to be taken, tells its sender
// that it cannot be read.
func (l *line) take(ctx context.Context, e *events.Message) error {
	ctx, cancel := context.WithTimeout(ctx, longestTake)
	defer cancel()
	var in *intake.Inbound
	err := guarded(func() (err error) {
		if in, err = l.inboundOf(ctx, e); err != nil || in == nil {
			return err
		}
		return l.receive(ctx, *in)
	})
	switch {
	case err == nil:
		l.failing = failingMessage{}
		return nil
	case ctx.Err() != nil || !l.failing.again(e.Info.ID, err):
		return err
	}
	return l.refuse(ctx, e.Info, in, err)
}

// A failingMessage is the first of those that wait: none behind it is tried.
type failingMessage struct {
	id       types.MessageID
	attempts int
}

// A message is given up after so many attempts: sooner if it makes us panic, for
// another attempt at it is another panic.
const (
	mostTrips   = 5
	maxAttempts = 10
)

// again counts an attempt that failed, and reports whether it is time to see if
// it is the message. When it is not, that is not asked each time: the moment when
// all is well again must not find the message being given up.
func (f *failingMessage) again(id types.MessageID, err error) bool {
	if f.id != id {
		*f = failingMessage{id: id}
	}
	f.attempts++
	if errors.As(err, new(*panicked)) {
		return f.attempts >= mostTrips
	}
	return f.attempts%maxAttempts == 0
}

// refuse keeps a message from holding up all that are behind it for ever: its
// sender is told that it cannot be taken. If even that cannot be committed it is
// not the message, and it has to come again. in is nil where it is not known what
// the message says.
func (l *line) refuse(ctx context.Context, i types.MessageInfo, in *intake.Inbound, why error) error {
	var p *panicked
	errors.As(why, &p)
	if p == nil && (in == nil || in.Deleted) { // of somebody's words nothing is in the way
		return why
	}
	err := guarded(func() error {
		switch {
		case in != nil && in.Deleted:
			return nil // there is nothing to send again
		case in != nil:
			// Without the name and the words: it may be one of them.
			sender := intake.Sender{IDs: in.Sender.IDs, Language: in.Sender.Language}
			return l.receive(ctx, intake.Inbound{Route: in.Route, Group: in.Group, MessageID: in.MessageID, Revision: in.Revision,
				Sent: in.Sent, Unaddressed: in.Unaddressed, Sender: sender, Unreadable: intake.Other})
		case forUs(i) && !i.IsGroup:
			return l.sorry(ctx, i)
		}
		return nil // nobody knows whether it was for us
	})
	if err != nil && (p == nil || !errors.As(err, new(*panicked))) {
		return why
	}
	log := l.c.Logger.With("message", i.ID, "error", why)
	if p != nil {
		log = log.With("stack", string(p.stack))
	}
	log.Error("a message could not be handled and is left out")
	l.failing = failingMessage{}
	return nil
}

// A panicked is what somebody panicked with.
type panicked struct {
	what  any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.what) }

// guarded does something. A panic is an error of it.
func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p, debug.Stack()}
		}
	}()
	return do()
}
