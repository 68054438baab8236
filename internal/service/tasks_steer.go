package service

import (
	"context"
	"errors"
	"time"

	"errand"
	"errand/internal/probe"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// A Steering is what somebody says to a task.
type Steering struct {
	Text string
	// Key is that by which the door says it once, however often it comes; empty: it is
	// said anew each time.
	Key string
	// Route is where the result of a task is told that goes on; an empty chat: nowhere.
	// ReplyTo is the message there that asks for it.
	Route   errand.Route
	Group   bool // others read there
	ReplyTo string

	a2a *store.A2AMessage // by which a program says it; nil: none does
}

// A Steered is a task that something was said to.
type Steered struct {
	errand.Task
	Readers []errand.AgentName // of its agents: who reads it before their next step
}

// TaskEndedCode is of the [*Error] that a task has ended to which something was to be added.
const TaskEndedCode = "ended"

// SteerTask adds to a task that is at work: its agents read it before their next step, and
// if they wait for something, at once. What is committed is read, whether Temporal hears of
// it or not. Whoever may cancel a task may add to it.
func (s *Service) SteerTask(ctx context.Context, by Actor, id errand.TaskID, in Steering) (Steered, error) {
	if err := s.may(by, rights.TasksSteer); err != nil {
		return Steered{}, err
	}
	t, err := s.Store.Task(ctx, id)
	if err != nil {
		return Steered{}, Known(err)
	}
	if err := s.mayChange(by, t, "/task"); err != nil {
		return Steered{}, err
	}
	return s.steer(ctx, t, in, store.TaskMessage{Person: by.Person, Role: by.Role})
}

// SteerTaskFor is SteerTask for the person that a tool call is made for: what is added is
// marked as the agent's.
func (s *Service) SteerTaskFor(ctx context.Context, call store.Call, t errand.Task, text string) (errand.Task, error) {
	if err := s.may(callerOf(call, "steer_task"), rights.TasksSteer); err != nil {
		return t, err
	}
	if err := s.mayChangeFor(call, t, "/task"); err != nil {
		return t, err
	}
	done, err := s.steer(ctx, t, Steering{Text: text, Key: call.Key.String()},
		store.TaskMessage{Person: call.Person, Agent: call.Agent, Role: call.Origin.Role})
	return done.Task, err
}

func (s *Service) steer(ctx context.Context, t errand.Task, in Steering, m store.TaskMessage) (Steered, error) {
	err := s.isLocal(ctx, t)
	if err != nil {
		return Steered{Task: t}, err
	}
	if m.Text, err = CleanText(in.Text, s.MessageBytes); err != nil {
		return Steered{Task: t}, err
	}
	m.A2A = in.a2a
	if m.Key = in.Key; m.Key == "" {
		m.Key = errand.ShortID(20)
	}
	added, err := s.Store.AddToTask(ctx, t.ID, m)
	if errors.Is(err, store.ErrClosed) {
		return Steered{Task: t}, s.ended(ctx, t.ID)
	}
	if err != nil {
		return Steered{Task: t}, Known(err)
	}
	s.Points.At(probe.AfterSaid)
	if err := s.Dispatch.PromptlySteerTask(ctx, t.ID, added.Agents, added.Row); err != nil {
		s.Logger.Warn("agents not told of what was added to their task; they will find it", "task", t.ID, "error", err)
	}
	s.Logger.Info("added to a task", "task", t.ID, "agent", t.AgentList(), "bytes", len(m.Text))
	t, err = s.Store.Task(ctx, t.ID)
	return Steered{t, added.Agents}, err
}

// ended says that nothing can be added to a task any more. One whose agents have all
// reported is about to end.
func (s *Service) ended(ctx context.Context, id errand.TaskID) error {
	var t errand.Task
	err := s.followUntil(ctx, id, endsWithin, func() (done bool, err error) {
		t, err = s.Store.Task(ctx, id)
		return err == nil && hasEnded(&t), err
	})
	switch {
	case err != nil:
		return Known(err)
	case !t.State.Terminal():
		return conflict("ending", "refusal.task_ending", "task", t.ID)
	}
	return conflict(TaskEndedCode, "refusal.task_ended", "task", t.ID, "state", texts.Key("state."+string(t.State)))
}

// endsWithin is how long a task takes to end, at most, whose agents have all reported:
// nearly always it is a moment.
const endsWithin = 3 * time.Second

// ContinueTask goes on with a task that has ended, as a new one, whatever time has passed:
// its agents have what they had, and then the text. It is asked for by by, in the chat of
// in.Route, with no more rights than the task had.
func (s *Service) ContinueTask(ctx context.Context, by Actor, id errand.TaskID, in Steering) (errand.Task, error) {
	if err := s.may(by, rights.TasksSteer); err != nil {
		return errand.Task{}, err
	}
	old, err := s.Store.Task(ctx, id)
	if err != nil {
		return errand.Task{}, Known(err)
	}
	if err := s.mayChange(by, old, "/task"); err != nil {
		return errand.Task{}, err
	}
	text, err := CleanText(in.Text, s.MessageBytes)
	if err != nil {
		return errand.Task{}, err
	}
	if err := s.isLocal(ctx, old); err != nil {
		return old, err
	}
	if !old.State.Terminal() {
		return old, conflict("not_finished", "refusal.not_finished", "task", old.ID, "state", texts.Key("state."+string(old.State)))
	}
	key := by.Here
	if by, err = s.ActorAs(ctx, by.Person, errand.Lesser(by.Role, old.Origin.Role)); err != nil {
		return old, err
	}
	if err := s.mayRepeat(ctx, by, old); err != nil {
		return old, err
	}
	origin := errand.Origin{Route: in.Route, ReplyTo: in.ReplyTo, Person: by.Person, Role: by.Role, Depth: 1, Direct: old.Origin.Direct}
	if err := s.ofSession(ctx, &origin, key); err != nil {
		return old, err
	}
	origin.Group = origin.Group || in.Group
	m := store.TaskMessage{Key: in.Key, Person: by.Person, Role: by.Role, Text: text, A2A: in.a2a}
	if m.Key == "" {
		m.Key = errand.ShortID(20)
	}
	t, err := s.Store.ContinueTask(ctx, id, origin, m)
	if err != nil {
		return old, Known(refuseTask(err))
	}
	s.Points.At(probe.AfterSaid)
	s.start(ctx, t)
	return t, nil
}
