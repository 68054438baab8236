package service

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
	"errand/internal/texts"
)

// Deliveries has the operations on messages that errand sends to chats.
type Deliveries struct {
	*Env
	dispatch *dispatch.Dispatcher
}

func (d *Deliveries) bind(r *ops.Runner) {
	ops.Bind(r, api.ListDeliveries, d.list)
	ops.Bind(r, api.RetryDelivery, d.retry)
	ops.Bind(r, api.DismissDelivery, d.dismiss)
}

func (d *Deliveries) list(ctx context.Context, _ actor.Actor, in api.ListDeliveriesInput) (api.List[core.Notification], error) {
	after, err := ParseCursor(api.ListDeliveries.Name, in.After.After)
	if err != nil {
		return api.List[core.Notification]{}, err
	}
	found, err := paged(d.Store.Deliveries(ctx, in.State, Page{After: after, Limit: in.Limit}))
	return page(api.ListDeliveries.Name, in.Limit, found, PositionOfDelivery), err
}

func (d *Deliveries) retry(ctx context.Context, _ actor.Actor, in api.DeliveryID) (api.ChangedDelivery, error) {
	if err := d.Store.RetryOutbox(ctx, in.ID); err != nil {
		return api.ChangedDelivery{}, d.refuse(ctx, in.ID, err)
	}
	n, err := d.Store.Notification(ctx, in.ID)
	if err != nil {
		return api.ChangedDelivery{}, Known(err)
	}
	return api.ChangedDelivery(in), d.dispatch.HastenOutbox(ctx, n.Route)
}

func (d *Deliveries) dismiss(ctx context.Context, _ actor.Actor, in api.DeliveryID) (api.ChangedDelivery, error) {
	return api.ChangedDelivery(in), d.refuse(ctx, in.ID, d.Store.Dismiss(ctx, in.ID))
}

// refuse explains why a delivery cannot be changed. It returns other errors unchanged.
func (d *Deliveries) refuse(ctx context.Context, id int64, err error) error {
	if !errors.Is(err, store.ErrClosed) {
		return Known(err)
	}
	n, err := d.Store.Notification(ctx, id)
	if err != nil {
		return Known(err)
	}
	why := texts.Key("refusal.delivery_waits")
	switch n.State {
	case core.Sent:
		why = "refusal.delivery_arrived"
	case core.Sending:
		why = "refusal.delivery_sending"
	case core.Unknown:
		why = "refusal.delivery_unknown"
	}
	return conflict("closed", why, "id", id)
}

// wakeOutbox starts or wakes the delivery of a chat's new messages. If that fails, the watchdog
// does it later.
func wakeOutbox(ctx context.Context, d *dispatch.Dispatcher, log *slog.Logger, r core.Route) {
	if err := d.PromptlyWakeOutbox(ctx, r); err != nil {
		log.Warn("delivery not started; the watchdog will start it", "channel", r.Channel, "chat", r.Chat, "error", err)
	}
}

// WakeOutbox starts or wakes the delivery of a chat's new messages.
func (i *Internal) WakeOutbox(ctx context.Context, r core.Route) {
	wakeOutbox(ctx, i.Dispatch, i.Logger, r)
}

// AccountBack sends everything that waits for an account, without the pause after failures. It
// keeps a pause that the platform asked for.
func (i *Internal) AccountBack(ctx context.Context, a core.Account) error {
	errs := []error{i.Store.AccountBack(ctx, a)}
	routes, err := i.Store.WaitingRoutes(ctx, a)
	errs = append(errs, err)
	for _, r := range routes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		errs = append(errs, i.Dispatch.HastenOutbox(ctx, r))
	}
	return errors.Join(errs...)
}

// NoteGoneAccounts marks deliveries from before a time whose account no worker has, and notifies
// the owner once. errand sends them when the account is back.
func (i *Internal) NoteGoneAccounts(ctx context.Context, before time.Time) error {
	waiting, err := i.Store.WaitingAccounts(ctx, before)
	errs := []error{err}
	for _, a := range waiting {
		held, found, err := i.Store.Connection(ctx, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if i.Sends(a) || held.Owner != "" || found && i.Now().Sub(held.Since) < unheldFor {
			continue
		}
		notices, err := i.accountNotices(ctx, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n, fresh, err := i.Store.AccountGone(ctx, a, before, notices)
		if fresh > 0 {
			i.Logger.Warn("no worker has the account of waiting deliveries; add it to errand.yaml or dismiss them", "channel", a.Channel, "account", a.Name, "deliveries", n)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// accountNotices returns notices for the owner: on the page, and in one private chat if there is
// one.
func (i *Internal) accountNotices(ctx context.Context, gone core.Account) ([]core.Notification, error) {
	owner, err := i.Store.Person(ctx, i.Owner)
	if err != nil {
		return nil, err
	}
	identities, err := i.Store.Identities(ctx, i.Owner)
	if err != nil {
		return nil, err
	}
	page := core.WebRoute("main")
	key := "account-gone:" + gone.String() + ":" + strconv.FormatInt(i.Now().Unix(), 10)
	list := []core.Notification{{Key: key, Route: page, Session: core.NewSessionKey(page, i.Owner)}}
	for _, id := range identities {
		for _, a := range i.Accounts {
			if len(list) == 1 && a.Channel == id.Channel && (id.Account == "" || id.Account == a.Name) {
				list = append(list, core.Notification{Key: key + ":private", Route: core.DirectRoute(a.Account, id.ExternalID)})
			}
		}
	}
	text := i.Texts.For(owner.Language, i.Language).Localize("gone.account", "account", gone.String(), "count", store.WaitingCount)
	for n := range list {
		list[n].Event, list[n].Text = core.EventNotice, text
	}
	return list, nil
}
