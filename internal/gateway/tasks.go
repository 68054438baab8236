package gateway

import (
	"context"
	"net/http"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// FindTask returns the task that a person means by a prefix of its id.
func (g *Gateway) FindTask(ctx context.Context, prefix string, person errand.PersonID) (errand.Task, error) {
	t, err := g.Store.FindTask(ctx, strings.TrimSpace(prefix), store.TaskFilter{Person: person})
	return t, known(err)
}

// CancelTask ends a task and everything it delegated. The rows are closed first:
// when it returns, no model call of the tree begins any more.
func (g *Gateway) CancelTask(ctx context.Context, id errand.TaskID, reason string) (errand.Task, error) {
	if reason = strings.TrimSpace(reason); reason == "" {
		reason = "no longer needed"
	}
	// Whoever cancels knows it: nobody has to be told.
	closed, err := g.Store.CloseTask(ctx, id, errand.Cut(reason, 200), true)
	if err != nil {
		return errand.Task{}, known(err)
	}
	for _, t := range closed {
		if err := g.Dispatch.StopTask(ctx, t.ID); err != nil {
			// Closed is closed; the workflow finds that out at its next step.
			g.Logger.Warn("workflow of a canceled task not canceled", "task", t.ID, "error", err)
		}
		g.Logger.Info("task canceled", "task", t.ID, "agent", t.AgentList())
	}
	t, err := g.Store.Task(ctx, id)
	return t, known(err)
}

// cancelAll ends what f lets pass of the tasks that are open, however many there
// are, and reports whether there was one.
func (g *Gateway) cancelAll(ctx context.Context, f store.TaskFilter, reason string) (some bool, err error) {
	f.States = errand.OpenStates()
	for {
		open, err := g.Store.Tasks(ctx, f)
		if err != nil || len(open) == 0 {
			return some, err
		}
		some = true
		for _, t := range open {
			// One that was closed with the task above it stays as it is.
			if _, err := g.CancelTask(ctx, t.ID, reason); err != nil {
				return some, err
			}
		}
	}
}

// CancelTaskFor ends a task for the person that a tool call is made for: what
// /cancel would not end for them where a session is shared, no agent does.
func (g *Gateway) CancelTaskFor(ctx context.Context, call store.Call, t errand.Task, reason string) (errand.Task, error) {
	const cancel = "/cancel"
	if call.Origin.SessionKey.Shared() && t.Origin.Person != call.Person && !g.Rights.May(call.Origin.Role, rights.GroupSession, cancel) {
		return t, &Error{http.StatusForbidden, "forbidden", "somebody else of this group has asked for " + string(t.ID) +
			", and it ends only for the role " + g.Rights.Name(g.Rights.Least(rights.GroupSession, cancel)) + " and above"}
	}
	return g.CancelTask(ctx, t.ID, reason)
}

// A Delegation is a task given by a person or a script.
type Delegation struct {
	Route  errand.Route // where the result is told; an empty chat: nowhere
	Person errand.PersonID
	Role   errand.Role // at most; empty: the person's
	Agents []errand.AgentName
	Text   string
}

// Delegate makes a task and starts it.
func (g *Gateway) Delegate(ctx context.Context, in Delegation) (errand.Task, error) {
	text, err := g.clean(in.Text)
	if err != nil {
		return errand.Task{}, err
	}
	by, err := g.actor(ctx, Inbound{Person: in.Person, Role: in.Role})
	if err != nil {
		return errand.Task{}, err
	}
	var agents []errand.AgentName
	seen := map[errand.AgentName]bool{}
	for _, a := range in.Agents {
		if _, ok := g.Roster.Agent(a); !ok {
			return errand.Task{}, badRequest("unknown_agent", "there is no agent %q; there are %s", errand.Cut(string(a), 40), g.agentNames())
		}
		if err := g.May(by, rights.Agent, string(a)); err != nil {
			return errand.Task{}, err
		}
		if !seen[a] { // siblings to the same agent are one
			seen[a] = true
			agents = append(agents, a)
		}
	}
	if len(agents) == 0 {
		return errand.Task{}, badRequest("agent", "say which agent; there are %s", g.agentNames())
	}
	origin := errand.Origin{Route: in.Route, Person: in.Person, Role: by.Role, Depth: 1}
	if in.Route.Chat != "" {
		origin.SessionKey = errand.NewSessionKey(in.Route, in.Person)
		// The session must be there before the task: its result belongs to it.
		found, err := g.Store.Rehydrate(ctx, origin.SessionKey, g.rosterOf(origin.SessionKey).Primary().Name)
		if err != nil {
			return errand.Task{}, err
		}
		origin.Session = found.Session
	}
	return g.create(ctx, origin, store.NewTask{Agents: agents, Text: text}, "")
}

// RetryTask makes a new task of one that has ended.
func (g *Gateway) RetryTask(ctx context.Context, id errand.TaskID) (errand.Task, error) {
	t, err := g.Store.Task(ctx, id)
	if err != nil {
		return t, known(err)
	}
	if !t.State.Terminal() {
		return t, &Error{http.StatusConflict, "not_finished", string(t.ID) + " is still " + string(t.State)}
	}
	// With the lesser of the rights that the person had and has.
	by, err := g.actor(ctx, Inbound{Person: t.Origin.Person, Role: t.Origin.Role})
	if err != nil {
		return t, err
	}
	for _, a := range t.Agents {
		if err := g.May(by, rights.Agent, string(a)); err != nil {
			return t, err
		}
	}
	origin := t.Origin
	origin.Role = by.Role
	origin.Root, origin.Depth, origin.Chain = "", 1, nil
	return g.create(ctx, origin, store.NewTask{Agents: t.Agents, Text: t.Text}, t.ID)
}

func (g *Gateway) create(ctx context.Context, origin errand.Origin, task store.NewTask, retryOf errand.TaskID) (errand.Task, error) {
	t, err := g.Store.CreateTask(ctx, origin, task, retryOf)
	if err != nil {
		return t, err
	}
	if err := g.Dispatch.StartTask(ctx, t); err != nil {
		g.Logger.Warn("task not started; the watchdog will", "task", t.ID, "error", err)
	}
	return t, nil
}

func (g *Gateway) agentNames() string {
	return strings.Join(errand.Strings(g.Roster.Names()), ", ")
}
