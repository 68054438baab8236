package gateway

import (
	"context"
	"errors"
	"strconv"
	"time"

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
	errs := []error{g.Store.AccountBack(ctx, a)}
	routes, err := g.Store.WaitingRoutes(ctx, a)
	errs = append(errs, err)
	for _, r := range routes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		errs = append(errs, g.hasten(ctx, r))
	}
	return errors.Join(errs...)
}

// noteGoneAccounts says of what has waited since before a time for an account that
// no worker has what it waits for: on the rows, and once to the owner. It waits
// as it is, and is sent when the account is back.
func (g *Gateway) noteGoneAccounts(ctx context.Context, before time.Time) error {
	waiting, err := g.Store.WaitingAccounts(ctx, before)
	errs := []error{err}
	for _, a := range waiting {
		held, found, err := g.Store.Connection(ctx, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if g.Sends(a) || held.Owner != "" || found && g.Now().Sub(held.Since) < unheldFor {
			continue
		}
		notices, err := g.aboutGone(ctx, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n, fresh, err := g.Store.AccountGone(ctx, a, before, notices)
		if fresh > 0 {
			g.Logger.Warn("no worker has the account that deliveries wait for", "channel", a.Channel, "account", a.Name, "deliveries", n)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// aboutGone is how the owner is told of an account that is gone: on the page, and in
// one private chat where there is one.
func (g *Gateway) aboutGone(ctx context.Context, gone errand.Account) (func(waiting int) []errand.Notification, error) {
	owner, err := g.Store.Person(ctx, g.Owner)
	if err != nil {
		return nil, err
	}
	identities, err := g.Store.Identities(ctx, g.Owner)
	if err != nil {
		return nil, err
	}
	page := errand.WebRoute("main")
	key := "account-gone:" + gone.String() + ":" + strconv.FormatInt(g.Now().Unix(), 10)
	list := []errand.Notification{{Key: key, Route: page, Session: errand.NewSessionKey(page, g.Owner)}}
	for _, id := range identities {
		for _, a := range g.Accounts {
			if len(list) == 1 && a.Channel == id.Channel && (id.Account == "" || id.Account == a.Name) {
				list = append(list, errand.Notification{Key: key + ":private", Route: errand.DirectRoute(a.Account, id.ExternalID)})
			}
		}
	}
	return func(waiting int) []errand.Notification {
		text := g.Texts.For(owner.Language, g.Language).Say("gone.account", "account", gone.String(), "count", strconv.Itoa(waiting))
		for i := range list {
			list[i].Event, list[i].Text = errand.EventNotice, text
		}
		return list
	}, nil
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
