package whatsapp

import (
	"context"
	"time"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/intake"
	"errand/internal/telemetry"
)

// undecryptable waits until whatsmeow has received the message again. After that it informs the
// sender, but not in a group, where the message may not have been for errand.
func (l *line) undecryptable(ctx context.Context, e *events.UndecryptableMessage) {
	if !forUs(e.Info) || e.Info.IsGroup || e.DecryptFailMode == events.DecryptFailHide {
		return
	}
	patience := l.c.Patience
	if e.UnavailableType != events.UnavailableTypeUnknown { // WhatsApp never sends it to linked devices
		patience = 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[e.Info.ID] != nil || l.closed {
		return
	}
	l.working.Add(1)
	l.waiting[e.Info.ID] = time.AfterFunc(patience, func() {
		defer l.working.Done()
		defer telemetry.RecoverPanic(l.c.Logger, "message cannot be read", nil)
		if l.came(e.Info.ID) {
			if err := l.sorry(ctx, e.Info); err != nil && ctx.Err() == nil {
				l.c.Logger.Warn("the sender of an unreadable message was not told", "error", err)
			}
		}
	})
}

func (l *line) came(id types.MessageID) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	timer := l.waiting[id]
	delete(l.waiting, id)
	if timer != nil && timer.Stop() {
		l.working.Done()
	}
	return timer != nil
}

// sorry informs the sender once that their message cannot be read.
func (l *line) sorry(ctx context.Context, i types.MessageInfo) error {
	_, in, err := l.inbound(ctx, i)
	if err != nil {
		return err
	}
	in.Unreadable = intake.Other
	return l.receive(ctx, in)
}

// giveUp stops the timers. The next line receives the messages that are sent again.
func (l *line) giveUp() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, timer := range l.waiting {
		if timer.Stop() {
			l.working.Done()
		}
		delete(l.waiting, id)
	}
}
