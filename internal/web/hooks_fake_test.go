package web

import (
	"context"

	"errand"
	"errand/internal/service"
)

func (m *memory) ListWebhooks(context.Context, service.Actor, errand.PersonID, service.Page) ([]service.Webhook, error) {
	return nil, nil
}

func (m *memory) TryWebhook(context.Context, service.Actor, string) (service.Tried, error) {
	return service.Tried{OK: true}, nil
}

func (m *memory) WebhookSecret(context.Context, service.Actor, bool) (string, error) {
	return "whsec_x", nil
}
