package workflows

import (
	"net/url"

	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// OwnerQueue returns the task queue of the worker that holds the connection of an account. All
// deliveries on the account run there, so that one pace applies to them.
func OwnerQueue(a core.Account) string {
	return "errand-connection/" + url.PathEscape(a.Channel) + "/" + url.PathEscape(a.Name)
}

// Connection keeps the live connection of an account on one worker, until the signal end. The lease
// in the store decides which worker holds it.
//
// It is a single activity that may run for years: its attempts do not make the history longer.
func Connection(ctx workflow.Context, in wire.ConnectionInput) error {
	held, cancel := workflow.WithCancel(ctx)
	over := false
	end := workflow.GetSignalChannel(ctx, wire.SignalEnd)
	workflow.Go(ctx, func(ctx workflow.Context) {
		over = end.Receive(ctx, nil)
		cancel()
	})
	err := workflow.ExecuteActivity(forConnection(held), acts.Connect, wire.ConnectInput(in)).Get(ctx, nil)
	if over {
		return nil
	}
	return err
}
