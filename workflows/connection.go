package workflows

import (
	"net/url"

	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// ConnectionID is the id of the Connection workflow of an account.
func ConnectionID(a errand.Account) string {
	return "connection/" + url.PathEscape(a.Channel) + "/" + url.PathEscape(a.Name)
}

// OwnerQueue is the queue that only the worker polls which holds the connection of an
// account: it sends the deliveries on it, so that they have one pace.
func OwnerQueue(a errand.Account) string {
	return "errand-connection/" + url.PathEscape(a.Channel) + "/" + url.PathEscape(a.Name)
}

// Connection sees to it that some worker holds the live connection of an account,
// until the signal end. Which worker, and that it is one only, the lease in the
// store decides.
//
// The activity is one for years: its attempts do not make the history longer.
func Connection(ctx workflow.Context, in ConnectionInput) error {
	held, cancel := workflow.WithCancel(ctx)
	over := false
	end := workflow.GetSignalChannel(ctx, SignalEnd)
	workflow.Go(ctx, func(ctx workflow.Context) {
		over = end.Receive(ctx, nil)
		cancel()
	})
	err := workflow.ExecuteActivity(forConnection(held), acts.Connect, activities.ConnectInput(in)).Get(ctx, nil)
	if over {
		return nil
	}
	return err
}
