package service

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// FindTask returns the task that a person means by a prefix of its id.
// It is one of the actor's own, or, for those who may look at them, one of person's;
// "*" is everybody.
func (s *Service) FindTask(ctx context.Context, by Actor, prefix string, person errand.PersonID) (errand.Task, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return errand.Task{}, err
	}
	person, err := s.whose(by, person)
	if err != nil {
		return errand.Task{}, err
	}
	t, err := s.Store.FindTask(ctx, strings.TrimSpace(prefix), store.TaskFilter{Person: person})
	return t, Known(err)
}

// AwaitTask is FindTask, and waits until the task has ended, or for atMost, or until ctx
// is done. It reads the task again when something of it is announced. Before is called
// before what it has waited for is told, as of a [Reading]; its error ends the wait.
func (s *Service) AwaitTask(ctx context.Context, by Actor, prefix string, person errand.PersonID, atMost time.Duration, before func(events int) error) (errand.Task, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return errand.Task{}, err
	}
	t := new(errand.Task)
	waited, err := s.readUntil(ctx, by, prefix, person, atMost, hasEnded, t)
	if err != nil || !waited {
		return *t, err
	}
	return taskAfter(*t, before)
}

// FollowTask reads t, a task of the actor's own, by its id, and again whenever something of it
// is announced, until enough holds for it, or for atMost, or until ctx is done. Where it cannot
// be read, t is as it was.
func (s *Service) FollowTask(ctx context.Context, by Actor, t *errand.Task, atMost time.Duration, enough func(*errand.Task) bool) error {
	if err := s.may(by, rights.TasksRead); err != nil {
		return err
	}
	_, err := s.readUntil(ctx, by, string(t.ID), "", atMost, enough, t)
	return err
}

// readUntil reads a task into t, and again until enough holds for it.
func (s *Service) readUntil(ctx context.Context, by Actor, prefix string, person errand.PersonID, atMost time.Duration, enough func(*errand.Task) bool, t *errand.Task) (waited bool, err error) {
	look := func() (bool, error) {
		found, err := s.FindTask(ctx, by, prefix, person)
		if err != nil {
			return false, err
		}
		*t, prefix = found, string(found.ID)
		return enough(t), nil
	}
	if done, err := look(); err != nil || done || atMost <= 0 {
		return false, err
	}
	return true, s.followUntil(ctx, t.ID, atMost, look)
}

func hasEnded(t *errand.Task) bool { return t.State.Terminal() }

