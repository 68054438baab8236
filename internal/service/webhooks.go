package service

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/webhook"
)

// Webhooks send what programs are told; *webhook.Sender is the one in production.
type Webhooks interface {
	// Check returns an address as it is sent to, or says why none of its kind is.
	Check(address string) (string, error)
	Send(context.Context, webhook.Request) error
}

// A Webhook is what a program is told, and how far that is.
type Webhook = store.Webhook

// callback is where a program is told of the end of a task; empty: nowhere.
func (s *Service) callback(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	to, err := s.Webhooks.Check(address)
	if err != nil {
		return "", Invalid("callback_url", "refusal.callback", "why", err.Error())
	}
	return to, nil
}

// replay is what makes a request the same one when it comes again; nil: nothing does.
func replay(key, body string) (*store.Replay, error) {
	if key == "" {
		return nil, nil
	}
	if !IsExternalID(key) {
		return nil, Invalid("idempotency_key", "refusal.idempotency_key_bad")
	}
	return &store.Replay{Key: key, Body: body}, nil
}

// ListWebhooks lists what programs of a person were told, or are to be, the newest first; "*"
// is everybody's.
func (s *Service) ListWebhooks(ctx context.Context, by Actor, person errand.PersonID, p Page) ([]Webhook, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	person, err := s.whose(by, person)
	if err != nil {
		return nil, err
	}
	return paged(s.Store.Webhooks(ctx, person, p))
}

// WebhookSecret is what the webhooks of whoever asks are signed with; renew draws another.
func (s *Service) WebhookSecret(ctx context.Context, by Actor, renew bool) (string, error) {
	if err := s.may(by, rights.SelfChange); err != nil {
		return "", err
	}
	ctx = doing(ctx, by)
	return s.Store.WebhookSecret(ctx, by.Person, webhook.NewSecret(), renew)
}

// A Tried is what came of an attempt to tell a program something.
type Tried struct {
	ID     string `json:"id" description:"the webhook-id that it was sent with"`
	OK     bool   `json:"ok"`
	Status int    `json:"status,omitempty" description:"what was answered, where that was no success"`
	Reason string `json:"reason,omitempty"`
}

// TryWebhook sends a webhook of type "test" to an address, once.
func (s *Service) TryWebhook(ctx context.Context, by Actor, address string) (Tried, error) {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return Tried{}, err
	}
	ctx = doing(ctx, by)
	to, err := s.Webhooks.Check(address)
	if err != nil {
		return Tried{}, Invalid("url", "refusal.callback", "why", err.Error())
	}
	out := webhook.Request{ID: store.NewWebhookID(), URL: to, At: s.Now()}
	if out.Secret, err = s.Store.WebhookSecret(ctx, by.Person, webhook.NewSecret(), false); err != nil {
		return Tried{}, err
	}
	out.Body, err = json.Marshal(map[string]any{"type": "test", "timestamp": out.At.UTC().Format(time.RFC3339), "data": map[string]any{}})
	if err != nil {
		return Tried{}, err
	}
	err = s.Webhooks.Send(ctx, out)
	var no *webhook.Error
	if errors.As(err, &no) {
		return Tried{ID: out.ID, Status: no.Status, Reason: no.Reason}, nil
	}
	return Tried{ID: out.ID, OK: err == nil}, err
}
