package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/push"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Webhooks sends webhooks. In production it is *push.WebhookSender.
type Webhooks interface {
	Send(context.Context, push.Request) error
}

// A WebhookSender notifies programs and browsers of events.
type WebhookSender struct {
	*worker
	webhooks Webhooks
	browsers Browsers
	pushes   Pushes
}

// SendWebhook makes one attempt to send a webhook or a push message, and records the result. If a
// crash comes between the answer and the record, it is sent again with the same id.
func (s *WebhookSender) SendWebhook(ctx context.Context, in wire.SendWebhookInput) error {
	if err := s.at(in.Store); err != nil {
		return err
	}
	if store.IsPush(in.ID) {
		return s.sendPush(ctx, in.ID)
	}
	w, err := s.store.Webhook(ctx, in.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && w.State != core.WebhookDue {
		return nil // deleted, or already sent
	}
	if err != nil {
		return failed(err)
	}
	err = s.postWebhook(ctx, w)
	var no *push.Error
	switch {
	case err == nil:
		return failed(s.store.NoteWebhookTried(ctx, w.ID, core.WebhookSent, ""))
	case !errors.As(err, &no):
		return failed(err)
	}
	s.logger.Info("webhook not accepted", "webhook", w.ID, "task", w.Task, "status", no.Status, "final", no.Final)
	state := core.WebhookDue
	if no.Final {
		state = core.WebhookFailed
	}
	if err := s.store.NoteWebhookTried(ctx, w.ID, state, no.Reason); err != nil {
		return failed(err)
	}
	// The answer may contain private text. It is stored in the row only.
	return temporal.NewApplicationErrorWithOptions(fmt.Sprintf("webhook: status %d", no.Status), "webhook",
		temporal.ApplicationErrorOptions{NonRetryable: no.Final, NextRetryDelay: no.RetryAfter})
}

func (s *WebhookSender) postWebhook(ctx context.Context, w core.Webhook) error {
	task, err := s.store.Task(ctx, w.Task)
	if errors.Is(err, store.ErrNotFound) {
		return &push.Error{Reason: err.Error(), Final: true}
	}
	if err != nil {
		return err
	}
	out := push.Request{ID: w.ID, URL: w.URL, At: time.Now()}
	if err := s.wordWebhook(ctx, w, task, &out); err != nil {
		return err
	}
	out.Secret, err = s.store.WebhookSecret(ctx, w.Person, push.NewSecret(), false)
	if errors.Is(err, store.ErrNotFound) {
		return &push.Error{Reason: err.Error(), Final: true}
	}
	if err != nil {
		return err
	}
	return s.webhooks.Send(ctx, out)
}

// Pushes renders the body and the header of a push notification for an A2A client.
type Pushes interface {
	Push(ctx context.Context, p core.A2APush, task core.Task) ([]byte, http.Header, error)
}

func (s *WebhookSender) wordWebhook(ctx context.Context, w core.Webhook, task core.Task, out *push.Request) (err error) {
	if w.Push == "" {
		out.Body, err = taskBody(task)
		return err
	}
	p, err := s.store.A2APush(ctx, w.Task, w.Push)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && s.pushes == nil:
		return &push.Error{Reason: store.ErrNotFound.Error(), Final: true} // the client has unsubscribed
	case err != nil:
		return err
	}
	out.Body, out.Header, err = s.pushes.Push(ctx, p, task)
	return err
}

// GiveWebhookUp records that a webhook or a push message is not tried again.
func (s *WebhookSender) GiveWebhookUp(ctx context.Context, in wire.SendWebhookInput) error {
	if err := s.at(in.Store); err != nil {
		return err
	}
	if store.IsPush(in.ID) {
		return failed(s.store.NotePush(ctx, in.ID, store.PushDropped, ""))
	}
	s.logger.Warn("gave up on a webhook", "webhook", in.ID)
	return failed(s.store.GiveWebhookUp(ctx, in.ID))
}

// A taskEvent is the body of a webhook about a task, in the form that Standard Webhooks proposes.
type taskEvent struct {
	Type      string    `json:"type"` // "task.completed"
	Timestamp time.Time `json:"timestamp"`
	Data      taskData  `json:"data"`
}

type taskData struct {
	ID       core.TaskID         `json:"id"`
	State    core.TaskState      `json:"state"`
	Agents   []core.AgentName    `json:"agents"`
	Title    string              `json:"title"`
	Result   string              `json:"result,omitempty"`
	Error    string              `json:"error,omitempty"`
	Decision core.Answer         `json:"decision,omitempty"`
	Verdicts []core.GivenVerdict `json:"verdicts,omitempty"`
	Created  time.Time           `json:"created"`
	Finished time.Time           `json:"finished,omitzero"`
	Cost     float64             `json:"cost"`
}

func taskBody(t core.Task) ([]byte, error) {
	return json.Marshal(taskEvent{"task." + string(t.State), t.Finished, taskData{t.ID, t.State, t.Agents, t.Title, t.Result, t.Error,
		t.Decision, t.Verdicts, t.Created, t.Finished, t.Cost}})
}
