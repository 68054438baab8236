package service

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
)

func (t *Tasks) createNew(ctx context.Context, by actor.Actor, in api.CreateTaskInput) (api.Task, error) {
	in.Body.Agents = append(in.Body.Agents, core.AgentNames(in.Body.Agent)...)
	in.Body.Procedure = strings.ToLower(strings.TrimSpace(in.Body.Procedure))
	if in.Body.Chat != "" {
		var err error
		if in.Route, err = WebRoute(in.Body.Chat); err != nil {
			return api.Task{}, err
		}
	}
	in.Route.Channel = cmp.Or(in.Route.Channel, core.ChannelWeb)
	task, err := t.delegate(ctx, by, in, nil)
	return t.taskView(by, task), err
}

// delegate makes a task and starts it. For a repeated A2A message it returns the existing task.
func (t *Tasks) delegate(ctx context.Context, by actor.Actor, in api.CreateTaskInput, m *store.A2AMessage) (core.Task, error) {
	asks := by
	// The task keeps the person's current role.
	by, err := t.ActorAs(ctx, by.Person, by.Role)
	if err != nil {
		return core.Task{}, err
	}
	task, err := t.planDelegation(ctx, by, in.Body)
	if err != nil {
		return core.Task{}, err
	}
	task.A2A = m
	if task.Briefing, err = t.briefingFor(ctx, by.WithTokenOf(asks), in); err != nil {
		return core.Task{}, err
	}
	if task.Webhook, err = t.callback(in.Callback); err != nil {
		return core.Task{}, err
	}
	if task.Replay, err = replay(in.Key, in.Hash); err != nil {
		return core.Task{}, err
	}
	origin := core.Origin{Route: in.Route, Person: by.Person, Role: by.Role, Depth: 1}
	if in.Body.DeliverTo == "" {
		err = t.ofSession(ctx, &origin, "")
	} else if in.Route.Chat != "" {
		err = Invalid("deliver_to", "refusal.deliver_to_chat")
	} else {
		origin, err = destinations{t}.deliverTo(ctx, by, origin, task.Agents, in.Body.DeliverTo)
	}
	if err != nil {
		return core.Task{}, err
	}
	made, err := t.create(ctx, origin, task, "")
	if errors.Is(err, store.ErrOtherRequest) {
		return core.Task{}, conflict("idempotency_key", "refusal.idempotency_key")
	}
	return made, err
}

func (t *Tasks) briefingFor(ctx context.Context, by actor.Actor, in api.CreateTaskInput) (*core.Briefing, error) {
	switch {
	case in.Body.Context == nil:
		return given(by, in.Messages)
	case len(in.Messages) > 0:
		return nil, Invalid("context", "refusal.context_messages")
	}
	return destinations{t}.ofContext(ctx, by, *in.Body.Context)
}

const maxGiven = 20

