package activities

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/llm"
	"errand/internal/llm/llmtest"
	"errand/internal/store"
)

// TestRenderedOnce proves that a step renders its prompt once, also where attempts
// before it have died and where the transcript has to be shortened for the model.
func TestRenderedOnce(t *testing.T) {
	k := newThinker(t, errand.MasterAdmin, store.Limits{Turn: store.Amount{Tokens: 1_000_000}})
	steps := int64(0)
	think := func(in ThinkInput, replies ...llmtest.Reply) store.StepResult {
		t.Helper()
		k.model.Then(replies...)
		out, err := k.Think(t.Context(), in)
		require.NoError(t, err)
		steps++
		require.Equal(t, steps, k.rendered.Load())
		return out
	}
	k.accept("hello")
	think(k.step(1, 1), llmtest.Text("hi"))
	k.accept("trains, please")
	_, err := k.begin(t.Context(), k.step(2, 1)) // and its worker died
	require.NoError(t, err)
	task := think(k.step(2, 1), llmtest.Call("c1", "call_agent_async", `{"agent": "sasha", "task": "trains"}`)).Calls[0].Task
	think(ThinkInput{Store: k.Store.ID(), Key: errand.StepKey{Owner: errand.SubAgentOwner(task, "sasha"), Turn: 1, Step: 1}, Patience: time.Hour}, llmtest.Text("two trains"))
	think(k.step(2, 2), llmtest.Fail(&llm.Error{Kind: llm.ContextOverflow}), llmtest.Text("they met"), llmtest.Text("Sasha is on it"))
	requests := k.model.Requests()
	last := requests[len(requests)-1]
	require.Contains(t, last.Messages[0].Text, "they met", "the shorter transcript")
	require.Equal(t, requests[len(requests)-3].Note, last.Note)
}

// TestReservedBeforeRendered proves that what the first transaction reserves for a
// prompt, which it does not see, is enough for it, and not much more.
func TestReservedBeforeRendered(t *testing.T) {
	k := newThinker(t, errand.MasterAdmin, store.Limits{})
	enough := func(b *store.StepInput, err error) {
		t.Helper()
		require.NoError(t, err)
		has := llm.Estimate(k.request(b, false))
		require.GreaterOrEqual(t, b.PromptTokens, has)
		require.LessOrEqual(t, b.PromptTokens, has+500+len(b.OpenTasks)*50)
	}
	k.accept(strings.Repeat("hello ", 2000))
	enough(k.begin(t.Context(), k.step(1, 1)))
	var out store.StepResult
	for step := 1; step <= 2; step++ {
		k.model.Then(llmtest.Reply{Calls: calls(maxCalls, "call_agent_async", `{"agent": "sasha", "task": "the trains to Oslo, \"tomorrow\" or the day after, number NUMBER"}`)})
		var err error
		out, err = k.Think(t.Context(), k.step(1, step))
		require.NoError(t, err)
		enough(k.begin(t.Context(), k.step(1, step+1)))
	}
	_, err := k.Store.EnsurePerson(t.Context(), "bob", "Bob", errand.MasterAdmin)
	require.NoError(t, err)
	for _, role := range errand.Roles() {
		_, err := k.Store.SetRole(t.Context(), "ada", role)
		require.NoError(t, err)
		enough(k.begin(t.Context(), k.step(1, 3)))
	}
	enough(k.begin(t.Context(), ThinkInput{Store: k.Store.ID(), Key: errand.StepKey{Owner: errand.SubAgentOwner(out.Calls[0].Task, "sasha"), Turn: 1, Step: 1}}))
}

// calls are n calls of a tool.
func calls(n int, name, arguments string) []errand.ToolCall {
	list := make([]errand.ToolCall, n)
	for i := range list {
		list[i] = errand.ToolCall{ID: errand.ShortID(8), Name: name, Arguments: strings.ReplaceAll(arguments, "NUMBER", errand.ShortID(4))}
	}
	return list
}
