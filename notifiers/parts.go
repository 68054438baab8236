package notifiers

import (
	"context"
	"log/slog"

	"errand/internal/core"
)

// Parts records which parts of a notification have arrived. [*store.Store] implements it.
type Parts interface {
	// NoteParts records the ids of the parts that have arrived, the number of all parts, and the
	// account that sent them.
	NoteParts(ctx context.Context, key, account string, ids []string, of int) error
}

// Arrived returns the ids of the parts of n that are recorded as arrived. It returns nil if
// another account sent them, or if n was then split into another number of parts.
func Arrived(n core.Notification, of int) []string {
	if n.PartsBy != n.Route.Account || n.Parts != of || len(n.Receipts) > of {
		return nil
	}
	return n.Receipts
}

// NoteParts records which parts of n have arrived, so that an attempt after a crash continues
// after them. It logs an error of the store and goes on: only a crash would then repeat a part.
// It ignores the cancellation of ctx, so that it also records parts after a timeout.
func NoteParts(ctx context.Context, in Parts, log *slog.Logger, n core.Notification, ids []string, of int) {
	if in == nil || of == 1 {
		return
	}
	if err := in.NoteParts(context.WithoutCancel(ctx), n.Key, n.Route.Account, ids, of); err != nil && log != nil {
		log.Warn("a part that has arrived cannot be noted: after a crash now it would be sent again", "channel", n.Route.Channel, "account", n.Route.Account,
			"task", n.Task, "arrived", len(ids), "of", of, "error", err)
	}
}
