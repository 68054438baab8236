package tools_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
	"errand/internal/texts"
	"errand/internal/tools"
)

// A bench is a store and the call of an agent who talks with Ada on the page.
type bench struct {
	t     *testing.T
	store *store.Store
	call  store.Call
}

func newBench(t *testing.T) *bench {
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	route := core.WebRoute("main")
	return &bench{t, s, store.Call{Agent: "nikki", Person: "ada", Origin: core.Origin{
		Route: route, Person: "ada", Role: core.Partner, Agent: "nikki", SessionKey: core.NewSessionKey(route, "ada"), Depth: 1,
	}}}
}

// run calls a tool with arguments, and returns what the model is told.
func (b *bench) run(list []tools.Tool, name string, args map[string]any) string {
	b.t.Helper()
	raw, err := json.Marshal(args)
	require.NoError(b.t, err)
	set, err := tools.NewSet(list...)
	require.NoError(b.t, err)
	tool, ok := set.Tool(name)
	require.True(b.t, ok, name)
	text, err := tool.Run(context.WithoutCancel(b.t.Context()), b.call, raw)
	require.NoError(b.t, err)
	return text
}

// TestRememberRefusesNotifications proves that a note cannot have a key under which
// recall would never find it.
func TestRememberRefusesNotifications(t *testing.T) {
	b := newBench(t)
	memory := tools.Memory(b.store)
	for _, key := range []string{"notifications/", "notifications/t-7k3m9q2x", " notifications/x"} {
		require.Contains(t, b.run(memory, "remember", map[string]any{"key": key, "value": "v"}), "error: ")
	}
	for _, key := range []string{"notifications", "my notifications/x"} {
		require.Equal(t, "Noted.", b.run(memory, "remember", map[string]any{"key": key, "value": "v"}))
		require.Equal(t, "v", b.run(memory, "recall", map[string]any{"key": key}))
	}
}

// TestReadArtifactInPages proves that a file is read page by page, each going on
// where the one before says, whatever characters it has.
func TestReadArtifactInPages(t *testing.T) {
	b := newBench(t)
	text := strings.Repeat("Zürich 🚆 ", 5000)
	_, err := b.store.Accept(t.Context(), store.InboxMessage{Route: b.call.Origin.Route, Person: "ada", Role: core.Partner, MessageID: "1",
		Attached: []store.NewArtifact{{Name: "a.txt", Type: "text/plain", Data: []byte(text)}}})
	require.NoError(t, err)
	id := b.artifact()
	artifacts, got, offset := tools.Artifacts(b.store), "", any(0)
	for pages := 1; ; pages++ {
		page, rest, more := strings.Cut(b.run(artifacts, "read_artifact", map[string]any{"id": id, "offset": offset}), "\n(bytes ")
		got += page
		if !more {
			require.Greater(t, pages, 3)
			break
		}
		_, at, _ := strings.Cut(strings.TrimSuffix(rest, ")"), "offset ")
		offset = json.Number(at)
	}
	require.Equal(t, text, got)
	require.Contains(t, b.run(artifacts, "read_artifact", map[string]any{"id": id, "offset": len(text)}), "error: the file has")
	require.Contains(t, b.run(artifacts, "read_artifact", map[string]any{"id": id, "offset": -1}), "error: the file has")
}

func (b *bench) artifact() core.ArtifactID {
	b.t.Helper()
	r, err := b.store.Rehydrate(b.t.Context(), b.call.Origin.SessionKey, "nikki")
	require.NoError(b.t, err)
	key := core.StepKey{Owner: core.SessionOwner(r.Session), Turn: 1, Step: 1}
	_, err = b.store.BeginStep(b.t.Context(), store.BeginStep{Key: key, Session: b.call.Origin.SessionKey, Rows: store.ClaimAll})
	require.NoError(b.t, err)
	list, err := b.store.Artifacts(b.t.Context(), r.Session)
	require.NoError(b.t, err)
	require.Len(b.t, list, 1)
	return list[0].ID
}

// changing runs the operations of the tools kill_async_agent and steer_task.
func changing(s *store.Store) *ops.Runner {
	r := servicetest.NewRunner()
	ops.Bind(r, api.CancelTaskByTool, func(ctx context.Context, _ actor.Actor, in api.ToolTaskInput) (core.Task, error) {
		if _, err := s.CloseTask(ctx, in.ID, in.Reason, true); err != nil {
			return core.Task{}, err
		}
		return s.Task(ctx, in.ID)
	})
	ops.Bind(r, api.SteerTaskByTool, func(ctx context.Context, by actor.Actor, in api.SteerTaskByToolInput) (core.Task, error) {
		if _, err := s.AddToTask(ctx, in.ID, store.TaskMessage{Key: in.Key, Agent: by.Agent(), Text: in.Text}); err != nil {
			return core.Task{}, err
		}
		return s.Task(ctx, in.ID)
	})
	return r
}

