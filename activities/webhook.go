package activities

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/internal/store"
	"errand/internal/webhook"
)

// A WebhookInput names a webhook, or a push.
type WebhookInput struct {
	Store string `json:"store"`
	ID    string `json:"id"`
}

// Webhooks send what programs are told; *webhook.Sender is the one in production.
type Webhooks interface {
	Send(context.Context, webhook.Request) error
}

// SendWebhook makes one attempt to send a webhook, or to tell a browser something, and notes
// what came of it. One that was killed between the answer and the note is sent again, under the
// same id.
func (a *Activities) SendWebhook(ctx context.Context, in WebhookInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	if store.IsPush(in.ID) {
		return a.sendPush(ctx, in.ID)
	}
	w, err := a.Store.Webhook(ctx, in.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && w.State != store.WebhookDue {
		return nil // it is gone, or was sent
	}
	if err != nil {
		return failed(err)
	}
	err = a.postWebhook(ctx, w)
	var no *webhook.Error
	switch {
	case err == nil:
		return failed(a.Store.NoteWebhookSent(ctx, w.ID))
	case !errors.As(err, &no):
		return failed(err)
	}
	a.Logger.Info("webhook not taken", "webhook", w.ID, "task", w.Task, "status", no.Status, "final", no.Final)
	if err := a.Store.NoteWebhookTried(ctx, w.ID, no.Reason, no.Final); err != nil {
		return failed(err)
	}
	// What was answered may be somebody's words: the row has them.
	return temporal.NewApplicationErrorWithOptions(fmt.Sprintf("webhook: status %d", no.Status), "webhook",
		temporal.ApplicationErrorOptions{NonRetryable: no.Final, NextRetryDelay: no.RetryAfter})
}

// postWebhook signs a webhook and sends it once. It fails with a [*webhook.Error] where it was
// not taken.
func (a *Activities) postWebhook(ctx context.Context, w store.Webhook) error {
	task, err := a.Store.Task(ctx, w.Task)
	if errors.Is(err, store.ErrNotFound) {
		return &webhook.Error{Reason: err.Error(), Final: true}
	}
	if err != nil {
		return err
	}
	out := webhook.Request{ID: w.ID, URL: w.URL, At: time.Now()}
	if err := a.wordWebhook(ctx, w, task, &out); err != nil {
		return err
	}
	out.Secret, err = a.Store.WebhookSecret(ctx, w.Person, webhook.NewSecret(), false)
	if errors.Is(err, store.ErrNotFound) {
		return &webhook.Error{Reason: err.Error(), Final: true}
	}
	if err != nil {
		return err
	}
	return a.Webhooks.Send(ctx, out)
}

// Pushes word what clients of A2A are told of a task: the body and the header of a request.
type Pushes interface {
	Push(ctx context.Context, p store.A2APush, task errand.Task) ([]byte, http.Header, error)
}

// wordWebhook says what a program is told: of the end of a task, or how it is, as the
// protocol of its client has it.
func (a *Activities) wordWebhook(ctx context.Context, w store.Webhook, task errand.Task, out *webhook.Request) (err error) {
	if w.Push == "" {
		out.Body, err = taskBody(task)
		return err
	}
	p, err := a.Store.A2APush(ctx, w.Task, w.Push)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && a.Pushes == nil:
		return &webhook.Error{Reason: store.ErrNotFound.Error(), Final: true} // nobody is to be told any more
	case err != nil:
		return err
	}
	out.Body, out.Header, err = a.Pushes.Push(ctx, p, task)
	return err
}

// GiveWebhookUp notes that a webhook, or a browser, is tried no more.
func (a *Activities) GiveWebhookUp(ctx context.Context, in WebhookInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	if store.IsPush(in.ID) {
		return failed(a.Store.DropPush(ctx, in.ID))
	}
	a.Logger.Warn("webhook given up", "webhook", in.ID)
	return failed(a.Store.GiveWebhookUp(ctx, in.ID))
}

// A taskEvent is the body of a webhook about a task, in the form that the standard proposes.
type taskEvent struct {
	Type      string    `json:"type"` // "task.completed"
	Timestamp time.Time `json:"timestamp"`
	Data      taskData  `json:"data"`
}

type taskData struct {
	ID       errand.TaskID         `json:"id"`
	State    errand.TaskState      `json:"state"`
	Agents   []errand.AgentName    `json:"agents"`
	Title    string                `json:"title"`
	Result   string                `json:"result,omitempty"`
	Error    string                `json:"error,omitempty"`
	Decision errand.Answer         `json:"decision,omitempty"`
	Verdicts []errand.GivenVerdict `json:"verdicts,omitempty"`
	Created  time.Time             `json:"created"`
	Finished time.Time             `json:"finished,omitzero"`
	Cost     float64               `json:"cost"`
}

func taskBody(t errand.Task) ([]byte, error) {
	return json.Marshal(taskEvent{"task." + string(t.State), t.Finished, taskData{t.ID, t.State, t.Agents, t.Title, t.Result, t.Error,
		t.Decision, t.Verdicts, t.Created, t.Finished, t.Cost}})
}
