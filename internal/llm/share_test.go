package llm_test

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/test/llmtest"
)

// TestSharedPause proves that a provider which asked one worker not to be called for a
// while is not called by another either, and that its key is not told.
func TestSharedPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		paused := map[string]time.Duration{}
		worker := func(answer http.HandlerFunc) (*llm.Client, *int) {
			calls := 0
			c, err := llm.New(llm.Config{
				Pause: func(provider string, wait time.Duration) { paused[provider] = wait },
				Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{
					Name: "only", BaseURL: Address, Model: "m", APIKey: "sk-secret", HTTPClient: InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { calls++; answer(w, r) })),
				}}}},
			})
			require.NoError(t, err)
			return c, &calls
		}
		one, _ := worker(Status(429, "x", "slow", "Retry-After", "30"))
		two, calls := worker(Answer("hi"))
		_, err := one.Complete(t.Context(), llm.Request{Model: "default"}, nil)
		require.Error(t, err)
		require.Len(t, paused, 1)
		for name, wait := range paused {
			require.NotContains(t, name, "secret")
			require.Equal(t, 30*time.Second, wait)
		}
		time.Sleep(10 * time.Second)
		for name := range paused {
			paused[name] -= 10 * time.Second
		}
		two.Share(2, paused)
		_, err = two.Complete(t.Context(), llm.Request{Model: "default"}, nil)
		var e *llm.Error
		require.True(t, errors.As(err, &e), "%v", err)
		require.Equal(t, 20*time.Second, e.RetryAfter)
		require.Zero(t, *calls)
		time.Sleep(20 * time.Second)
		two.Share(2, nil)
		_, err = two.Complete(t.Context(), llm.Request{Model: "default"}, nil)
		require.NoError(t, err)
	})
}
