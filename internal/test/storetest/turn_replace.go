package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// replacing returns a message that replaces the last one.
func (c *chat) replacing(last, text string) store.InboxMessage {
	m := c.message(text)
	m.Replaces = last
	return m
}

func (c *chat) refuses(m store.InboxMessage, want error) {
	c.t.Helper()
	_, err := c.s.Accept(c.ctx, m)
	require.ErrorIs(c.t, err, want)
	_, err = c.s.TurnChanges(c.ctx, c.key, m.Replaces)
	require.ErrorIs(c.t, err, want)
	has, err := c.s.Has(c.ctx, m)
	require.NoError(c.t, err)
	require.False(c.t, has, "the store keeps nothing of a refused message")
}

var turnReplace = map[string]func(*testing.T, Opener){
	"people still see a replaced turn; prompts and summaries leave it out": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		c.commit(reply(c.begin(1, 1), "hi"))
		first := c.with("what is in it?", file("plan.txt", "to Oslo"))
		c.accept(first)
		c.commit(reply(c.begin(2, 1), "a plan"))
		require.NoError(t, c.s.SaveSummary(c.ctx, c.owner(), 2, 1, "they have a plan"))

		again := c.replacing(first.MessageID, "")
		c.accept(again)
		require.True(t, c.accept(again).Duplicate, "the same message again")
		b := c.begin(3, 1)
		require.Equal(t, []string{"user: hello", "assistant: hi"}, texts(b.Transcript)[:2])
		require.Len(t, b.Transcript, 3)
		require.Regexp(t, `^user: what is in it\?\n.*attached: plan.txt`, texts(b.Transcript)[2])
		require.Empty(t, b.Summary)
		c.commit(reply(b, "a journey"))

		all, err := c.s.Transcript(c.ctx, c.owner(), 0)
		require.NoError(t, err)
		var replaced []string
		for _, m := range all {
			if m.Replaced {
				replaced = append(replaced, m.Text)
			}
		}
		require.Len(t, all, 6)
		require.Len(t, replaced, 2)
		require.Equal(t, "a plan", replaced[1])

		edit := c.replacing(again.MessageID, "and when?")
		c.accept(edit)
		c.commit(reply(c.begin(4, 1), "at eight"))
		c.write("thanks")
		require.Equal(t, []string{"user: hello", "assistant: hi", "user: and when?", "assistant: at eight", "user: thanks"}, unattached(c.begin(5, 1).Transcript))

		var replaces []int
		for _, e := range c.events() {
			if e.Type == core.EventMessage {
				replaces = append(replaces, e.Turn)
			}
			if e.Message == again.MessageID {
				require.Equal(t, "what is in it?", e.Text)
				require.Len(t, e.Attached, 1)
				require.Equal(t, c.session, e.Session)
			}
		}
		require.Equal(t, []int{0, 0, 2, 3, 0}, replaces)
	},
	"only the last turn can be replaced, and only after it has ended": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.refuses(c.replacing("nothing", ""), store.ErrNotFound)
		one, two := c.message("one"), c.message("two")
		c.accept(one)
		c.refuses(c.replacing(one.MessageID, ""), store.ErrNotLast) // it waits
		b := c.begin(1, 1)
		c.refuses(c.replacing(one.MessageID, ""), store.ErrNotLast) // it is being answered
		c.commit(reply(b, "1"))
		c.accept(two)
		c.refuses(c.replacing(one.MessageID, ""), store.ErrNotLast) // another waits
		c.commit(reply(c.begin(2, 1), "2"))
		c.refuses(c.replacing(one.MessageID, ""), store.ErrNotLast) // another was answered
		c.accept(c.replacing(two.MessageID, "zwei"))
		other := chatOn(t, c.s, core.WebRoute("other"))
		other.refuses(other.replacing(two.MessageID, ""), store.ErrNotFound)
	},
	"messages that were answered together are answered together again": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("one")
		c.write("two")
		c.commit(reply(c.begin(1, 1), "3"))
		c.refuses(c.replacing("m1", ""), store.ErrNotLast)
		c.accept(c.replacing("m2", "three"))
		require.Equal(t, []string{"user: one", "user: three"}, texts(c.begin(2, 1).Transcript))
	},
	"the next turn has a note about what the replaced turn did, and reports its results": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		m := c.message("look it up and order it")
		c.accept(m)
		in := calls(c.begin(1, 1), "recall", "shop.order", "remember", "web_fetch")
		in.Calls[1].Arguments = `{"query":"eight beds"}`
		in.Planned[0].ReadOnly = true
		c.commit(in)
		for i, result := range []string{"none", "ordered", "error: there is no tool", "error: outcome unknown"} {
			key := core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 1, Step: 1}, Index: i + 1}
			if i != 2 {
				_, err := c.s.BeginTool(c.ctx, key, i == 3)
				require.NoError(t, err)
			}
			require.NoError(t, c.s.CommitTool(c.ctx, key, result))
		}
		started := c.commit(asks(c.begin(1, 2), store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains", Waits: true})).Calls[0].Task
		c.work(started, "at eight")
		c.commit(reply(c.begin(1, 3), "ordered, and the train leaves at eight"))

		changes, err := c.s.TurnChanges(c.ctx, c.key, m.MessageID)
		require.NoError(t, err)
		require.Equal(t, []core.TurnChange{{Tool: "shop.order", About: "eight beds"}, {Tool: "web_fetch"}, {Tool: "call_agent", Task: started, State: core.Completed, Title: "find trains"}}, changes)

		c.accept(c.replacing(m.MessageID, ""))
		b := c.begin(2, 1)
		requireWellFormed(t, b.Transcript)
		said := texts(b.Transcript)
		require.Len(t, said, 3)
		for _, done := range []string{`shop.order "eight beds"`, "web_fetch", "call_agent, task " + string(started) + ` "find trains", completed`} {
			require.Contains(t, said[0], "[done before the answer was replaced: "+done+"]")
		}
		require.Contains(t, said[2], "at eight")
		c.commit(reply(b, "at eight"))
		require.Equal(t, core.WayFold, c.task(started).Way)

		c.accept(c.replacing("m2", "once more"))
		next := texts(c.begin(3, 1).Transcript)
		last := next[len(next)-1]
		require.Equal(t, 1, strings.Count(last, "eight beds"), "the answer after that is told, too: %s", last)
	},
	"a result that was reported to a replaced turn stays in the prompts, and a message in its place cannot be taken back": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("find trains", "sasha"))
		c.work(id, "at eight")
		m := c.message("and?")
		c.accept(m)
		c.commit(reply(c.begin(2, 1), "at eight"))
		require.Equal(t, core.WayFold, c.task(id).Way)
		again := c.replacing(m.MessageID, "")
		c.accept(again)
		require.ErrorIs(t, c.s.Withdraw(c.ctx, c.key, again.MessageID), store.ErrClosed)
		b := c.begin(3, 1)
		requireWellFormed(t, b.Transcript)
		said := texts(b.Transcript)
		require.Contains(t, said[len(said)-2], "at eight")
		require.Equal(t, "user: and?", said[len(said)-1])
		require.Equal(t, core.WayFold, c.task(id).Way)
	},
	"a question of a replaced turn is withdrawn": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("book it")
		in := reply(c.begin(1, 1), "For which day?")
		in.Ask = &store.NewQuestion{Text: "For which day?"}
		c.commit(in)
		asked, err := c.s.Questions(c.ctx, store.QuestionFilter{Person: "ada"})
		require.NoError(t, err)
		require.Len(t, asked, 1)
		c.accept(c.replacing("m1", "book it for Monday"))
		c.begin(2, 1)
		q, err := c.s.Question(c.ctx, asked[0].ID)
		require.NoError(t, err)
		require.Equal(t, core.QuestionWithdrawn, q.State)
		require.Empty(t, q.Answer)
	},
}

// unattached returns texts without the lines about files.
func unattached(messages []core.Message) []string {
	lines := texts(messages)
	for i, line := range lines {
		if at := len("user: and when?"); len(line) > at && line[:at] == "user: and when?" {
			lines[i] = line[:at]
		}
	}
	return lines
}
