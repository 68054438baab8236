package llmtest

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/llm"
)

func TestTheScriptIsFollowed(t *testing.T) {
	boom := errors.New("boom")
	m := NewModel(Reply{Text: "ab", Deltas: []string{"a", "b"}}, Fail(boom)).Then(Call("1", "recall", "{}"))
	var deltas []llm.Delta
	got, err := m.Complete(t.Context(), llm.Request{System: "one"}, func(d llm.Delta) { deltas = append(deltas, d) })
	require.NoError(t, err)
	require.Equal(t, "ab", got.Text)
	require.Equal(t, []llm.Delta{{Text: "a"}, {Text: "b"}}, deltas)
	_, err = m.Complete(t.Context(), llm.Request{}, nil)
	require.ErrorIs(t, err, boom)
	got, err = m.Complete(t.Context(), llm.Request{}, nil)
	require.NoError(t, err)
	require.Equal(t, "recall", got.Calls[0].Name)
	_, err = m.Complete(t.Context(), llm.Request{}, nil)
	require.ErrorIs(t, err, ErrScriptOver)
	require.Equal(t, "one", m.Requests()[0].System)
	require.Len(t, m.Requests(), 4)
}

func TestABlockedModelWaits(t *testing.T) {
	m := Func(func(context.Context, llm.Request) Reply { return Text("hi") })
	release := m.Block()
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			_, err := m.Complete(t.Context(), llm.Request{}, nil)
			assert.NoError(t, err)
		})
	}
	require.NoError(t, m.Await(t.Context(), 20))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := m.Complete(ctx, llm.Request{}, nil)
	require.ErrorIs(t, err, context.Canceled)
	release()
	release()
	wg.Wait()
	_, err = m.Complete(t.Context(), llm.Request{}, nil)
	require.NoError(t, err)
}
