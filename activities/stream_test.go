package activities

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/test/llmtest"
)

// TestStreamedWithoutNonce proves that nobody reads the nonce of a prompt while an agent
// speaks, however its pieces are cut, and that nothing else is lost of what it says.
func TestStreamedWithoutNonce(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	k.accept("hello")
	b, err := k.Store.BeginStep(t.Context(), store.BeginStep{Key: k.step(1, 1).Key, Session: k.key, Rows: store.ClaimAll, Window: 60})
	require.NoError(t, err)
	nonce := string(b.Nonce)
	require.NotEmpty(t, nonce)
	wrote := "see [" + nonce + " attached: a], the word " + nonce[len("§"):] + " and §"
	events, stop := k.Store.Bus().Subscribe(k.key)
	defer stop()
	for _, size := range []int{1, 2, 3, 5, 100} {
		var pieces []string
		for rest := wrote; rest != ""; {
			n := min(size, len(rest))
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		k.model.Then(llmtest.Reply{Text: wrote, Deltas: pieces})
		answer, _, err := k.ask(t.Context(), b, false)
		require.NoError(t, err)
		require.Equal(t, "see [attached: a], the word  and §", answer.Text)
		require.Equal(t, answer.Text, publishedSoFar(events, k))
	}
	k.change(func(d *Deps) { d.Model = restarting{"half an answer " + nonce[:4], "whole"} })
	_, _, err = k.ask(t.Context(), b, false)
	require.NoError(t, err)
	require.Equal(t, "half an answer |whole", publishedSoFar(events, k), "what was held back is not there any more")
}

// publishedSoFar is what was streamed; "|" is where it begins anew.
func publishedSoFar(events <-chan core.Event, k *thinker) string {
	const mark = "until now"
	k.Store.Bus().Publish(core.Event{Type: core.EventStep, Key: k.key, Text: mark})
	var text strings.Builder
	for e := range events {
		switch {
		case e.Type == core.EventDelta:
			text.WriteString(e.Text)
		case e.Type == core.EventReset:
			text.WriteString("|")
		case e.Text == mark:
			return text.String()
		}
	}
	return text.String()
}

type restarting struct{ first, second string }

func (r restarting) Complete(_ context.Context, _ llm.Request, send func(llm.Delta)) (llm.Response, error) {
	send(llm.Delta{Text: r.first})
	send(llm.Delta{Reset: true})
	send(llm.Delta{Text: r.second})
	return llm.Response{Text: r.second}, nil
}

// TestRepliesThatEndEarly proves that the event of a reply says why it is not whole.
func TestRepliesThatEndEarly(t *testing.T) {
	for want, reply := range map[string]llmtest.Reply{
		"":            llmtest.Text("whole"),
		core.CutOff:   {Text: "once upon a", Truncated: true},
		core.Withheld: {Text: "the first half", Filtered: true},
	} {
		k := newThinker(t, core.Member, store.Limits{})
		k.accept("hello")
		k.model.Then(reply)
		_, err := k.Think(t.Context(), k.step(1, 1))
		require.NoError(t, err)
		told := k.last()
		require.Equal(t, core.EventReply, told.Type)
		require.Equal(t, reply.Text, told.Text)
		require.Equal(t, want, told.Cause)
	}
}