func given(by actor.Actor, messages []core.BriefingMessage) (*core.Briefing, error) {
	if len(messages) == 0 {
		return nil, nil
	}
	b := &core.Briefing{By: by.Name, Choice: core.BriefingGiven, Of: len(messages)}
	for _, m := range messages[max(0, len(messages)-maxGiven):] {
		text, err := CleanText(m.Text, len(m.Text))
		if IsEmpty(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		b.Messages = append(b.Messages, briefed(core.Cut(strings.TrimSpace(m.Who), 60), text))
	}
	return b, nil
}

func (t *Tasks) planDelegation(ctx context.Context, by actor.Actor, in api.NewTask) (store.NewTask, error) {
	if in.Procedure != "" {
		if len(in.Agents) > 0 || in.Expect != "" || in.Policy != "" || in.Deadline != 0 || in.Then != nil || in.Else != nil {
			return store.NewTask{}, Invalid("procedure", "refusal.procedure_with")
		}
		return t.planProcedure(by, in.Procedure, in.Text)
	}
	text, err := CleanText(in.Text, t.MessageBytes)
	if err != nil {
		return store.NewTask{}, err
	}
	task := store.NewTask{Text: text}
	if task.Agents, err = t.delegatesHere(ctx, by, in.Agents); err != nil {
		return task, err
	}
	return task, t.decide(by, in, &task)
}

func (t *Tasks) delegates(by actor.Actor, named []core.AgentName) ([]core.AgentName, error) {
	return t.delegatesOr(by, named, func(name core.AgentName) error { return t.unknownAgent(by, name) })
}

func (t *Tasks) delegatesHere(ctx context.Context, by actor.Actor, named []core.AgentName) ([]core.AgentName, error) {
	return t.delegatesOr(by, named, func(name core.AgentName) error { return t.registered(ctx, by, name) })
}

func (t *Tasks) unknownAgent(by actor.Actor, name core.AgentName) error {
	return Invalid("unknown_agent", "refusal.unknown_agent", "agent", strconv.Quote(core.Cut(string(name), 40)), "agents", t.agents.names(by))
}

// delegatesOr checks the named agents, and returns each once. It calls other for a name that is not
// in the actor's roster; if other returns nil, the name is accepted.
func (t *Tasks) delegatesOr(by actor.Actor, named []core.AgentName, other func(core.AgentName) error) ([]core.AgentName, error) {
	var agents []core.AgentName
	for _, a := range named {
		if !t.agents.has(by, a) {
			if err := other(a); err != nil {
				return nil, err
			}
		}
		if err := t.MayUse(by, rights.Agent, string(a)); err != nil {
			return nil, err
		}
		if !slices.Contains(agents, a) { // an agent named twice works once
			agents = append(agents, a)
		}
	}
	if len(agents) == 0 {
		return nil, Invalid("agent", "refusal.which_agent", "agents", t.agents.names(by))
	}
	return agents, nil
}

// ofSession sets the session of origin: that of key or, if key is empty, the person's own.
func (t *Tasks) ofSession(ctx context.Context, origin *core.Origin, key core.SessionKey) error {
	if origin.Chat == "" {
		return nil
	}
	if origin.SessionKey = key; key == "" {
		origin.SessionKey = core.NewSessionKey(origin.Route, origin.Person)
	}
	// The session must exist before the task, because the result belongs to it.
	session, err := t.agents.openSession(ctx, origin.SessionKey)
	if err != nil {
		return err
	}
	there, err := t.Store.Session(ctx, session)
	origin.Session, origin.Group = session, there.Group
	return err
}

func (t *Tasks) create(ctx context.Context, origin core.Origin, n store.NewTask, retryOf core.TaskID) (core.Task, error) {
	task, err := t.Store.CreateTask(ctx, origin, n, retryOf)
	if err != nil {
		return task, refuseTask(err)
	}
	if !task.State.Terminal() { // a repeated request returns the old task, which may have ended
		t.start(ctx, task)
	}
	return task, nil
}

// refuseTask turns the store's limits on tasks into refusals. It returns other errors unchanged.
func refuseTask(err error) error {
	switch {
	case errors.Is(err, store.ErrTooManyTasks):
		return Refuse(KindTooMany, "too_many_tasks", "refusal.many_tasks")
	case errors.As(err, new(*store.BudgetError)):
		return Refuse(KindTooMany, "budget", "refusal.budget")
	}
	return err
}

func (t *Tasks) start(ctx context.Context, task core.Task) {
	t.Dispatch.StartTaskBeside(ctx, task, func(err error) {
		t.Logger.Warn("task not started; the watchdog will start it", "task", task.ID, "error", err)
	})
}

func (t *Tasks) callback(address string) (string, error) {
	if address == "" {
		return "", nil
	}
	to, err := t.Webhooks.Check(address)
	if err != nil {
		return "", Invalid("callback_url", "refusal.callback", "why", err.Error())
	}
	return to, nil
}

func replay(key, hash string) (*store.Replay, error) {
	if key == "" {
		return nil, nil
	}
	if !IsExternalID(key) {
		return nil, Invalid("idempotency_key", "refusal.idempotency_key_bad")
	}
	return &store.Replay{Key: key, Body: hash}, nil
}
