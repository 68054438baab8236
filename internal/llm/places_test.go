package llm_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/test/llmtest"
)

// TestWaitingCalls proves that calls of one person leave places at a provider to others, that
// a call which waits is told so, and that two models of one server share its places.
func TestWaitingCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := make(chan struct{})
		at := func(concurrency int) llm.Model {
			return llm.Model{Providers: []llm.Provider{{Name: "only", BaseURL: Address, Model: "m", Concurrency: concurrency,
				HTTPClient: InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { Answer("hi")(w, r) }))}}}
		}
		c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": at(4)}})
		require.NoError(t, err)
		begun, done := map[string]int{}, make(chan error, 100)
		waits := map[string][]bool{}
		call := func(ctx context.Context, person string, guest bool) {
			r := hello()
			r.For, r.Guest = person, guest
			r.Waits = func(waiting bool) { waits[person] = append(waits[person], waiting) }
			go func() {
				_, err := c.Complete(ctx, r, func(llm.Delta) { begun[person]++; <-end })
				done <- err
			}()
			synctest.Wait()
		}
		for range 3 {
			call(t.Context(), "guest", true)
		}
		call(t.Context(), "ada", false)
		require.Equal(t, map[string]int{"guest": 2, "ada": 1}, begun)
		require.Equal(t, map[string][]bool{"guest": {true}}, waits)
		close(end)
		for range 4 {
			require.NoError(t, <-done)
		}
		require.Equal(t, []bool{true, false}, waits["guest"])
	})
}