// followUntil looks at a task whenever something is announced of it, until look says that it
// is done, no longer than atMost and ctx.
func (s *Service) followUntil(ctx context.Context, id errand.TaskID, atMost time.Duration, look func() (done bool, err error)) error {
	announced, cancel := s.Store.Bus().SubscribeTask(id)
	defer cancel()
	over, poll := time.NewTimer(atMost), time.NewTimer(0)
	defer over.Stop()
	defer poll.Stop()
	for {
		if done, err := look(); done || err != nil { // at once, for it may have happened before the subscription
			return err
		}
		poll.Reset(Conversations{Log: s}.poll())
		select {
		case <-announced:
		case <-poll.C:
		case <-over.C:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// taskAfter is t, if before lets it be told.
func taskAfter(t errand.Task, before func(events int) error) (errand.Task, error) {
	if err := before(1); err != nil {
		return errand.Task{}, err
	}
	return t, nil
}

// FindTaskIn returns the task of a conversation that is meant by a prefix of its id.
func (s *Service) FindTaskIn(ctx context.Context, by Actor, prefix string, key errand.SessionKey) (errand.Task, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return errand.Task{}, err
	}
	if err := s.reads(by, key); err != nil {
		return errand.Task{}, err
	}
	t, err := s.Store.FindTask(ctx, strings.TrimSpace(prefix), store.TaskFilter{Session: key})
	return t, Known(err)
}

// CancelTask ends a task and everything it delegated. The rows are closed first:
// when it returns, no model call of the tree begins any more. What others have
// asked for may be ended in a session that is the actor's too, by the role that
// group sessions ask for, and elsewhere by those who may change what is others'.
func (s *Service) CancelTask(ctx context.Context, by Actor, id errand.TaskID, reason string) (errand.Task, error) {
	if err := s.may(by, rights.TasksCancel); err != nil {
		return errand.Task{}, err
	}
	ctx = doing(ctx, by)
	t, err := s.Store.Task(ctx, id)
	if err != nil {
		return errand.Task{}, Known(err)
	}
	if err := s.mayChange(by, t, "/cancel"); err != nil {
		return errand.Task{}, err
	}
	return s.EndTask(ctx, id, reason)
}

// mayChange fails where somebody may not do to a task what a command does to it.
func (s *Service) mayChange(by Actor, t errand.Task, command string) error {
	key := t.Origin.SessionKey
	switch {
	case t.Origin.Person == by.Person:
		return nil
	case key.Shared() && key == by.Here:
		return s.forAll(by, key, command)
	}
	return s.changesOthers(by)
}

// EndTask is CancelTask for errand itself.
func (s *Service) EndTask(ctx context.Context, id errand.TaskID, reason string) (errand.Task, error) {
	if _, err := s.closeTask(ctx, id, reason); err != nil {
		return errand.Task{}, Known(err)
	}
	t, err := s.Store.Task(ctx, id)
	return t, Known(err)
}

// closeTask ends a task with everything it delegated, and returns those that it ended.
func (s *Service) closeTask(ctx context.Context, id errand.TaskID, reason string) ([]errand.Task, error) {
	// Whoever cancels knows it: nobody has to be told.
	closed, err := s.Store.CloseTask(ctx, id, errand.Cut(strings.TrimSpace(reason), 200), true)
	for _, t := range closed {
		if err := s.Dispatch.StopTask(ctx, t.ID); err != nil {
			// Closed is closed; the workflow finds that out at its next step.
			s.Logger.Warn("workflow of a canceled task not canceled", "task", t.ID, "error", err)
		}
		s.Logger.Info("task canceled", "task", t.ID, "agent", t.AgentList())
	}
	return closed, err
}

// cancelAll ends what f lets pass of the tasks that are open, however many there
// are, and those that begin meanwhile. It reports whether there was one.
func (s *Service) cancelAll(ctx context.Context, f store.TaskFilter, reason string) (some bool, err error) {
	for {
		// What was called ends with its caller. The other way round the caller is told of its
		// sub-agent's end, and may go on before its own turn to end comes.
		open, err := s.Store.OpenTaskIDs(ctx, f)
		if err != nil || len(open) == 0 {
			return some, err
		}
		some = true
		ended := make(map[errand.TaskID]bool, len(open))
		for _, id := range open {
			if ended[id] {
				continue
			}
			closed, err := s.closeTask(ctx, id, reason)
			if err != nil && !errors.Is(err, store.ErrNotFound) { // one that was deleted meanwhile works no more
				return some, err
			}
			for _, t := range closed {
				ended[t.ID] = true
			}
		}
	}
}

// CancelTaskFor ends a task for the person that a tool call is made for: what
// /cancel would not end for them where a session is shared, no agent does.
func (s *Service) CancelTaskFor(ctx context.Context, call store.Call, t errand.Task, reason string) (errand.Task, error) {
	if err := s.may(callerOf(call, "kill_async_agent"), rights.TasksCancel); err != nil {
		return t, err
	}
	ctx = doing(ctx, callerOf(call, "kill_async_agent"))
	if err := s.mayChangeFor(call, t, "/cancel"); err != nil {
		return t, err
	}
	return s.EndTask(ctx, t.ID, reason)
}

func (s *Service) mayChangeFor(call store.Call, t errand.Task, command string) error {
	if call.Origin.SessionKey.Shared() && t.Origin.Person != call.Person && !s.Rights.May(call.Origin.Role, rights.GroupSession, command) {
		return Forbidden("refusal.anothers_task", "task", t.ID, "role", s.roleWord(s.Rights.Least(rights.GroupSession, command)))
	}
	return nil
}

// A Delegation is a task given by a person or a script.
type Delegation struct {
	Route  errand.Route // where the result is told; an empty chat: nowhere
	Agents []errand.AgentName
	Text   string
	// Messages are of the conversation that whoever asks has elsewhere, the oldest first:
	// the last 20 go with the task, each cut at a readable length.
	Messages []errand.BriefingMessage
	// Context names a conversation of errand's own instead.
	Context *Context
	// DeliverTo names a chat of the person that is told the result, see [Service.deliverTo];
	// empty: Route is.
	DeliverTo string
	// Procedure names the one that says who is asked and for what; Text is then what
	// whoever asks says to that. Without Agents and Decides.
	Procedure string
	// Callback is where a program is told of the end; empty: nowhere. Key makes a request that
	// comes again the same one, with Body, a hash of what it says; empty: none is.
	Callback  string
	Key, Body string
	Decides
}

// Delegate makes a task and starts it.
func (s *Service) Delegate(ctx context.Context, by Actor, in Delegation) (errand.Task, error) {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return errand.Task{}, err
	}
	return s.createDelegation(ctx, by, in, nil)
}

// createDelegation is Delegate; for a message that came before it returns the task of then.
func (s *Service) createDelegation(ctx context.Context, by Actor, in Delegation, m *store.A2AMessage) (errand.Task, error) {
	asks := by
	// With the role that they still have: it goes with the task.
	by, err := s.ActorAs(ctx, by.Person, by.Role)
	if err != nil {
		return errand.Task{}, err
	}
	task, err := s.planDelegation(ctx, by, in)
	if err != nil {
		return errand.Task{}, err
	}
	task.A2A = m
	if task.Briefing, err = s.goesWith(ctx, by.WithTokenOf(asks), in); err != nil {
		return errand.Task{}, err
	}
	if task.Webhook, err = s.callback(in.Callback); err != nil {
		return errand.Task{}, err
	}
	if task.Replay, err = replay(in.Key, in.Body); err != nil {
		return errand.Task{}, err
	}
	origin := errand.Origin{Route: in.Route, Person: by.Person, Role: by.Role, Depth: 1}
	if in.DeliverTo == "" {
		err = s.ofSession(ctx, &origin, "")
	} else if in.Route.Chat != "" {
		err = Invalid("deliver_to", "refusal.deliver_to_chat")
	} else {
		origin, err = s.deliverTo(ctx, by, origin, task.Agents, in.DeliverTo)
	}
	if err != nil {
		return errand.Task{}, err
	}
	t, err := s.create(ctx, origin, task, "")
	if errors.Is(err, store.ErrOtherRequest) {
		return errand.Task{}, conflict("idempotency_key", "refusal.idempotency_key")
	}
	return t, err
}

// goesWith is what goes with a task of a conversation: of one elsewhere, or of one of errand's
// own; nil: nothing.
func (s *Service) goesWith(ctx context.Context, by Actor, in Delegation) (*errand.Briefing, error) {
	switch {
	case in.Context == nil:
		return given(by, in.Messages)
	case len(in.Messages) > 0:
		return nil, Invalid("context", "refusal.context_messages")
	}
	return s.ofContext(ctx, by, *in.Context)
}

const mostGiven = 20

// given is what goes with a task of a conversation that errand does not have; nil: nothing.
func given(by Actor, messages []errand.BriefingMessage) (*errand.Briefing, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	b := &errand.Briefing{By: by.Name, Choice: errand.BriefingGiven, Of: len(messages)}
	for _, m := range messages[max(0, len(messages)-mostGiven):] {
		text, err := CleanText(m.Text, len(m.Text))
		if IsEmpty(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		b.Messages = append(b.Messages, briefed(errand.Cut(strings.TrimSpace(m.Who), 60), text))
	}
	return b, nil
}

func (s *Service) planDelegation(ctx context.Context, by Actor, in Delegation) (store.NewTask, error) {
	if in.Procedure != "" {
		if len(in.Agents) > 0 || in.Decides != (Decides{}) {
			return store.NewTask{}, Invalid("procedure", "refusal.procedure_with")
		}
		return s.planProcedure(by, in.Procedure, in.Text)
	}
	text, err := CleanText(in.Text, s.MessageBytes)
	if err != nil {
		return store.NewTask{}, err
	}
	task := store.NewTask{Text: text}
	if task.Agents, err = s.delegatesHere(ctx, by, in.Agents); err != nil {
		return task, err
	}
	return task, s.decide(by, in.Decides, &task)
}

// delegates are the agents of the roster that somebody names for a task: those that there
// are, and that they may use, each once.
func (s *Service) delegates(by Actor, named []errand.AgentName) ([]errand.AgentName, error) {
	return s.delegatesOr(by, named, func(name errand.AgentName) error { return s.unknownAgent(by, name) })
}

func (s *Service) delegatesHere(ctx context.Context, by Actor, named []errand.AgentName) ([]errand.AgentName, error) {
	return s.delegatesOr(by, named, func(name errand.AgentName) error { return s.registered(ctx, by, name) })
}

func (s *Service) unknownAgent(by Actor, name errand.AgentName) error {
	return Invalid("unknown_agent", "refusal.unknown_agent", "agent", strconv.Quote(errand.Cut(string(name), 40)), "agents", s.agentNames(by))
}

// delegatesOr is delegates, where other says what is wrong with a name that is not of the
// roster for the actor; nil: nothing.
func (s *Service) delegatesOr(by Actor, named []errand.AgentName, other func(errand.AgentName) error) ([]errand.AgentName, error) {
	var agents []errand.AgentName
	for _, a := range named {
		if !s.knows(by, a) {
			if err := other(a); err != nil {
				return nil, err
			}
		}
		if err := s.MayUse(by, rights.Agent, string(a)); err != nil {
			return nil, err
		}
		if !slices.Contains(agents, a) { // siblings to the same agent are one
			agents = append(agents, a)
		}
	}
	if len(agents) == 0 {
		return nil, Invalid("agent", "refusal.which_agent", "agents", s.agentNames(by))
	}
	return agents, nil
}

// ofSession makes what is asked for in a chat that of its session: of key, where that is
// known, and else of the person's own.
func (s *Service) ofSession(ctx context.Context, origin *errand.Origin, key errand.SessionKey) error {
	if origin.Chat == "" {
		return nil
	}
	if origin.SessionKey = key; key == "" {
		origin.SessionKey = errand.NewSessionKey(origin.Route, origin.Person)
	}
	// The session must be there before the task: its result belongs to it.
	session, err := s.openSession(ctx, origin.SessionKey)
	if err != nil {
		return err
	}
	there, err := s.Store.Session(ctx, session)
	origin.Session, origin.Group = session, there.Group
	return err
}

// RetryTask makes a new task of one that has ended.
func (s *Service) RetryTask(ctx context.Context, by Actor, id errand.TaskID) (errand.Task, error) {
	if err := s.may(by, rights.TasksRetry); err != nil {
		return errand.Task{}, err
	}
	t, err := s.Store.Task(ctx, id)
	if err != nil {
		return t, Known(err)
	}
	if t.Origin.Person != by.Person {
		if err := s.changesOthers(by); err != nil {
			return errand.Task{}, err
		}
	}
	if !t.State.Terminal() {
		return t, conflict("not_finished", "refusal.not_finished", "task", t.ID, "state", texts.Key("state."+string(t.State)))
	}
	// With the lesser of the rights that the person had and has.
	by, err = s.ActorAs(ctx, t.Origin.Person, t.Origin.Role)
	if err != nil {
		return t, err
	}
	if err := s.mayRepeat(ctx, by, t); err != nil {
		return t, err
	}
	origin := t.Origin
	origin.Role = by.Role
	origin.Root, origin.Depth, origin.Chain = "", 1, nil
	again := store.NewTask{Agents: t.Agents, Text: t.Text, Briefing: t.Briefing, Policy: t.Policy, Then: t.Then, Else: t.Else, Follows: t.Follows}
	if !t.Deadline.IsZero() {
		again.Deadline = t.Deadline.Sub(t.Created)
	}
	return s.create(ctx, origin, again, t.ID)
}

// mayRepeat checks anew who is to work on a task that has ended, and on what follows it.
func (s *Service) mayRepeat(ctx context.Context, by Actor, t errand.Task) error {
	agents := t.Agents
	for _, next := range []*errand.Branch{t.Then, t.Else} {
		if next != nil {
			agents = append(agents[:len(agents):len(agents)], next.Agents...)
		}
	}
	_, err := s.delegatesHere(ctx, by, agents)
	return err
}

func (s *Service) create(ctx context.Context, origin errand.Origin, task store.NewTask, retryOf errand.TaskID) (errand.Task, error) {
	t, err := s.Store.CreateTask(ctx, origin, task, retryOf)
	if err != nil {
		return t, refuseTask(err)
	}
	if !t.State.Terminal() { // one that was asked for before may have ended
		s.start(ctx, t)
	}
	return t, nil
}

// refuseTask returns what a person or program reads of an error of the store that refuses one
// more task; other errors as they are.
func refuseTask(err error) error {
	switch {
	case errors.Is(err, store.ErrTooManyTasks):
		return Refuse(KindTooMany, "too_many_tasks", "refusal.many_tasks")
	case errors.As(err, new(*store.BudgetError)):
		return Refuse(KindTooMany, "budget", "refusal.budget")
	}
	return err
}

func (s *Service) start(ctx context.Context, t errand.Task) {
	s.Dispatch.StartTaskBeside(ctx, t, func(err error) {
		s.Logger.Warn("task not started; the watchdog will", "task", t.ID, "error", err)
	})
}

func (s *Service) agentNames(by Actor) string {
	return strings.Join(errand.Strings(s.availableAgents(by)), ", ")
}

// TasksIn lists the latest tasks of a conversation, whoever of its people asked for
// them, the newest first. Tasks that were asked for there are among them, also where another
// chat has the answer.
func (s *Service) TasksIn(ctx context.Context, by Actor, key errand.SessionKey, limit int) ([]errand.Task, error) {
	if err := s.may(by, rights.TasksRead); err != nil {
		return nil, err
	}
	if err := s.reads(by, key); err != nil {
		return nil, err
	}
	return s.Store.Tasks(ctx, store.TaskFilter{Session: key, Asked: true, Limit: limit})
}
