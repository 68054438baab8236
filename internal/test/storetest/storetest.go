// Package storetest is the suite of promises for the store; it runs on SQLite and on
// PostgreSQL.
package storetest

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// An Opener opens an empty store with the limits, the clock and the ids of
// Options; where it is kept is the opener's to say. The store is closed when
// the test ends.
type Opener func(t testing.TB, o store.Options) *store.Store

// Run runs the suite, each test on a store of its own and beside others.
func Run(t *testing.T, open Opener) {
	groups := []map[string]func(*testing.T, Opener){
		inbox, steps, attempts, tasks, peers, peerApprovals, latePeers, team, a2a, ways, handover, outbox, budgets, openTasks, people, pairings, rest,
		sessions, sweeps, webhooks, reminders, notes, connections, presence, growing, contents, replies, takenBack, cursors, shared, stops, accounts, workers, rates, providers, lateResults, counts,
		toolCalls,
		turnCalls, turnReplace,
		waiting,
		files, fileChanges,
		pending,
		mcpServers,
		taskMessages,
		decisions,
		questions,
		approvals,
		taskTrees,
		dashboard,
		chatList,
		lists,
		clientCalls,
		registeredAgents,
		pushes,
		audits,
		positions,
	}
	for _, group := range groups {
		for name, test := range group {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, open)
			})
		}
	}
}

// A chat is one person's conversation with a store, as the session workflow
// would have it.
type chat struct {
	t       testing.TB
	ctx     context.Context
	s       *store.Store
	route   core.Route
	key     core.SessionKey
	session core.SessionID
	sent    int
}

func newChat(t testing.TB, open Opener, o store.Options) *chat {
	return chatOn(t, open(t, o), core.WebRoute("main"))
}

func chatOn(t testing.TB, s *store.Store, route core.Route) *chat {
	c := &chat{t: t, ctx: context.Background(), s: s, route: route, key: core.NewSessionKey(route, "ada")}
	_, err := s.EnsurePerson(c.ctx, "ada", "Ada", core.Partner)
	require.NoError(t, err)
	c.session = c.rehydrate().Session
	return c
}

func (c *chat) rehydrate() store.Rehydrated {
	c.t.Helper()
	r, err := c.s.Rehydrate(c.ctx, c.key, "nikki")
	require.NoError(c.t, err)
	return r
}

func (c *chat) message(text string) store.InboxMessage {
	c.sent++
	return store.InboxMessage{Route: c.route, Person: "ada", Role: core.Member, MessageID: fmt.Sprintf("m%d", c.sent), Text: text}
}

func (c *chat) write(text string) store.InboxRow {
	c.t.Helper()
	row, err := c.s.Accept(c.ctx, c.message(text))
	require.NoError(c.t, err)
	return row
}

func (c *chat) owner() core.Owner { return core.SessionOwner(c.session) }

func (c *chat) step(turn, step int) store.BeginStep {
	in := store.BeginStep{Key: core.StepKey{Owner: c.owner(), Turn: turn, Step: step}, Session: c.key, Window: 40}
	if step == 1 {
		in.Rows, in.Results = store.ClaimAll, true
	}
	return in
}

func (c *chat) begin(turn, step int) *store.StepInput {
	c.t.Helper()
	b, err := c.s.BeginStep(c.ctx, c.step(turn, step))
	require.NoError(c.t, err)
	return b
}

// sub begins a step of agent's work on a task.
func (c *chat) sub(task core.TaskID, agent core.AgentName, turn, step int) *store.StepInput {
	c.t.Helper()
	b, err := c.s.BeginStep(c.ctx, subStep(task, agent, turn, step))
	require.NoError(c.t, err)
	return b
}

func subStep(task core.TaskID, agent core.AgentName, turn, step int) store.BeginStep {
	key := core.StepKey{Owner: core.SubAgentOwner(task, agent), Turn: turn, Step: step}
	return store.BeginStep{Key: key, Results: step == 1, Window: 40}
}

