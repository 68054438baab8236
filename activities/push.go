package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/push"
	"errand/internal/store"
)

// Browsers sends push messages to browsers. In production it is *webpush.Sender.
type Browsers interface {
	Send(context.Context, push.Message) error
}

const (
	// pushPatience is how long a push message waits for a browser that is offline.
	pushPatience = 24 * time.Hour
	pushedWords  = 200
)

// sendPush makes one attempt to notify a browser of an event that its person has not seen. If a
// crash comes between the answer and the record of it, the message is sent again, and the browser
// replaces the first one.
func (s *WebhookSender) sendPush(ctx context.Context, id string) error {
	p, err := s.store.Push(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return failed(err)
	}
	now := time.Now()
	left := p.Created.Add(pushPatience).Sub(now)
	if err != nil || p.Seen || p.Event.ID == 0 || left <= 0 || s.browsers == nil {
		return failed(s.store.NotePush(ctx, id, store.PushDropped, ""))
	}
	body, err := s.wordPush(p)
	if err != nil {
		return failed(err)
	}
	to := push.Subscription{Endpoint: p.Subscription.Endpoint, P256DH: p.Subscription.P256DH, Auth: p.Subscription.Auth}
	err = s.browsers.Send(ctx, push.Message{To: to, Body: body, Topic: id, TTL: left, At: now})
	var no *push.Error
	switch {
	case err == nil:
		return failed(s.store.NotePush(ctx, id, store.PushSent, ""))
	case !errors.As(err, &no):
		return failed(err)
	}
	s.logger.Info("push not accepted", "push", id, "subscription", p.Subscription.ID, "status", no.Status, "final", no.Final)
	if push.IsGone(no) {
		return failed(s.store.NotePush(ctx, id, store.PushGone, ""))
	}
	outcome := store.PushTried
	if no.Final {
		outcome = store.PushFailed
	}
	if err := s.store.NotePush(ctx, id, outcome, no.Reason); err != nil || no.Final {
		return failed(err)
	}
	return temporal.NewApplicationErrorWithOptions(fmt.Sprintf("push: status %d", no.Status), "push",
		temporal.ApplicationErrorOptions{NextRetryDelay: no.RetryAfter})
}

type pushPayload struct {
	Body  string `json:"body"`
	Event int64  `json:"event"`
	URL   string `json:"url"` // of the chat, relative to the server of the subscription
}

// wordPush writes no content, because others may see the screen.
func (s *WebhookSender) wordPush(p store.Push) ([]byte, error) {
	route, _, err := p.Event.Key.Parse()
	if err != nil {
		return nil, err
	}
	body := s.text(p.Language, "push.result")
	if p.Event.Type == core.EventQuestion {
		body = s.text(p.Language, "push.question")
	}
	if words := strings.TrimSpace(p.Event.Text); words != "" && p.Subscription.Words {
		body = core.Cut(words, pushedWords)
	}
	return json.Marshal(pushPayload{body, p.Event.ID, fmt.Sprintf("/?chat=%s#e%d", url.QueryEscape(route.Chat), p.Event.ID)})
}