// TestTaskTools proves that an agent sees the tasks of its conversation with chat,
// state and age, ends one of them, and finds no other's.
func TestTaskTools(t *testing.T) {
	b := newBench(t)
	b.call.Nonce = "§7k3m9q2x"
	mine, err := b.store.CreateTask(t.Context(), b.call.Origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find \"night\" trains"}, "")
	require.NoError(t, err)
	other := b.call.Origin
	other.Person, other.SessionKey = "bob", core.NewSessionKey(core.WebRoute("main"), "bob")
	hidden, err := b.store.CreateTask(t.Context(), other, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "a secret"}, "")
	require.NoError(t, err)
	tasks := tools.Tasks(b.store, changing(b.store))

	list := b.run(tasks, "list_pending_async_agents", nil)
	require.Regexp(t, `^`+string(mine.ID)+`  sasha  submitted  asked for \d+ s ago  chat "main" on web  "find \\"night\\" trains"\n$`, list)
	got := b.run(tasks, "get_task", map[string]any{"task_id": string(mine.ID)})
	require.True(t, strings.HasPrefix(got, "[§7k3m9q2x task "+string(mine.ID)+", sasha: submitted]\nStill at work."), got)
	require.Contains(t, got, `chat "main" on web`)
	require.Contains(t, b.run(tasks, "steer_task", map[string]any{"task_id": string(mine.ID)[:5], "text": "by night"}), "It is added: sasha reads it")
	for _, id := range []string{string(hidden.ID), "no id"} {
		require.Contains(t, b.run(tasks, "steer_task", map[string]any{"task_id": id, "text": "by night"}), "not found")
	}
	for _, tool := range []string{"get_task", "kill_async_agent"} {
		require.Contains(t, b.run(tasks, tool, map[string]any{"task_id": string(hidden.ID)}), "not found")
		require.Contains(t, b.run(tasks, tool, map[string]any{"task_id": "no id"}), "not found")
	}
	require.Contains(t, b.run(tasks, "kill_async_agent", map[string]any{"task_id": string(mine.ID), "reason": "not needed"}), string(mine.ID)+" is canceled")
	require.Contains(t, b.run(tasks, "kill_async_agent", map[string]any{"task_id": string(mine.ID)}), "has ended already: canceled")
	require.Contains(t, b.run(tasks, "steer_task", map[string]any{"task_id": string(mine.ID), "text": "by night"}), "error: "+string(mine.ID)+" has ended already: canceled")
	require.Equal(t, "There are no open tasks.", b.run(tasks, "list_pending_async_agents", nil))
	require.Contains(t, b.run(tasks, "get_task", map[string]any{"task_id": string(mine.ID)}), "<§7k3m9q2x report>\nnot needed\n</§7k3m9q2x report>")
}

// TestSetRefusesToolsNobodyCarriesOut proves that each tool of a set has somebody who
// carries it out, and that what is wrong is said by name.
func TestSetRefusesToolsNobodyCarriesOut(t *testing.T) {
	run := func(context.Context, store.Call, json.RawMessage) (string, error) { return "", nil }
	for _, test := range []struct {
		name string
		tool tools.Tool
		want string // in the error; empty: it is taken
	}{
		{"an activity, by default", tools.Tool{Name: "clock", Run: run}, ""},
		{"an activity", tools.Tool{Name: "clock", By: store.ByActivity, Run: run}, ""},
		{"nothing to run", tools.Tool{Name: "clock"}, `tool "clock" has no Run`},
		{"a delegation", tools.Tool{Name: "send", By: store.ByDelegation}, ""},
		{"a handover", tools.Tool{Name: "transfer", By: store.ByHandover}, ""},
		{"a handover that would run", tools.Tool{Name: "transfer", By: store.ByHandover, Run: run}, `run by "handover"`},
		{"a question", tools.Tool{Name: "ask_user", By: store.ByQuestion}, ""},
		{"a question that would run", tools.Tool{Name: "ask_user", By: store.ByQuestion, Run: run}, `run by "question"`},
		{"an approval", tools.Tool{Name: "pay", By: "approval", Run: run}, `tool "pay": unknown By "approval"`},
		{"nobody", tools.Tool{Name: "nothing", By: store.ByNobody}, `unknown By "refused"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			set, err := tools.NewSet(test.tool)
			if test.want != "" {
				require.ErrorContains(t, err, test.want)
				return
			}
			require.NoError(t, err)
			taken, _ := set.Tool(test.tool.Name)
			require.NotEmpty(t, taken.By)
		})
	}
}

// TestToolsHaveWordsForPeople proves that what a tool does while it runs is said in every
// language.
func TestToolsHaveWordsForPeople(t *testing.T) {
	c, err := texts.New(nil)
	require.NoError(t, err)
	for _, tool := range slices.Concat(tools.Tasks(nil, nil), tools.Memory(nil), tools.Remind(nil), tools.Artifacts(nil)) {
		require.True(t, c.Has(string(tool.Doing)), "%s: there is no text %q", tool.Name, tool.Doing)
	}
}