func (c *chat) commit(in store.CommitStep) store.StepResult {
	c.t.Helper()
	r, err := c.s.CommitStep(c.ctx, in)
	require.NoError(c.t, err)
	return r
}

func reply(b *store.StepInput, text string) store.CommitStep {
	return store.CommitStep{Step: b, Text: text, Usage: []core.Usage{{Model: "m", InputTokens: 90, CachedTokens: 60, WrittenTokens: 20, OutputTokens: 10, Cost: 0.5}}}
}

func asks(b *store.StepInput, tasks ...store.NewTask) store.CommitStep {
	in := reply(b, "")
	in.Tasks = map[int]store.NewTask{}
	for i, task := range tasks {
		name := "call_agent_async"
		if task.Waits {
			name = "call_agent"
		}
		in.Calls = append(in.Calls, core.ToolCall{ID: fmt.Sprintf("c%d", i+1), Name: name, Arguments: "{}"})
		in.Planned = append(in.Planned, store.PlannedCall{By: store.ByDelegation, Tool: name})
		in.Tasks[i+1] = task
	}
	return in
}

func calls(b *store.StepInput, names ...string) store.CommitStep {
	in := reply(b, "")
	for i, name := range names {
		in.Calls = append(in.Calls, core.ToolCall{ID: fmt.Sprintf("c%d", i+1), Name: name, Arguments: "{}"})
		in.Planned = append(in.Planned, store.PlannedCall{By: store.ByActivity, Tool: name})
	}
	return in
}

func to(text string, agents ...core.AgentName) store.NewTask {
	return store.NewTask{Agents: agents, Text: text}
}

// delegate runs a whole turn that sends sasha on an errand.
func (c *chat) delegate(turn int, task store.NewTask) core.TaskID {
	c.t.Helper()
	c.write("please")
	id := c.commit(asks(c.begin(turn, 1), task)).Calls[0].Task
	c.commit(reply(c.begin(turn, 2), "Sasha is on it."))
	return id
}

// work lets a sub-agent report, which ends its task.
func (c *chat) work(task core.TaskID, text string) core.Task {
	c.t.Helper()
	out := c.commit(reply(c.sub(task, "sasha", 1, 1), text))
	require.Equal(c.t, core.Completed, out.Ended)
	return c.task(task)
}

func (c *chat) task(id core.TaskID) core.Task {
	c.t.Helper()
	task, err := c.s.Task(c.ctx, id)
	require.NoError(c.t, err)
	return task
}

func (c *chat) events() []core.Event {
	c.t.Helper()
	events, err := c.s.Events(c.ctx, c.key, 0, 0)
	require.NoError(c.t, err)
	return events
}

func (c *chat) reads() []string {
	c.t.Helper()
	var lines []string
	for _, e := range c.events() {
		switch e.Type {
		case core.EventReply, core.EventQuestion, core.EventLate, core.EventError, core.EventNotice:
			lines = append(lines, string(e.Type)+": "+e.Text)
		}
	}
	return lines
}

func listed[T any](t testing.TB, list iter.Seq2[T, error]) (all []T) {
	t.Helper()
	for e, err := range list {
		require.NoError(t, err)
		all = append(all, e)
	}
	return all
}

func texts(messages []core.Message) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		out[i] = string(m.Speaker) + ": " + core.Unmarked(m.Text)
	}
	return out
}

// requireWellFormed checks what the OpenAI-compatible wire asks for: each call
// is answered once, right after the answer that made it.
func requireWellFormed(t testing.TB, messages []core.Message) {
	t.Helper()
	open := map[string]bool{}
	for i, m := range messages {
		if m.Speaker == core.FromTool {
			require.True(t, open[m.CallID], "message %d answers call %q, which is not open", i, m.CallID)
			delete(open, m.CallID)
			continue
		}
		require.Empty(t, open, "calls without a result before message %d", i)
		for _, c := range m.Calls {
			require.False(t, open[c.ID], "call id %q twice", c.ID)
			open[c.ID] = true
		}
	}
	require.Empty(t, open, "calls without a result at the end")
}
