package whatsapp

import (
	"context"
	"time"

	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"

	"errand/internal/intake"
	"errand/internal/recovered"
)

// undecryptable waits for a message to come again that could not be decrypted:
// whatsmeow asks its sender for it. If it does not, they are told that it was not
// read; not in a group, where nobody knows whether it was for us.
func (l *line) undecryptable(ctx context.Context, e *events.UndecryptableMessage) {
	if !forUs(e.Info) || e.Info.IsGroup || e.DecryptFailMode == events.DecryptFailHide {
		return
	}
	patience := l.c.Patience
	if e.UnavailableType != events.UnavailableTypeUnknown { // WhatsApp does not show it to linked devices
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
		defer recovered.Panic(l.c.Logger, "a message that cannot be read", nil)
		if l.came(e.Info.ID) {
			if err := l.sorry(ctx, e.Info); err != nil && ctx.Err() == nil {
				l.c.Logger.Warn("nobody was told of a message that cannot be read", "error", err)
			}
		}
	})
}

// came notes that a message need not be waited for any more, and reports whether
// anybody did.
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

// sorry tells somebody, once, that a message of theirs cannot be read.
func (l *line) sorry(ctx context.Context, i types.MessageInfo) error {
	_, in, err := l.inbound(ctx, i)
	if err != nil {
		return err
	}
	in.Unreadable = intake.Other
	return l.receive(ctx, in)
}

// giveUp ends the waiting when the line ends: what was sent once more comes with
// the next one.
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
