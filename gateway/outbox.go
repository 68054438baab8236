package gateway

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"errand"
	"errand/workflows"
)

// WakeOutbox sees to it that the outbox of a chat is being delivered.
func (g *Gateway) WakeOutbox(ctx context.Context, r errand.Route) error {
	return g.signalOutbox(ctx, r, workflows.SignalWake)
}

// AccountBack has what waits for an account tried at once, chat by chat: it is
// connected again, and nobody is to wait for the pause that its failures have led
// to. What the platform itself has asked to wait is waited for all the same.
func (g *Gateway) AccountBack(ctx context.Context, a errand.Account) error {
	routes, err := g.Store.WaitingRoutes(ctx, a)
	errs := []error{err}
	for _, r := range routes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		errs = append(errs, g.hasten(ctx, r))
	}
	return errors.Join(errs...)
}

// hasten is WakeOutbox without waiting for the next attempt to be due.
func (g *Gateway) hasten(ctx context.Context, r errand.Route) error {
	return g.signalOutbox(ctx, r, workflows.SignalHasten)
}

func (g *Gateway) signalOutbox(ctx context.Context, r errand.Route, signal string) error {
	opts, in := g.outbox(r)
	_, err := g.Client.SignalWithStartWorkflow(ctx, opts.ID, signal, nil, opts, workflows.Outbox, in)
	return err
}

// ensureOutbox starts the Outbox workflow of a chat that has none. One that runs
// does not hear of it: asked every minute for as long as a platform is down, its
// history would grow.
func (g *Gateway) ensureOutbox(ctx context.Context, r errand.Route) error {
	opts, in := g.outbox(r)
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	_, err := g.Client.ExecuteWorkflow(ctx, opts, workflows.Outbox, in)
	return err
}

func (g *Gateway) outbox(r errand.Route) (client.StartWorkflowOptions, workflows.OutboxInput) {
	return client.StartWorkflowOptions{
		ID: workflows.OutboxID(r), TaskQueue: workflows.TaskQueue, StaticSummary: "deliveries to " + r.Channel, WorkflowTaskTimeout: g.Settings.TaskTimeout,
	}, workflows.OutboxInput{Store: g.Store.ID(), Route: r, Again: g.Settings.SendAgain}
}
