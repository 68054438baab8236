package telegram

import (
	"context"
	"errors"
	"slices"

	"errand/internal/core"
	"errand/notifiers"
)

type progress struct {
	text    string
	ids     []string // of the parts that have arrived
	unknown bool     // the next part may have arrived too
}

const mostProgress = 10_000

// resume returns the progress of n from this process or, after a restart, from n's record. If
// another account sent the last part, it is unknown whether the next one arrived.
func (t *Notifier) resume(n core.Notification, of int) progress {
	t.mu.Lock()
	p, ok := t.part[n.Key]
	t.mu.Unlock()
	if ok && p.text == n.Text && len(p.ids) < of {
		p.ids = slices.Clone(p.ids)
		return p
	}
	if ids := notifiers.Arrived(n, of); len(ids) > 0 && len(ids) < of {
		return progress{text: n.Text, ids: slices.Clone(ids), unknown: true}
	}
	return progress{text: n.Text}
}

func (t *Notifier) keep(ctx context.Context, n core.Notification, done progress, of int) {
	if of == 1 {
		return
	}
	t.note(n.Key, done)
	notifiers.NoteParts(ctx, t.parts, t.log, n, done.ids, of)
}

func (t *Notifier) note(key string, p progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(p.ids) == 0 {
		delete(t.part, key)
		return
	}
	if len(t.part) >= mostProgress {
		clear(t.part)
	}
	p.ids = slices.Clone(p.ids)
	t.part[key] = p
}

func (t *Notifier) failed(a *account, key string, done progress, err error) error {
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		send = a.explain(err)
	}
	done.unknown = done.unknown || send.Outcome == notifiers.Unknown
	t.note(key, done)
	return send.After(len(done.ids))
}
