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

	"errand"
	"errand/internal/store"
	"errand/internal/webhook"
	"errand/internal/webpush"
)

// Browsers are told things over their push services; *webpush.Sender is the one in production.
type Browsers interface {
	Send(context.Context, webpush.Message) error
}

const (
	// pushPatience is how long a browser may be away before it is not told any more.
	pushPatience = 24 * time.Hour
	pushedWords  = 200
)

// sendPush makes one attempt to tell a browser of something that nobody has seen yet. One
// that was killed between the answer and the note tells it again: the browser puts the same
// in the place of the same.
func (a *Activities) sendPush(ctx context.Context, id string) error {
	p, err := a.Store.Push(ctx, id)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return failed(err)
	}
	now := time.Now()
	left := p.Created.Add(pushPatience).Sub(now)
	if err != nil || p.Seen || p.Event.ID == 0 || left <= 0 || a.Browsers == nil {
		return failed(a.Store.DropPush(ctx, id))
	}
	body, err := a.wordPush(p)
	if err != nil {
		return failed(err)
	}
	to := webpush.Subscription{Endpoint: p.Subscription.Endpoint, P256DH: p.Subscription.P256DH, Auth: p.Subscription.Auth}
	err = a.Browsers.Send(ctx, webpush.Message{To: to, Body: body, Topic: id, TTL: left, At: now})
	var no *webhook.Error
	switch {
	case err == nil:
		return failed(a.Store.NotePushSent(ctx, id))
	case !errors.As(err, &no):
		return failed(err)
	}
	a.Logger.Info("push not taken", "push", id, "subscription", p.Subscription.ID, "status", no.Status, "final", no.Final)
	if webpush.IsGone(no) {
		return failed(a.Store.NotePushGone(ctx, id))
	}
	if err := a.Store.NotePushTried(ctx, id, no.Reason, no.Final); err != nil || no.Final {
		return failed(err)
	}
	return temporal.NewApplicationErrorWithOptions(fmt.Sprintf("push: status %d", no.Status), "push",
		temporal.ApplicationErrorOptions{NextRetryDelay: no.RetryAfter})
}

// A pushPayload is what the pages' service worker is told.
type pushPayload struct {
	Body  string `json:"body"`
	Event int64  `json:"event"`
	URL   string `json:"url"` // of the chat, on the server that it has subscribed at
}

// wordPush says what has come: what it is may be nobody else's to read, so that is said to
// whoever wants it.
func (a *Activities) wordPush(p store.Push) ([]byte, error) {
	route, _, err := p.Event.Key.Parse()
	if err != nil {
		return nil, err
	}
	body := a.text(p.Language, "push.result")
	if p.Event.Type == errand.EventQuestion {
		body = a.text(p.Language, "push.question")
	}
	if words := strings.TrimSpace(p.Event.Text); words != "" && p.Subscription.Words {
		body = errand.Cut(words, pushedWords)
	}
	return json.Marshal(pushPayload{body, p.Event.ID, fmt.Sprintf("/?chat=%s#e%d", url.QueryEscape(route.Chat), p.Event.ID)})
}
