package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Conversations has the activities of sessions.
type Conversations struct {
	*worker
	*authority
	tasks         *Tasks
	responses     *responses
	sessions      Sessions
	settings      wire.Settings
	beginWithLast bool
}

// Rehydrate reads the state that a Session workflow needs to continue. It creates the session if
// the conversation has none.
func (c *Conversations) Rehydrate(ctx context.Context, in wire.RehydrateInput) (wire.Rehydrated, error) {
	if err := c.at(in.Store); err != nil {
		return wire.Rehydrated{}, err
	}
	c.probe.At(probe.BeforeRehydrate)
	agent, err := c.beginWith(ctx, in.Key)
	if err != nil {
		return wire.Rehydrated{}, failed(err)
	}
	found, err := c.store.Rehydrate(ctx, in.Key, agent)
	if err == nil {
		c.logger.Info("session running", "session", found.Session, "agent", found.Agent, "open_tasks", len(found.Open))
	}
	return wire.Rehydrated{Rehydrated: found, Settings: c.settings}, failed(err)
}

// beginWith returns the agent of a new session: the primary agent or, with sessions.begin_with:
// last, the agent that the person last talked with, if they still may. An agent's own account
// begins with that agent.
func (c *Conversations) beginWith(ctx context.Context, key core.SessionKey) (core.AgentName, error) {
	here := c.accounts.OfSession(c.roster, key)
	primary := here.Primary().Name
	_, id, err := key.Parse()
	if err != nil || !c.beginWithLast || id == core.Everyone || primary != c.roster.Primary().Name {
		return primary, err
	}
	person, err := c.store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return primary, nil
	}
	if err != nil || person.LastAgent == "" || c.checkHandOver(here, person.Role, person.LastAgent) != nil {
		return primary, err
	}
	return person.LastAgent, nil
}

// Suspend records that a session has no running workflow.
func (c *Conversations) Suspend(ctx context.Context, in wire.SuspendInput) error {
	if err := c.at(in.Store); err != nil {
		return err
	}
	c.probe.At(probe.BeforeSuspend)
	err := c.store.SuspendSession(ctx, in.Session)
	c.probe.At(probe.AfterSuspend)
	return failed(err)
}

// Reset ends a session and begins the next. Open tasks continue and report their results.
func (c *Conversations) Reset(ctx context.Context, in wire.ResetSessionInput) (wire.ResetSessionResult, error) {
	if err := c.at(in.Store); err != nil {
		return wire.ResetSessionResult{}, err
	}
	agent := c.accounts.OfSession(c.roster, in.Key).Primary().Name
	next, err := c.store.EndSession(ctx, in.Key, in.Session, "reset", agent)
	if err == nil && in.Agent != "" && in.Agent != agent && next != in.Session {
		err = c.store.HandOver(ctx, in.Key, in.Agent, in.StickFor)
	}
	if err != nil {
		return wire.ResetSessionResult{}, failed(err)
	}
	found, err := c.store.Rehydrate(ctx, in.Key, agent)
	return wire.ResetSessionResult{Session: wire.Rehydrated{Rehydrated: found, Settings: c.settings}}, failed(err)
}

// SetBusy stores the busy mode of a conversation.
func (c *Conversations) SetBusy(ctx context.Context, in wire.SetBusyInput) error {
	if err := c.at(in.Store); err != nil {
		return err
	}
	return failed(c.store.SetBusy(ctx, in.Key, in.Mode))
}

// CloseTurn closes a turn and cancels tasks. After that their model calls do not begin, and the
// store refuses the outcome of a call in progress.
func (c *Conversations) CloseTurn(ctx context.Context, in wire.CloseTurnInput) (wire.CloseTurnResult, error) {
	if err := c.at(in.Store); err != nil {
		return wire.CloseTurnResult{}, err
	}
	switch {
	case in.Turn > 0 && in.Waiting:
		closed, err := c.store.InterruptTurn(ctx, in.Key, in.Owner, in.Turn, string(in.Reason))
		if err != nil || !closed {
			return wire.CloseTurnResult{}, failed(err)
		}
	case in.Turn > 0:
		if err := c.store.CloseTurn(ctx, in.Owner, in.Turn, string(in.Reason)); err != nil {
			return wire.CloseTurnResult{}, failed(err)
		}
	}
	for _, id := range in.Tasks {
		if err := c.tasks.closeTask(ctx, id, string(in.Reason), true, ""); err != nil {
			return wire.CloseTurnResult{}, failed(err)
		}
	}
	c.responses.cancelAbandoned(ctx)
	if err := c.wakeOutboxOf(ctx, in.Key); err != nil {
		return wire.CloseTurnResult{}, failed(err)
	}
	c.logger.Info("turn closed", "session", in.Key, "turn", in.Turn, "reason", in.Reason, "tasks", len(in.Tasks))
	return wire.CloseTurnResult{Closed: true}, nil
}

func (c *Conversations) wakeOutboxOf(ctx context.Context, key core.SessionKey) error {
	route, _, err := key.Parse()
	if err != nil {
		return err
	}
	next, err := c.store.NextOutbox(ctx, route)
	if err != nil || next == nil {
		return err
	}
	return c.sessions.WakeOutbox(ctx, route)
}

// AwaitResume checks again after firstPoll the first time, because the installation may have been
// resumed just then, and later after laterPoll. A resume also triggers an attempt at once.
const (
	firstPoll = 2 * time.Second
	laterPoll = time.Minute
)

// AwaitResume fails, and is retried, until the installation is not paused. Attempts add nothing to
// the history and cost little.
func (c *Conversations) AwaitResume(ctx context.Context, in wire.AwaitResumeInput) error {
	if err := c.at(in.Store); err != nil {
		return err
	}
	paused, err := c.store.Paused(ctx)
	if err == nil && paused {
		again := laterPoll
		if activity.GetInfo(ctx).Attempt == 1 {
			again = firstPoll
		}
		return temporal.NewApplicationErrorWithOptions("still paused", "still-paused",
			temporal.ApplicationErrorOptions{NextRetryDelay: again})
	}
	return failed(err)
}
