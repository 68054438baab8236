package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"errand"
	"errand/internal/store"
)

// What pages and programs read. All of it is one person's own view.

// Events returns the events of a conversation after an id, in order.
func (g *Gateway) Events(ctx context.Context, key errand.SessionKey, after int64, limit int) ([]errand.Event, error) {
	return g.Store.Events(ctx, key, after, limit)
}

// LastEvents returns the newest n events of a conversation, in order.
func (g *Gateway) LastEvents(ctx context.Context, key errand.SessionKey, n int) ([]errand.Event, error) {
	return g.Store.LastEvents(ctx, key, n)
}

// Subscribe returns the events of a conversation from now on, the passing ones
// too. One without id and of no known type says that some were missed: read on
// from the log.
func (g *Gateway) Subscribe(key errand.SessionKey) (<-chan errand.Event, func()) {
	return g.Store.Hub().Subscribe(key)
}

// Tasks lists tasks, the newest first; of one conversation if key is not empty.
func (g *Gateway) Tasks(ctx context.Context, person errand.PersonID, key errand.SessionKey, states []errand.TaskState, limit int) ([]errand.Task, error) {
	return g.Store.Tasks(ctx, store.TaskFilter{Person: person, Session: key, States: states, Limit: limit})
}

// Outbox lists deliveries, the newest first.
func (g *Gateway) Outbox(ctx context.Context, states []errand.OutboxState, limit int) ([]errand.Notification, error) {
	return g.Store.Outbox(ctx, states, limit)
}

// RetryOutbox makes a delivery that is blocked pending again.
func (g *Gateway) RetryOutbox(ctx context.Context, id int64) error {
	if err := g.Store.RetryOutbox(ctx, id); err != nil {
		return g.asDelivery(ctx, id, err)
	}
	n, err := g.Store.Notification(ctx, id)
	if err != nil {
		return known(err)
	}
	return g.Dispatch.HastenOutbox(ctx, n.Route) // a person has decided that it is worth it
}

// DismissOutbox gives a delivery up.
func (g *Gateway) DismissOutbox(ctx context.Context, id int64) error {
	return g.asDelivery(ctx, id, g.Store.Dismiss(ctx, id))
}

// asDelivery says why nothing can be done about a delivery in the state it is in.
func (g *Gateway) asDelivery(ctx context.Context, id int64, err error) error {
	if !errors.Is(err, store.ErrClosed) {
		return known(err)
	}
	n, err := g.Store.Notification(ctx, id)
	if err != nil {
		return known(err)
	}
	why := "waits to be sent; it goes out by itself"
	switch n.State {
	case errand.Sent:
		why = "has arrived already"
	case errand.Sending:
		why = "is being sent just now"
	case errand.Unknown:
		why = "may have arrived; errand finds out by itself"
	}
	return &Error{http.StatusConflict, "closed", fmt.Sprintf("delivery %d %s", id, why)}
}

// An Agent is one of the roster, as people see it.
type Agent struct {
	Name        errand.AgentName `json:"name"`
	Description string           `json:"description"`
	Primary     bool             `json:"primary"`
}

// Agents lists the roster.
func (g *Gateway) Agents() []Agent {
	var list []Agent
	for _, n := range g.Roster.Names() {
		a, _ := g.Roster.Agent(n)
		list = append(list, Agent{n, a.Description, n == g.Roster.Primary().Name})
	}
	return list
}

// Pause closes the budget of the whole installation: no model call begins.
func (g *Gateway) Pause(ctx context.Context, by errand.PersonID) error { return g.Store.Pause(ctx, by) }

// Paused reports whether the installation is paused.
func (g *Gateway) Paused(ctx context.Context) (bool, error) { return g.Store.Paused(ctx) }

// Ready reports whether messages can be accepted and worked on.
func (g *Gateway) Ready(ctx context.Context) error {
	if err := g.Store.Ping(ctx); err != nil {
		return &NotReady{"store", err}
	}
	if err := g.Dispatch.Ping(ctx); err != nil {
		return &NotReady{"temporal", err}
	}
	return nil
}

// NotReady says which of the things that a worker stands on does not answer.
type NotReady struct {
	Part string // store or temporal
	Err  error  // for the log: it may tell addresses
}

func (n *NotReady) Error() string { return n.Part + " does not answer: " + n.Err.Error() }
func (n *NotReady) Unwrap() error { return n.Err }

// MessageEvent returns the id of the event of a message; 0 if it was never
// accepted.
func (g *Gateway) MessageEvent(ctx context.Context, key errand.SessionKey, messageID string) (int64, error) {
	return g.Store.MessageEvent(ctx, key, messageID)
}

// Answers reports whether e, which came after a message, is the end of its turn:
// the reply, or word that there is none; of a later turn where that one was
// interrupted.
func (g *Gateway) Answers(ctx context.Context, e errand.Event, key errand.SessionKey, messageID string) (bool, error) {
	switch {
	case e.Type == errand.EventReply, e.Type == errand.EventQuestion, e.Type == errand.EventError:
	case e.Type == errand.EventNotice && e.Turn > 0:
	default:
		return false, nil
	}
	owner, turn, ok, err := g.Store.TurnOfMessage(ctx, key, messageID)
	if err != nil || !ok {
		return false, err
	}
	return owner != errand.SessionOwner(e.Session) || e.Turn >= turn, nil
}
