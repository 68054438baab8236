package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// Tests of what providers hand out: data for the next request, and answers in the
// background.
var pending = map[string]func(*testing.T, Opener){
	"what a provider wants back is for its model only": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("search")
		in := calls(c.begin(1, 1), "a")
		in.State = &core.ProviderState{For: "oslo", Data: []byte(`{"reasoning_content":"secret \u0000"}`)}
		c.commit(in)
		b := c.begin(1, 2)
		require.Equal(t, in.State, b.Transcript[1].State)
		require.Nil(t, b.Transcript[0].State)
		c.commit(reply(b, "done"))

		shown, err := c.s.Transcript(c.ctx, c.owner(), 0)
		require.NoError(t, err)
		exported, err := c.s.Export(c.ctx, c.session)
		require.NoError(t, err)
		for _, list := range [][]core.Message{shown, exported.Messages} {
			require.NotEmpty(t, list)
			for _, m := range list {
				require.Nil(t, m.State)
			}
		}
	},
	"a transcript has a bounded part that providers want back, the latest": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("search")
		for step := 1; step <= 5; step++ {
			in := calls(c.begin(1, step), "a")
			in.State = &core.ProviderState{For: "oslo", Data: []byte(strings.Repeat("x", 1<<20))}
			c.commit(in)
		}
		var kept []bool
		for _, m := range c.begin(1, 6).Transcript {
			if m.Speaker == core.FromAgent {
				kept = append(kept, m.State != nil)
			}
		}
		require.Equal(t, []bool{false, true, true, true, true}, kept)
	},
	"an answer that a provider works on is found by the next attempt": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		b := c.begin(1, 1)
		require.Empty(t, b.Pending)
		p := core.PendingResponse{ID: "resp_1", Provider: "oslo", Prompt: "x"}
		require.NoError(t, c.s.KeepPending(c.ctx, b, p))
		b = c.begin(1, 1)
		require.Equal(t, p, b.Pending)
		require.Empty(t, abandoned(c), "its turn is open")
		p.ID = "resp_2"
		require.NoError(t, c.s.KeepPending(c.ctx, b, p))
		require.NoError(t, c.s.KeepPending(c.ctx, b, core.PendingResponse{}))
		require.Empty(t, c.begin(1, 1).Pending)
		require.NoError(t, c.s.KeepPending(c.ctx, b, p))
		b = c.begin(1, 1)
		c.commit(reply(b, "hi"))
		require.Empty(t, abandoned(c), "it is answered")
	},
	"an answer whose turn was stopped is abandoned": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		b := c.begin(1, 1)
		p := core.PendingResponse{ID: "resp_1", Provider: "oslo", Prompt: "x"}
		require.NoError(t, c.s.KeepPending(c.ctx, b, p))
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, store.StoppedTurn))
		list := abandoned(c)
		require.Equal(t, []store.Abandoned{{Key: b.Key, Response: p}}, list)
		require.ErrorIs(t, c.s.KeepPending(c.ctx, b, p), store.ErrClosed)
		require.NoError(t, c.s.ForgetAbandoned(c.ctx, list[0]))
		require.Empty(t, abandoned(c))
	},
	"an answer of a task that was canceled is abandoned": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		b := c.sub(id, "sasha", 1, 1)
		require.NoError(t, c.s.KeepPending(c.ctx, b, core.PendingResponse{ID: "resp_1", Provider: "oslo", Prompt: "x"}))
		_, _, err := c.s.FinishTask(c.ctx, id, core.Canceled, "enough")
		require.NoError(t, err)
		require.Len(t, abandoned(c), 1)
	},
	"an answer whose step failed is abandoned": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("hello")
		b := c.begin(1, 1)
		require.NoError(t, c.s.KeepPending(c.ctx, b, core.PendingResponse{ID: "resp_1", Provider: "oslo", Prompt: "x"}))
		b = c.begin(1, 1)
		c.commit(store.CommitStep{Step: b, Text: "no answer", Failed: true})
		require.Len(t, abandoned(c), 1)
	},
}

func abandoned(c *chat) []store.Abandoned {
	list, err := c.s.Abandoned(c.ctx)
	require.NoError(c.t, err)
	return list
}
