package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var attempts = map[string]func(*testing.T, Opener){
	"attempts at a step are counted until it has its outcome": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		b := c.begin(1, 1)
		require.Equal(t, store.Attempts{Number: 1}, b.Attempts)
		lost := []core.Usage{{Model: "m", Provider: "p", InputTokens: 30, Cost: 0.25}}
		require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: b, Usage: lost, Tried: 5 * time.Second, Trouble: "it is down"}))
		b = c.begin(1, 1)
		require.Equal(t, store.Attempts{Number: 2, Tried: 5 * time.Second}, b.Attempts)
		require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: b, Tried: time.Minute}))
		b = c.begin(1, 1)
		require.Equal(t, store.Attempts{Number: 3, Tried: 65 * time.Second}, b.Attempts)
		c.commit(reply(b, "hi"))
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: b.Root})
		require.NoError(t, err)
		require.Equal(t, store.Amount{Calls: 2, Tokens: 130, Cost: 0.75, Cached: 60}, spent)
		session, err := c.s.Spent(c.ctx, store.SpentBy{Session: c.session})
		require.NoError(t, err)
		require.Equal(t, spent, session, "usage has the same")
		c.write("more")
		require.Equal(t, store.Attempts{Number: 1}, c.begin(2, 1).Attempts, "the next step begins anew")
	},
	"attempts whose worker died are booked once": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		c.begin(1, 1)
		c.begin(1, 1)
		b := c.begin(1, 1)
		require.Equal(t, store.Attempts{Number: 3, Uncounted: 2}, b.Attempts)
		lost := []core.Usage{{InputTokens: 30}, {InputTokens: 30}}
		require.NoError(t, c.s.CountUncounted(c.ctx, b, lost))
		require.NoError(t, c.s.CountUncounted(c.ctx, b, lost))
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: b.Root})
		require.NoError(t, err)
		require.Equal(t, store.Amount{Calls: 2, Tokens: 60}, spent)
		require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: b, Tried: time.Second}))
		require.Equal(t, store.Attempts{Number: 4, Tried: time.Second}, c.begin(1, 1).Attempts)
	},
	"an attempt without a model call is taken back": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{Turn: store.Amount{Calls: 1}}})
		c.write("hello")
		for range 3 {
			b := c.begin(1, 1)
			require.Equal(t, store.Attempts{Number: 1}, b.Attempts)
			require.NoError(t, c.s.ReturnAttempt(c.ctx, b))
		}
		b := c.begin(1, 1)
		require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: b, Tried: time.Second}))
		require.NoError(t, c.s.ReturnAttempt(c.ctx, c.begin(1, 1)))
		b = c.begin(1, 1)
		require.Equal(t, store.Attempts{Number: 2, Tried: time.Second}, b.Attempts)
		c.commit(reply(b, "hi"))
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: b.Root})
		require.NoError(t, err)
		require.Equal(t, 1, spent.Calls, "the step reserved one call at a time")
	},
	"failed attempts use a budget up": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{Turn: store.Amount{Calls: 2}}})
		c.write("hello")
		lost := []core.Usage{{InputTokens: 30}}
		require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: c.begin(1, 1), Usage: lost}))
		b := c.begin(1, 1)
		var over *store.BudgetError
		require.ErrorAs(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: b, Usage: lost}), &over)
		require.Equal(t, store.BudgetError{Budget: "turn", What: "calls", Limit: 2}, *over)
		c.commit(store.CommitStep{Step: b, Text: "no more", Failed: true})
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: b.Root})
		require.NoError(t, err)
		require.Equal(t, 2, spent.Calls)
	},
	"a person is told once for each request that the model is down": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		told := func() (n int) {
			list, err := c.s.Events(c.ctx, c.key, 0, 100)
			require.NoError(t, err)
			for _, e := range list {
				if e.Cause == core.ModelDown {
					require.Zero(t, e.Turn, "the turn goes on")
					n++
				}
			}
			return n
		}
		id := c.delegate(1, to("trains", "sasha"))
		down := store.FailedAttempt{Trouble: "it is down", Notice: "It is down. I will answer."}
		for range 2 {
			down.Step = c.sub(id, "sasha", 1, 1)
			require.NoError(t, c.s.CountAttempt(c.ctx, down))
		}
		require.Equal(t, 1, told(), "of a sub-agent, in the chat of its request")
		down.Step = c.begin(1, 2)
		require.NoError(t, c.s.CountAttempt(c.ctx, down))
		require.Equal(t, 1, told(), "of the same request")
		c.commit(reply(c.begin(1, 2), "hi"))
		c.write("and now?")
		down.Step = c.begin(2, 1)
		require.NoError(t, c.s.CountAttempt(c.ctx, down))
		require.Equal(t, 2, told(), "of another request")
	},
	"a task says why its model does not answer, until it does": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		b := c.sub(id, "sasha", 1, 1)
		require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: b, Trouble: "it is down", Usage: []core.Usage{{InputTokens: 30}}}))
		require.Equal(t, "it is down", c.task(id).Trouble)
		require.Equal(t, 1, c.task(id).ModelCalls)
		c.commit(asks(c.sub(id, "sasha", 1, 1), to("more", "finn")))
		require.Empty(t, c.task(id).Trouble)
		b = c.sub(id, "sasha", 1, 2)
		require.NoError(t, c.s.CountAttempt(c.ctx, store.FailedAttempt{Step: b, Trouble: "it is down"}))
		_, _, err := c.s.FinishTask(c.ctx, id, core.Canceled, "enough")
		require.NoError(t, err)
		require.Empty(t, c.task(id).Trouble, "it is over")
	},
}
