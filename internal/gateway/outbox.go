package gateway

import (
	"context"
	"errors"
	"strconv"
	"time"

	"errand"
)

// wakeOutbox has what was just written to the outbox sent. If it cannot be done now,
// the watchdog does it.
func (g *Gateway) wakeOutbox(ctx context.Context, r errand.Route) {
	if err := g.Dispatch.PromptlyWakeOutbox(ctx, r); err != nil {
		g.Logger.Warn("delivery not woken; the watchdog will", "channel", r.Channel, "chat", r.Chat, "error", err)
	}
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
		errs = append(errs, g.Dispatch.HastenOutbox(ctx, r))
	}
	return errors.Join(errs...)
}

// NoteGoneAccounts says of what has waited since before a time for an account that
// no worker has what it waits for: on the rows, and once to the owner. It waits
// as it is, and is sent when the account is back.
func (g *Gateway) NoteGoneAccounts(ctx context.Context, before time.Time) error {
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
