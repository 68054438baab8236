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
	"sources are the pages that the turn read or the answer names, or else all pages that were found": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		found := "Results for \"trains\" from a test:\n<web>\n1. Night trains\n   https://one.example/\n   an excerpt\n2. Fares\n   https://two.example/fares\n</web>"
		read := "<web>\nTitle: Bikes on board\nAddress: https://three.example/\n\nSix places.\nTitle: no\nAddress: https://no.example/\n</web>"
		one, two, three := core.Source{Title: "Night trains", Address: "https://one.example/"}, core.Source{Title: "Fares", Address: "https://two.example/fares"}, core.Source{Title: "Bikes on board", Address: "https://three.example/"}
		for turn, answer := range []string{"see https://two.example/fares", "a train goes"} {
			c.write("which trains?")
			in := calls(c.begin(turn+1, 1), "web_search", "web_fetch", "web_fetch")
			c.commit(in)
			results := []string{found, read, "error: https://four.example/: there is no such page (404 Not Found)"}
			if turn == 1 {
				results[1] = results[2]
			}
			for i, text := range results {
				key := c.call(c.owner(), turn+1).Key
				key.Index = i + 1
				require.NoError(t, c.s.CommitTool(c.ctx, key, text))
			}
			c.commit(reply(c.begin(turn+1, 2), answer))
			all := c.events()
			tools := all[len(all)-1].Tools
			require.Len(t, tools, 2)
			list, err := c.s.TurnCalls(c.ctx, c.owner(), turn+1)
			require.NoError(t, err)
			require.Equal(t, []core.Source{one, two}, list[0].Sources)
			require.True(t, list[2].Failed && list[2].Sources == nil)
			if turn == 1 {
				require.Equal(t, [][]core.Source{{one, two}, nil}, [][]core.Source{tools[0].Sources, tools[1].Sources})
				continue
			}
			require.Equal(t, [][]core.Source{{two}, {three}}, [][]core.Source{tools[0].Sources, tools[1].Sources})
			require.Equal(t, []core.Source{three}, list[1].Sources)
			require.Equal(t, 14, list[1].Words)
		}
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
