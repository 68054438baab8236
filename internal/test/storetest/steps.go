package storetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var steps = map[string]func(*testing.T, Opener){
	"a step has one outcome": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		b1, b2 := c.begin(1, 1), c.begin(1, 1)
		first := c.commit(reply(b2, "first"))
		second := c.commit(reply(b1, "second"))
		require.Equal(t, first, second)
		require.Equal(t, []string{"reply: first"}, c.reads())
		require.Equal(t, &first, c.begin(1, 1).Done, "a third attempt does not call the model")
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: b1.Root})
		require.NoError(t, err)
		require.Equal(t, store.Amount{Calls: 2, Tokens: 200, Cost: 1, Cached: 120}, spent, "what was paid is counted")
	},
	"work is closed by a stop, and not by a reply": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		task := c.delegate(1, to("two trains", "sasha"))
		turn := func(n int) store.Work { return store.Work{Owner: c.owner(), Turn: n} }
		closed := func(work ...store.Work) []store.Work {
			t.Helper()
			list, err := c.s.ClosedWork(c.ctx, work)
			require.NoError(t, err)
			return list
		}
		sasha := store.Work{Owner: core.SubAgentOwner(task, "sasha")}
		require.Empty(t, closed(turn(1), sasha))
		c.write("and?")
		b := c.begin(2, 1)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 2, store.StoppedTurn))
		_, _, err := c.s.FinishTask(c.ctx, task, core.Canceled, "")
		require.NoError(t, err)
		require.Equal(t, []store.Work{turn(2), sasha}, closed(turn(1), turn(2), sasha))
		_, err = c.s.CommitStep(c.ctx, reply(b, "too late"))
		require.ErrorIs(t, err, store.ErrClosed)
	},
	"concurrent outcomes of a step are one": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		b := c.begin(1, 1)
		results := inParallel(t, 16, func(i int) (store.StepResult, error) {
			return c.s.CommitStep(c.ctx, asks(b, to(fmt.Sprint("errand ", i), "sasha")))
		})
		for _, r := range results {
			require.Equal(t, results[0], r)
		}
		all, err := c.s.Tasks(c.ctx, store.TaskFilter{})
		require.NoError(t, err)
		require.Len(t, all, 1)
	},
	"a turn that is closed refuses its outcome": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		b := c.begin(1, 1)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		_, err := c.s.CommitStep(c.ctx, reply(b, "too late"))
		require.ErrorIs(t, err, store.ErrClosed)
		_, err = c.s.BeginStep(c.ctx, c.step(1, 1))
		require.ErrorIs(t, err, store.ErrClosed)
		require.Equal(t, []string{"notice: The turn was stopped."}, c.reads())
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: b.Root})
		require.NoError(t, err)
		require.Equal(t, 1, spent.Calls, "it was paid all the same")
		require.Equal(t, 2, c.rehydrate().NextTurn)
	},
	"a turn that was closed before it began refuses to begin": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		_, err := c.s.BeginStep(c.ctx, c.step(1, 1))
		require.ErrorIs(t, err, store.ErrClosed)
		require.Equal(t, []string{"user: hello"}, texts(c.begin(2, 1).Transcript), "the next one has its message")
	},
	"closing a turn that has its reply changes nothing": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		c.commit(reply(c.begin(1, 1), "hi"))
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		require.NotNil(t, c.begin(1, 1).Done)
		require.Equal(t, []string{"reply: hi"}, c.reads())
	},
	"a turn that takes nothing never was": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		require.Equal(t, &store.StepResult{Empty: true}, c.begin(1, 1).Empty)
		c.write("hello")
		require.Nil(t, c.begin(1, 1).Empty)
	},
	"the transcript is well-formed wherever the window begins": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for turn := 1; turn <= 3; turn++ {
			c.write(fmt.Sprint("question ", turn))
			c.commit(calls(c.begin(turn, 1), "a", "b", "c"))
			c.commit(calls(c.begin(turn, 2), "d"))
			c.commit(reply(c.begin(turn, 3), "done"))
		}
		c.write("more")
		c.commit(calls(c.begin(4, 1), "a", "b", "c", "d", "e"))
		for window := 1; window < 40; window++ {
			in := c.step(4, 2)
			in.Window = window
			b, err := c.s.BeginStep(c.ctx, in)
			require.NoError(t, err)
			requireWellFormed(t, b.Transcript)
			require.Contains(t, texts(b.Transcript), "user: more", "window %d: what was asked is there", window)
		}
	},
	"calls of a turn that was stopped have an answer": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("search")
		in := calls(c.begin(1, 1), "a", "b")
		in.Calls[0].ID, in.Calls[1].ID = "same", "same"
		c.commit(in)
		key := core.CallKey{StepKey: c.step(1, 1).Key, Index: 2}
		require.NoError(t, c.s.CommitTool(c.ctx, key, "found"))
		require.NoError(t, c.s.CommitTool(c.ctx, key, "found again"))
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "stopped"))
		key.Index = 1
		require.ErrorIs(t, c.s.CommitTool(c.ctx, key, "late"), store.ErrClosed)
		c.write("and now?")
		b := c.begin(2, 1)
		requireWellFormed(t, b.Transcript)
		require.Equal(t, []string{"user: search", "assistant: ", "tool: stopped by the user", "tool: found", "user: and now?"}, texts(b.Transcript))
	},
	"refused calls are answered when they are committed": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("search")
		in := calls(c.begin(1, 1), "no_such_tool")
		in.Planned[0] = store.PlannedCall{By: store.ByNobody}
		in.Errors = map[int]string{1: "error: there is no tool no_such_tool"}
		c.commit(in)
		require.Equal(t, []string{"user: search", "assistant: ", "tool: error: there is no tool no_such_tool"}, texts(c.begin(1, 2).Transcript))
		call, err := c.s.Call(c.ctx, core.CallKey{StepKey: c.step(1, 1).Key, Index: 1})
		require.NoError(t, err)
		require.True(t, call.Done)
	},
	"a tool finds its call and its origin": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("search")
		c.commit(calls(c.begin(1, 1), "search"))
		call, err := c.s.Call(c.ctx, core.CallKey{StepKey: c.step(1, 1).Key, Index: 1})
		require.NoError(t, err)
		require.Equal(t, "search", call.Call.Name)
		require.False(t, call.Done)
		require.Equal(t, core.Origin{
			Route: c.route, ReplyTo: "m1", Person: "ada", Role: core.Member, Agent: "nikki", Session: c.session, SessionKey: c.key,
			Depth: 1, Chain: []string{"nikki"}, Root: "turn:" + string(c.session) + ":1",
		}, call.Origin)
		_, err = c.s.Call(c.ctx, core.CallKey{StepKey: c.step(1, 1).Key, Index: 2})
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"a summary takes the place of what it sums up": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for turn := 1; turn <= 5; turn++ {
			c.write(fmt.Sprint("question ", turn))
			c.commit(calls(c.begin(turn, 1), "a"))
			c.commit(reply(c.begin(turn, 2), "done"))
		}
		old, err := c.s.ToSummarise(c.ctx, c.owner(), 6)
		require.NoError(t, err)
		requireWellFormed(t, old)
		last := old[len(old)-1]
		require.Equal(t, [2]int{4, 0}, [2]int{last.Turn, last.Step}, "of 20, 7 are kept: 6 would part a call from its result")
		require.NoError(t, c.s.SaveSummary(c.ctx, c.owner(), last.Turn, last.Step, "they talked"))
		c.write("more")
		b := c.begin(6, 1)
		require.Equal(t, "they talked", b.Summary)
		require.Zero(t, b.Older)
		require.NotEmpty(t, b.Transcript[0].Calls)
		require.Len(t, b.Transcript, 8)
		kept, err := c.s.Transcript(c.ctx, c.owner(), 0)
		require.NoError(t, err)
		require.Len(t, kept, 21, "the originals stay")
	},
	"turn 1,000 reads as much as turn 100": func(t *testing.T, open Opener) {
		if testing.Short() {
			t.Skip("it has 1,000 turns")
		}
		c := newChat(t, open, store.Options{})
		sizes := map[int][2]int{}
		for turn := 1; turn <= 1000; turn++ {
			c.write("hello")
			b := c.begin(turn, 1)
			sizes[turn] = [2]int{len(b.Transcript), b.Older}
			c.commit(reply(b, "hi"))
		}
		require.Equal(t, [2]int{40, 40}, sizes[100])
		require.Equal(t, sizes[100], sizes[1000])
	},
}
