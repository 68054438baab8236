package service

import (
	"context"
	"errors"
	"strconv"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// WakeOutbox has what was just written to the outbox sent. If it cannot be done now,
// the watchdog does it.
func (s *Service) WakeOutbox(ctx context.Context, r errand.Route) {
	if err := s.Dispatch.PromptlyWakeOutbox(ctx, r); err != nil {
		s.Logger.Warn("delivery not woken; the watchdog will", "channel", r.Channel, "chat", r.Chat, "error", err)
	}
}

// AccountBack has what waits for an account tried at once, chat by chat: it is
// connected again, and nobody is to wait for the pause that its failures have led
// to. What the platform itself has asked to wait is waited for all the same.
func (s *Service) AccountBack(ctx context.Context, a errand.Account) error {
	errs := []error{s.Store.AccountBack(ctx, a)}
	routes, err := s.Store.WaitingRoutes(ctx, a)
	errs = append(errs, err)
	for _, r := range routes {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		errs = append(errs, s.Dispatch.HastenOutbox(ctx, r))
	}
	return errors.Join(errs...)
}

// NoteGoneAccounts says of what has waited since before a time for an account that
// no worker has what it waits for: on the rows, and once to the owner. It waits
// as it is, and is sent when the account is back.
func (s *Service) NoteGoneAccounts(ctx context.Context, before time.Time) error {
	waiting, err := s.Store.WaitingAccounts(ctx, before)
	errs := []error{err}
	for _, a := range waiting {
		held, found, err := s.Store.Connection(ctx, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if s.Sends(a) || held.Owner != "" || found && s.Now().Sub(held.Since) < unheldFor {
			continue
		}
		notices, err := s.accountNotices(ctx, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n, fresh, err := s.Store.AccountGone(ctx, a, before, notices)
		if fresh > 0 {
			s.Logger.Warn("no worker has the account that deliveries wait for", "channel", a.Channel, "account", a.Name, "deliveries", n)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// accountNotices is how the owner is told of an account that is gone: on the page, and in
// one private chat where there is one.
func (s *Service) accountNotices(ctx context.Context, gone errand.Account) ([]errand.Notification, error) {
	owner, err := s.Store.Person(ctx, s.Owner)
	if err != nil {
		return nil, err
	}
	identities, err := s.Store.Identities(ctx, s.Owner)
	if err != nil {
		return nil, err
	}
	page := errand.WebRoute("main")
	key := "account-gone:" + gone.String() + ":" + strconv.FormatInt(s.Now().Unix(), 10)
	list := []errand.Notification{{Key: key, Route: page, Session: errand.NewSessionKey(page, s.Owner)}}
	for _, id := range identities {
		for _, a := range s.Accounts {
			if len(list) == 1 && a.Channel == id.Channel && (id.Account == "" || id.Account == a.Name) {
				list = append(list, errand.Notification{Key: key + ":private", Route: errand.DirectRoute(a.Account, id.ExternalID)})
			}
		}
	}
	text := s.Texts.For(owner.Language, s.Language).Localize("gone.account", "account", gone.String(), "count", store.WaitingCount)
	for i := range list {
		list[i].Event, list[i].Text = errand.EventNotice, text
	}
	return list, nil
}

// Outbox lists deliveries, the newest first.
func (s *Service) Outbox(ctx context.Context, by Actor, states []errand.OutboxState, p Page) ([]errand.Notification, error) {
	if err := s.may(by, rights.DeliveriesRead); err != nil {
		return nil, err
	}
	return paged(s.Store.Deliveries(ctx, states, p))
}

// RetryOutbox makes a delivery that is blocked pending again.
func (s *Service) RetryOutbox(ctx context.Context, by Actor, id int64) error {
	if err := s.may(by, rights.DeliveriesRetry); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if err := s.Store.RetryOutbox(ctx, id); err != nil {
		return s.asDelivery(ctx, id, err)
	}
	n, err := s.Store.Notification(ctx, id)
	if err != nil {
		return Known(err)
	}
	return s.Dispatch.HastenOutbox(ctx, n.Route) // a person has decided that it is worth it
}

// DismissOutbox gives a delivery up.
func (s *Service) DismissOutbox(ctx context.Context, by Actor, id int64) error {
	if err := s.may(by, rights.DeliveriesDismiss); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	return s.asDelivery(ctx, id, s.Store.Dismiss(ctx, id))
}

func (s *Service) asDelivery(ctx context.Context, id int64, err error) error {
	if !errors.Is(err, store.ErrClosed) {
		return Known(err)
	}
	n, err := s.Store.Notification(ctx, id)
	if err != nil {
		return Known(err)
	}
	why := texts.Key("refusal.delivery_waits")
	switch n.State {
	case errand.Sent:
		why = "refusal.delivery_arrived"
	case errand.Sending:
		why = "refusal.delivery_sending"
	case errand.Unknown:
		why = "refusal.delivery_unknown"
	}
	return conflict("closed", why, "id", id)
}
