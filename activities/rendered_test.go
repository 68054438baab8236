package activities

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/tools"
)

// TestRenderedOnce proves that a step renders its prompt once, also where attempts
// before it have died and where the transcript has to be shortened for the model.
func TestRenderedOnce(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{Turn: store.Amount{Tokens: 1_000_000}})
	steps := int64(0)
	think := func(in wire.ThinkInput, replies ...llmtest.Reply) store.StepResult {
		t.Helper()
		k.model.Then(replies...)
		out, err := k.Think(t.Context(), in)
		require.NoError(t, err)
		steps++
		require.Equal(t, steps, k.Prompts.rendered.Load())
		return out
	}
	k.accept("hello")
	think(k.step(1, 1), llmtest.Text("hi"))
	k.accept("trains, please")
	_, err := k.begin(t.Context(), k.step(2, 1)) // and its worker died
	require.NoError(t, err)
	task := think(k.step(2, 1), llmtest.Call("c1", "call_agent_async", `{"agent": "sasha", "task": "trains"}`)).Calls[0].Task
	think(wire.ThinkInput{Store: k.Store.ID(), Key: core.StepKey{Owner: core.SubAgentOwner(task, "sasha"), Turn: 1, Step: 1}, Patience: time.Hour}, llmtest.Text("two trains"))
	think(k.step(2, 2), llmtest.Fail(&llm.Error{Kind: llm.ContextOverflow}), llmtest.Text("they met"), llmtest.Text("Sasha is on it"))
	requests := k.model.Requests()
	last := requests[len(requests)-1]
	require.Contains(t, last.Messages[0].Text, "they met", "the shorter transcript")
	require.Equal(t, requests[len(requests)-3].Note, last.Note)
}

// TestReservedBeforeRendered proves that what the first transaction reserves for a
// prompt, which it does not see, is enough for it, and not much more.
func TestReservedBeforeRendered(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	enough := func(b *store.StepInput, err error) {
		t.Helper()
		k.enough(b, err, 500+len(b.OpenTasks)*50)
	}
	k.accept(strings.Repeat("hello ", 2000))
	enough(k.begin(t.Context(), k.step(1, 1)))
	plan := make([]core.PlanItem, 30)
	for i := range plan {
		plan[i] = core.PlanItem{Text: strings.Repeat("\"x\" ", 50), State: core.PlanPending}
	}
	call := store.Call{Key: core.CallKey{StepKey: k.step(1, 1).Key, Index: 1}, Agent: "sasha"}
	for _, items := range [][]core.PlanItem{plan[:1], plan, nil} {
		require.NoError(t, k.Store.SavePlan(t.Context(), call, items))
		planned, err := k.begin(t.Context(), k.step(1, 1))
		enough(planned, err)
		require.Len(t, planned.Plan.Items, len(items))
	}
	var out store.StepResult
	for step := 1; step <= 2; step++ {
		k.model.Then(llmtest.Reply{Calls: calls(maxCalls, "call_agent_async", `{"agent": "sasha", "task": "the trains to Oslo, \"tomorrow\" or the day after, number NUMBER"}`)})
		var err error
		out, err = k.Think(t.Context(), k.step(1, step))
		require.NoError(t, err)
		enough(k.begin(t.Context(), k.step(1, step+1)))
	}
	_, err := k.Store.EnsurePerson(t.Context(), "bob", "Bob", core.MasterAdmin)
	require.NoError(t, err)
	for _, role := range core.Roles() {
		_, err := k.Store.SetRole(t.Context(), "ada", role)
		require.NoError(t, err)
		enough(k.begin(t.Context(), k.step(1, 3)))
	}
	enough(k.begin(t.Context(), wire.ThinkInput{Store: k.Store.ID(), Key: core.StepKey{Owner: core.SubAgentOwner(out.Calls[0].Task, "sasha"), Turn: 1, Step: 1}}))
}

// enough checks that what was reserved for a prompt is enough for it, and how much more
// it is at most.
func (k *thinker) enough(b *store.StepInput, err error, spare int) {
	k.t.Helper()
	require.NoError(k.t, err)
	has := llm.Estimate(k.Prompts.request(b, false))
	require.GreaterOrEqual(k.t, b.PromptTokens, has)
	require.LessOrEqual(k.t, b.PromptTokens, has+spare)
}

// TestReservedWithTheToolsThereAre proves that the tools of a server that connects, or
// goes, between two steps are in what the second one reserves.
func TestReservedWithTheToolsThereAre(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	agent, ok := k.Roster.Agent("nikki")
	require.True(t, ok)
	agent.Tools = []string{"*"}
	k.accept("hello")
	step := func() int {
		t.Helper()
		b, err := k.begin(t.Context(), k.step(1, 1))
		k.enough(b, err, 500)
		return b.PromptTokens
	}
	without := step()
	run := func(context.Context, store.Call, json.RawMessage) (string, error) { return "", nil }
	for _, list := range [][]tools.Tool{
		{{Name: "tickets.find", Description: strings.Repeat("Finds tickets. ", 1000), Run: run}},
		{{Name: "tickets.find", Description: strings.Repeat("Finds tickets. ", 2000), Run: run}},
		nil,
	} {
		require.NoError(t, k.Tools.Replace("mcp:tickets", list))
		require.Equal(t, len(list) > 0, step() > without+3000)
	}
}

func calls(n int, name, arguments string) []core.ToolCall {
	list := make([]core.ToolCall, n)
	for i := range list {
		list[i] = core.ToolCall{ID: core.ShortID(8), Name: name, Arguments: strings.ReplaceAll(arguments, "NUMBER", core.ShortID(4))}
	}
	return list
}
