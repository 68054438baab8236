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

// If a message fails, it and all later ones stay with WhatsApp, so that their order is kept.
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

// refuseRest ends the connection. WhatsApp delivers unacknowledged messages again in order.
func (l *line) refuseRest(err error) {
	l.refused.Store(true)
	l.stuck.Store(true)
	l.end(ending{err: err, intake: true})
}

// longestTake limits the time to commit one message. whatsmeow stops waiting after five minutes.
const longestTake = 2 * time.Minute

// take informs the sender if a message can never be accepted.
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

// A failingMessage is the first message that could not be committed. Later ones wait behind it.
type failingMessage struct {
	id       types.MessageID
	attempts int
}

// A message that panics gets fewer attempts, because each attempt panics again.
const (
	mostTrips   = 5
	maxAttempts = 10
)

// again reports whether to test if the message itself is at fault. That is rare, because a message
// must not be given up if only the installation has a problem.
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

// refuse informs the sender that a message cannot be accepted, so that it does not block later
// ones. If even that cannot be committed, the message is not at fault. in is nil if the content is
// unknown.
func (l *line) refuse(ctx context.Context, i types.MessageInfo, in *intake.Inbound, why error) error {
	var p *panicked
	errors.As(why, &p)
	if p == nil && (in == nil || in.Deleted) { // the content cannot be the cause
		return why
	}
	err := guarded(func() error {
		switch {
		case in != nil && in.Deleted:
			return nil // there is nothing to send again
		case in != nil:
			// Leave out the name and the text, because one of them may be the cause.
			sender := intake.Sender{IDs: in.Sender.IDs, Language: in.Sender.Language}
			return l.receive(ctx, intake.Inbound{Route: in.Route, Group: in.Group, MessageID: in.MessageID, Revision: in.Revision,
				Sent: in.Sent, Unaddressed: in.Unaddressed, Sender: sender, Unreadable: intake.Other})
		case forUs(i) && !i.IsGroup:
			return l.sorry(ctx, i)
		}
		return nil // it is unknown whether the message was for errand
	})
	if err != nil && (p == nil || !errors.As(err, new(*panicked))) {
		return why
	}
	log := l.c.Logger.With("message", i.ID, "error", why)
	if p != nil {
		log = log.With("stack", string(p.stack))
	}
	log.Error("message skipped, because it could not be handled")
	l.failing = failingMessage{}
	return nil
}

type panicked struct {
	what  any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.what) }

func guarded(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &panicked{p, debug.Stack()}
		}
	}()
	return do()
}
