package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var turnCalls = map[string]func(*testing.T, Opener){
	"the end of a turn says which tools it has called, and each call can be looked up": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("which trains?")
		in := calls(c.begin(1, 1), "web_search", "web_search", "remember")
		in.Calls[0].Arguments, in.Calls[1].Arguments = `{"query":" night\ntrains\u202e to Oslo "}`, `{"query":"day trains"}`
		in.Calls[2].Arguments = `{"key":"` + strings.Repeat("k", 5_000) + `"}`
		c.commit(in)
		one := c.call(c.owner(), 1)
		require.NoError(t, c.s.CommitTool(c.ctx, one.Key, "two trains "+strings.Repeat("ü", 9_000)))
		two := one.Key
		two.Index = 2
		require.NoError(t, c.s.CommitTool(c.ctx, two, "error: the page did not answer"))

		list, err := c.s.TurnCalls(c.ctx, c.owner(), 1)
		require.NoError(t, err)
		require.Len(t, list, 3)
		require.Equal(t, []string{"web_search", "night trains to Oslo", `{"query":" night\ntrains\u202e to Oslo "}`}, []string{list[0].Tool, list[0].About, list[0].Arguments})
		require.True(t, list[0].Cut && strings.HasPrefix(list[0].Result, "two trains ü") && len([]rune(list[0].Result)) == 8_000 && !list[0].Failed)
		require.True(t, list[1].Failed && !list[1].Cut && !list[1].Ended.IsZero())
		require.True(t, list[2].Cut && len(list[2].Arguments) < 5_000 && list[2].Result == "" && list[2].Ended.IsZero(), "it is at work")

		three := one.Key
		three.Index = 3
		require.NoError(t, c.s.CommitTool(c.ctx, three, "kept"))
		c.commit(reply(c.begin(1, 2), "two"))
		all := c.events()
		require.Equal(t, []core.ToolUse{{Tool: "web_search", About: "night trains to Oslo", Calls: 2}, {Tool: "remember", About: strings.Repeat("k", 79) + "…", Calls: 1}}, all[len(all)-1].Tools)

		c.write("thanks")
		c.commit(reply(c.begin(2, 1), "you are welcome"))
		all = c.events()
		require.Empty(t, all[len(all)-1].Tools)
		list, err = c.s.TurnCalls(c.ctx, c.owner(), 2)
		require.NoError(t, err)
		require.Equal(t, []core.TurnCall{}, list)
	},
	"what was delegated is no call that is shown, and a turn that was stopped says what it has called": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("find trains")
		in := asks(c.begin(1, 1), store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains"})
		in.Calls = append(in.Calls, core.ToolCall{ID: "c2", Name: "recall", Arguments: `not JSON`})
		in.Planned = append(in.Planned, store.PlannedCall{By: store.ByActivity, Tool: "recall"})
		c.commit(in)
		list, err := c.s.TurnCalls(c.ctx, c.owner(), 1)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "not JSON", list[0].Arguments)
		require.Equal(t, 2, list[0].Index)
		_, err = c.s.StopTurn(c.ctx, c.key, "")
		require.NoError(t, err)
		var stopped core.Event
		for _, e := range c.events() {
			if e.Type == core.EventNotice {
				stopped = e
			}
		}
		require.Equal(t, []core.ToolUse{{Tool: "recall", Calls: 1}}, stopped.Tools)
	},
}
