package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store"
)

var lists = map[string]func(*testing.T, Opener){
	"lists: each change of a task or question is told to those whose it is, once it is committed": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		changed, cancel := c.s.Bus().SubscribeLists("ada")
		defer cancel()
		others, cancel := c.s.Bus().SubscribeLists("bob")
		defer cancel()
		tells := func(want events.Lists, what string, do func()) {
			t.Helper()
			take(changed)
			take(others)
			do()
			mine, theirs := take(changed), take(others)
			if mine == events.AllLists || theirs == events.AllLists {
				return // workers may have missed something of each other: nothing is claimed of one change
			}
			require.Equal(t, want, mine, what)
			require.Zero(t, theirs&events.Tasks, "%s: another's tasks have not changed", what)
		}
		var task core.TaskID
		var q core.Question
		tells(events.Tasks, "a task", func() { task = c.delegate(1, to("trains", "sasha")) })
		tells(events.Tasks|events.Questions, "a question", func() { q = c.ask(task, 1, store.NewQuestion{Text: "Which day?"}) })
		tells(events.Tasks, "what is added", func() { c.add(task, "k", "by night") })
		tells(events.Tasks|events.Questions, "an answer", func() {
			c.close(store.CloseQuestion{ID: q.ID, State: core.QuestionAnswered, Answer: "Monday", By: "ada", In: "web"})
		})
		tells(events.Tasks, "what a step has used", func() {
			in := calls(c.sub(task, "sasha", 1, 2), "look")
			in.Usage = []core.Usage{{Model: "m", InputTokens: 5}}
			c.commit(in)
		})
		tells(events.Tasks, "what is wrong", func() {
			require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: c.sub(task, "sasha", 1, 3), Tried: time.Second, Trouble: "it is down"}))
		})
		tells(events.Tasks, "its end", func() { c.commit(reply(c.sub(task, "sasha", 1, 3), "at nine")) })
		tells(0, "reading", func() {
			_, err := c.s.Questions(c.ctx, store.QuestionFilter{Person: "ada"})
			require.NoError(t, err)
		})
	},
	"lists: what is withdrawn with a task is told": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id, _ := asking(c, store.NewQuestion{Text: "Which day?"})
		changed, cancel := c.s.Bus().SubscribeLists("ada")
		defer cancel()
		_, err := c.s.CloseTask(c.ctx, id, "no need", true)
		require.NoError(t, err)
		require.Subset(t, []events.Lists{events.Tasks | events.Questions, events.AllLists}, []events.Lists{take(changed)})
	},
	"lists: a delivery that a person has to decide about is told to all": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		c.write("hello")
		c.commit(reply(c.begin(1, 1), "hello to you"))
		rows, err := c.s.Deliveries(c.ctx, nil, store.Page{})
		require.NoError(t, err)
		require.Len(t, rows, 1)
		changed, cancel := c.s.Bus().SubscribeLists("bob")
		defer cancel()
		take(changed)
		require.NoError(t, c.s.MarkBlocked(c.ctx, rows[0].ID, "no such chat", false))
		require.NotZero(t, take(changed)&events.Deliveries)
		require.NoError(t, c.s.Dismiss(c.ctx, rows[0].ID))
		require.NotZero(t, take(changed)&events.Deliveries)
	},
}

// take returns what was told and not taken, if anything was.
func take(changed <-chan events.Lists) events.Lists {
	select {
	case lists := <-changed:
		return lists
	default:
		return 0
	}
}
