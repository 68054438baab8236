package reconcile

import (
	"context"
	"time"
)

// OnceWhile is one pass of a worker that leads for as long as leads says so.
func OnceWhile(r *Reconciler, ctx context.Context, before time.Time, leads func() bool) error {
	return (&pass{Reconciler: r, isLeader: leads}).run(ctx, before)
}

// OnceExactly is one pass that asks Temporal for each workflow.
func OnceExactly(r *Reconciler, ctx context.Context, before time.Time) error {
	return (&pass{Reconciler: r, isLeader: func() bool { return true }, exact: true}).run(ctx, before)
}
