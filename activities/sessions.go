package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
)

// A RehydrateInput names a conversation.
type RehydrateInput struct {
	Store string            `json:"store"`
	Key   errand.SessionKey `json:"key"`
}

// A Rehydrated is what a Session workflow needs to go on.
type Rehydrated struct {
	store.Rehydrated
	Settings Settings `json:"settings"` // as configured now
}

// Rehydrate reads what a Session workflow needs to go on, and makes the session
// if the conversation has none.
func (a *Activities) Rehydrate(ctx context.Context, in RehydrateInput) (Rehydrated, error) {
	if err := a.at(in.Store); err != nil {
		return Rehydrated{}, err
	}
	a.Probe.At(probe.BeforeRehydrate)
	agent, err := a.beginWith(ctx, in.Key)
	if err != nil {
		return Rehydrated{}, failed(err)
	}
	found, err := a.Store.Rehydrate(ctx, in.Key, agent)
	if err == nil {
		a.Logger.Info("session running", "session", found.Session, "agent", found.Agent, "open_tasks", len(found.Open))
	}
	return Rehydrated{found, a.Settings}, failed(err)
}

// beginWith is the agent that a new session of a conversation begins with: the
// primary agent, or with sessions.begin_with: last the one that its person talked
// with last, if they still may. An account that is an agent's own begins with it.
func (a *Activities) beginWith(ctx context.Context, key errand.SessionKey) (errand.AgentName, error) {
	here := a.Accounts.OfSession(a.Roster, key)
	primary := here.Primary().Name
	_, id, err := key.Parse()
	if err != nil || !a.BeginWithLast || id == errand.Everyone || primary != a.Roster.Primary().Name {
		return primary, err
	}
	person, err := a.Store.Person(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return primary, nil
	}
	if err != nil || person.LastAgent == "" || a.checkHandOver(here, person.Role, person.LastAgent) != nil {
		return primary, err
	}
	return person.LastAgent, nil
}

// A SuspendInput names the session that is idle.
type SuspendInput struct {
	Store   string           `json:"store"`
	Session errand.SessionID `json:"session"`
}

// Suspend notes that no workflow runs for a session.
func (a *Activities) Suspend(ctx context.Context, in SuspendInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	a.Probe.At(probe.BeforeSuspend)
	err := a.Store.SuspendSession(ctx, in.Session)
	a.Probe.At(probe.AfterSuspend)
	return failed(err)
}

// A ResetInput names the session id that is to end.
type ResetInput struct {
	Store   string            `json:"store"`
	Key     errand.SessionKey `json:"key"`
	Session errand.SessionID  `json:"session"`
	// Agent is whom the next session is with; empty: the primary agent.
	Agent    errand.AgentName `json:"agent,omitempty"`
	StickFor time.Duration    `json:"stick_for,omitempty"`
}

// A ResetResult is the session that came after.
type ResetResult struct {
	Session Rehydrated `json:"session"`
}

// Reset ends a session id and begins the next one. Tasks at work go on, and
// report in their own voice.
func (a *Activities) Reset(ctx context.Context, in ResetInput) (ResetResult, error) {
	if err := a.at(in.Store); err != nil {
		return ResetResult{}, err
	}
	agent := a.Accounts.OfSession(a.Roster, in.Key).Primary().Name
	next, err := a.Store.EndSession(ctx, in.Key, in.Session, "reset", agent)
	if err == nil && in.Agent != "" && in.Agent != agent && next != in.Session {
		err = a.Store.HandOver(ctx, in.Key, in.Agent, in.StickFor)
	}
	if err != nil {
		return ResetResult{}, failed(err)
	}
	found, err := a.Store.Rehydrate(ctx, in.Key, agent)
	return ResetResult{Session: Rehydrated{found, a.Settings}}, failed(err)
}

// A SetBusyInput sets the busy mode of a conversation.
type SetBusyInput struct {
	Store string            `json:"store"`
	Key   errand.SessionKey `json:"key"`
	Mode  string            `json:"mode"`
}

// SetBusy keeps the busy mode of a conversation.
func (a *Activities) SetBusy(ctx context.Context, in SetBusyInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	return failed(a.Store.SetBusy(ctx, in.Key, in.Mode))
}

// A CloseReason says why a turn was closed from outside.
type CloseReason string

// The reasons.
const (
	Stopped     CloseReason = store.StoppedTurn // by /stop
	Interrupted CloseReason = "interrupted"     // by the next message
	ResetAway   CloseReason = store.ResetTurn   // by /reset
)

// A CloseTurnInput names a turn, and the tasks that end with it.
type CloseTurnInput struct {
	Store  string            `json:"store"`
	Key    errand.SessionKey `json:"key"`
	Owner  errand.Owner      `json:"owner"`
	Turn   int               `json:"turn,omitempty"` // 0: none is running
	Reason CloseReason       `json:"reason"`
	Tasks  []errand.TaskID   `json:"tasks,omitempty"`
	// Waiting closes the turn only while a message waits that no turn has taken.
	Waiting bool `json:"waiting,omitempty"`
}

// A CloseTurnResult says whether the turn is closed.
type CloseTurnResult struct {
	Closed bool `json:"closed"`
}

// CloseTurn closes a turn and cancels tasks: from then on no model call of
// theirs begins, and the outcome of one in flight is refused.
func (a *Activities) CloseTurn(ctx context.Context, in CloseTurnInput) (CloseTurnResult, error) {
	if err := a.at(in.Store); err != nil {
		return CloseTurnResult{}, err
	}
	switch {
	case in.Turn > 0 && in.Waiting:
		closed, err := a.Store.InterruptTurn(ctx, in.Key, in.Owner, in.Turn, string(in.Reason))
		if err != nil || !closed {
			return CloseTurnResult{}, failed(err)
		}
	case in.Turn > 0:
		if err := a.Store.CloseTurn(ctx, in.Owner, in.Turn, string(in.Reason)); err != nil {
			return CloseTurnResult{}, failed(err)
		}
	}
	for _, id := range in.Tasks {
		if err := a.closeTask(ctx, id, string(in.Reason), true, ""); err != nil {
			return CloseTurnResult{}, failed(err)
		}
	}
	a.cancelAbandoned(ctx)
	a.Logger.Info("turn closed", "session", in.Key, "turn", in.Turn, "reason", in.Reason, "tasks", len(in.Tasks))
	return CloseTurnResult{Closed: true}, nil
}

// closeTask closes a task with everything it delegated, and then cancels what
// runs for them, but for the workflow of self, which is the caller's own.
func (a *Activities) closeTask(ctx context.Context, id errand.TaskID, reason string, notified bool, self errand.TaskID) error {
	closed, err := a.Store.CloseTask(ctx, id, reason, notified)
	if err != nil {
		return err
	}
	for _, t := range closed {
		if t.ID == self {
			continue
		}
		if err := a.Sessions.StopTask(ctx, t.ID); err != nil {
			return err
		}
	}
	return nil
}

// An AwaitResumeInput names the store of the installation.
type AwaitResumeInput struct {
	Store string `json:"store"`
}

// How soon AwaitResume looks again: once after the step was refused, because it may
// have been resumed just then, and after that rarely. Whoever resumes has it tried
// again at once.
const (
	firstPoll = 2 * time.Second
	laterPoll = time.Minute
)

// AwaitResume succeeds once the installation is not paused. Until then it fails,
// to be tried again: attempts cost no history, and hardly anything else.
func (a *Activities) AwaitResume(ctx context.Context, in AwaitResumeInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	paused, err := a.Store.Paused(ctx)
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
