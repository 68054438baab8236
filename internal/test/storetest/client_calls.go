package storetest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var weather = &core.ClientTools{Tools: []core.ClientTool{{Name: "weather", Parameters: json.RawMessage(`{"type":"object"}`)}}}

func (c *chat) asksProgram(turn int, names ...string) []core.ClientCall {
	c.t.Helper()
	m := c.message("will it rain?")
	m.Tools = weather
	_, err := c.s.Accept(c.ctx, m)
	require.NoError(c.t, err)
	b := c.begin(turn, 1)
	require.Equal(c.t, weather, b.Client)
	in := reply(b, "Let me look.")
	for i, name := range names {
		in.Calls = append(in.Calls, core.ToolCall{ID: "c" + string(rune('1'+i)), Name: name, Arguments: `{"city":"Oslo"}`})
		in.Planned = append(in.Planned, store.PlannedCall{By: store.ByClient})
	}
	require.False(c.t, c.commit(in).Final)
	done := c.begin(turn, 2).Done
	require.NotNil(c.t, done, "no model is called")
	require.True(c.t, done.Final)
	calls, err := c.s.ClientCalls(c.ctx, c.key, c.session, turn)
	require.NoError(c.t, err)
	require.Equal(c.t, "Let me look.", calls.Text)
	require.Len(c.t, calls.Calls, len(names))
	return calls.Calls
}

func (c *chat) writeOutputs(text string, outputs ...core.ClientOutput) error {
	m := c.message(text)
	m.Outputs = outputs
	_, err := c.s.Accept(c.ctx, m)
	return err
}

// prompt is what a model reads in a step: what people wrote, and in brackets what came of calls.
func prompt(b *store.StepInput) (lines []string) {
	for _, m := range b.Transcript {
		switch {
		case m.Speaker == core.FromTool:
			lines = append(lines, "["+m.Text+"]")
		case len(m.Calls) > 0:
			lines = append(lines, m.Text+" calls "+m.Calls[0].Name)
		default:
			lines = append(lines, core.Unmarked(m.Text))
		}
	}
	return lines
}

const unanswered = "[error: the program that has this tool did not answer the call]"

var clientCalls = map[string]func(*testing.T, Opener){
	"calls of a program's tools end their turn, once, and what came of them stands behind them": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		calls := c.asksProgram(1, "weather", "weather")
		require.NotEqual(t, calls[0].ID, calls[1].ID)
		require.JSONEq(t, `{"city":"Oslo"}`, calls[1].Arguments)
		require.True(t, c.begin(1, 2).Done.Final, "an attempt again finds the end")
		events := c.events()
		end := events[len(events)-1]
		require.Equal(t, []any{core.EventReply, core.ToolCalls, 1, "Let me look.\n\n→ weather\n\n→ weather"}, []any{end.Type, end.Cause, end.Turn, end.Text})
		require.Zero(t, c.rehydrate().OpenTurn)

		require.NoError(t, c.writeOutputs("", core.ClientOutput{Call: calls[1].ID, Text: "dry"}, core.ClientOutput{Call: calls[0].ID, Text: "wet"}))
		b := c.begin(2, 1)
		require.Equal(t, []string{"will it rain?", "Let me look. calls weather", "[wet]", "[dry]"}, prompt(b))
		require.Nil(t, b.Client, "the message offers nothing")
		require.ErrorIs(t, c.writeOutputs("", core.ClientOutput{Call: calls[0].ID, Text: "again"}), store.ErrNoSuchCall)
	},
	"a program that answers some of its calls, or none, has the others closed": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		calls := c.asksProgram(1, "weather", "weather")
		require.NoError(t, c.writeOutputs("and hurry", core.ClientOutput{Call: calls[0].ID, Text: "wet"}))
		b := c.begin(2, 1)
		require.Equal(t, []string{"will it rain?", "Let me look. calls weather", "[wet]", unanswered, "and hurry"}, prompt(b))
		c.commit(reply(b, "It rains."))
		require.NoError(t, c.writeOutputs("", core.ClientOutput{Call: calls[1].ID, Text: "dry"}), "it may come late")
		got := prompt(c.begin(3, 1))
		require.Equal(t, unanswered, got[3])
		require.True(t, strings.HasPrefix(got[6], "[the result of weather, which came after you had continued:]\n") && strings.Contains(got[6], "dry"), got[6])
	},
	"a late result does not close what a program has been asked": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("send somebody")
		task := c.delegate(1, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "look"})
		c.commit(reply(c.begin(1, 2), "Sasha is on it."))
		calls := c.asksProgram(2, "weather")
		c.work(task, "found it")
		in := c.step(3, 1)
		in.Results = true
		b, err := c.s.BeginStep(c.ctx, in)
		require.NoError(t, err)
		require.Equal(t, store.CauseResults, b.Cause)
		c.commit(reply(b, "Sasha found it."))
		require.NoError(t, c.writeOutputs("", core.ClientOutput{Call: calls[0].ID, Text: "wet"}))
		got := prompt(c.begin(4, 1))
		require.Contains(t, got[len(got)-1], "wet", "it stands where the agent has not gone on from yet")
	},
	"only the conversation that a call is of has its output": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		calls := c.asksProgram(1, "weather")
		other := chatOn(t, c.s, core.WebRoute("other"))
		require.ErrorIs(t, other.writeOutputs("", core.ClientOutput{Call: calls[0].ID, Text: "wet"}), store.ErrNoSuchCall)
		require.ErrorIs(t, c.writeOutputs("", core.ClientOutput{Call: "call_none", Text: "wet"}), store.ErrNoSuchCall)
		require.False(t, other.rehydrate().Messages, "what is refused is not kept")
		key, route, waits, err := c.s.CallOf(c.ctx, calls[0].ID)
		require.NoError(t, err)
		require.Equal(t, []any{c.key, c.route, true}, []any{key, route, waits})
		_, _, _, err = c.s.CallOf(c.ctx, "call_none")
		require.ErrorIs(t, err, store.ErrNotFound)
		require.NoError(t, c.writeOutputs("", core.ClientOutput{Call: calls[0].ID, Text: "wet"}))
		_, _, waits, err = c.s.CallOf(c.ctx, calls[0].ID)
		require.NoError(t, err)
		require.False(t, waits)
	},
	"what came of calls may be brought again where /stop dropped it": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		calls := c.asksProgram(1, "weather")
		wet := core.ClientOutput{Call: calls[0].ID, Text: "wet"}
		require.NoError(t, c.writeOutputs("", wet))
		require.ErrorIs(t, c.writeOutputs("", wet), store.ErrNoSuchCall)
		stopped, err := c.s.StopTurn(c.ctx, c.key, "")
		require.NoError(t, err)
		require.True(t, stopped.Any)
		require.NoError(t, c.writeOutputs("", wet))
		require.Contains(t, strings.Join(prompt(c.begin(3, 1)), "\n"), "wet")
	},
	"what comes while a step hands over its calls is for the next turn": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		m := c.message("will it rain?")
		m.Tools = weather
		_, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		in := reply(c.begin(1, 1), "")
		in.Calls, in.Planned = []core.ToolCall{{ID: "c1", Name: "weather", Arguments: "{}"}}, []store.PlannedCall{{By: store.ByClient}}
		c.commit(in)
		c.write("never mind")
		steered := c.step(1, 2)
		steered.Rows = store.ClaimAll
		b, err := c.s.BeginStep(c.ctx, steered)
		require.NoError(t, err)
		require.True(t, b.Done.Final)
		require.Equal(t, []string{"will it rain?", " calls weather", unanswered, "never mind"}, prompt(c.begin(2, 1)))
	},
}
