package notifiers

import (
	"context"
	"log/slog"

	"errand"
)

// Parts keeps which parts of a notification have arrived; [*store.Store] does.
type Parts interface {
	// NoteParts notes the ids of the parts of a notification that have arrived, of how
	// many, and which account has sent them.
	NoteParts(ctx context.Context, key, account string, ids []string, of int) error
}

// Arrived returns the ids of the parts with which a notification is known to have
// arrived, from its account and cut into so many.
func Arrived(n errand.Notification, of int) []string {
	if n.PartsBy != n.Route.Account || n.Parts != of || len(n.Receipts) > of {
		return nil
	}
	return n.Receipts
}

// NoteParts notes, for an attempt after a crash, which parts of n have arrived, of so
// many. That it cannot be noted is no reason to break off: what has arrived is worth
// more, and only a crash would repeat it. It is noted also when time is up.
func NoteParts(ctx context.Context, in Parts, log *slog.Logger, n errand.Notification, ids []string, of int) {
	if in == nil || of == 1 {
		return
	}
	if err := in.NoteParts(context.WithoutCancel(ctx), n.Key, n.Route.Account, ids, of); err != nil && log != nil {
		log.Warn("a part that has arrived cannot be noted: after a crash now it would be sent again", "channel", n.Route.Channel, "account", n.Route.Account,
			"task", n.Task, "arrived", len(ids), "of", of, "error", err)
	}
}
