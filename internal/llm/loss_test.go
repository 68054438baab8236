package llm_test

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/test/llmtest"
)

// TestWhatAFailedCallCosts proves that what a provider was given counts if it may
// have worked on it, and only then.
func TestWhatAFailedCallCosts(t *testing.T) {
	input := llm.Estimate(hello())
	for _, tt := range []struct {
		name   string
		behave Behaviour
		reason llm.Reason
		input  int
		output int
		took   time.Duration
	}{
		{"silent", Silence(), llm.Silent, input, 0, 10 * time.Minute},
		{"stalled", Silence(TextEvent("half an answer!!")), llm.Stalled, input, 4, time.Minute},
		{"broken off", Cut(TextEvent("half an answer!!")), llm.BrokenOff, input, 4, 0},
		{"empty", Empty(), llm.Empty, input, 0, 0},
		{"refused", Status(401, "x", "no"), llm.BadKey, 0, 0, 0},
		{"rejected", Status(400, "x", "no"), llm.Rejected, 0, 0, 0},
		{"no model", Status(404, "x", "no"), llm.NoModel, 0, 0, 0},
		{"no provider", HTML(404), llm.NoProvider, 0, 0, 0},
		{"overloaded", Status(503, "x", "no"), llm.Unavailable, 0, 0, 0},
		{"too many", Status(429, "x", "no"), llm.TooMany, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, _ := handled("only", tt.behave)
				_, err := withDefaultTimes(t, p).Complete(t.Context(), hello(), nil)
				var e *llm.Error
				require.ErrorAs(t, err, &e)
				require.Equal(t, tt.reason, e.Why())
				lost := llm.Lost(err)
				require.InDelta(t, tt.took, lost.Took, float64(10*time.Second))
				if tt.input == 0 {
					require.Empty(t, lost.Usage)
					return
				}
				require.Len(t, lost.Usage, 1)
				require.Equal(t, "only", lost.Usage[0].Provider)
				require.Equal(t, tt.input, lost.Usage[0].InputTokens)
				require.Equal(t, tt.output, lost.Usage[0].OutputTokens)
			})
		})
	}
}

func TestACallThatCouldNotBeMadeCostsNothing(t *testing.T) {
	c := client(t, llm.Provider{Name: "gone", BaseURL: "http://127.0.0.1:1/v1", Model: "m"})
	_, err := c.Complete(t.Context(), hello(), nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.NoConnection, e.Why())
	require.Empty(t, e.Lost.Usage)
}

// TestACanceledCall proves that a call which its caller ends is counted, and one
// that has only waited is not.
func TestACanceledCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := handled("only", Silence())
		p.Concurrency = 1
		c := withDefaultTimes(t, p)
		ctx, cancel := context.WithCancel(t.Context())
		lost := make(chan llm.Loss, 2)
		for range 2 {
			go func() {
				_, err := c.Complete(ctx, hello(), nil)
				lost <- llm.Lost(err)
			}()
			synctest.Wait()
		}
		time.Sleep(20 * time.Second)
		cancel()
		var counted []llm.Loss
		for range 2 {
			if l := <-lost; len(l.Usage) > 0 {
				counted = append(counted, l)
			} else {
				require.Zero(t, l.Took, "time at the gate is not the model's")
			}
		}
		require.Len(t, counted, 1)
		require.Equal(t, 20*time.Second, counted[0].Took)
	})
}

func TestFailuresBeforeAnAnswerAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, _ := handled("first", Silence())
		second, _ := handled("second", Answer("hi"))
		got, err := withDefaultTimes(t, first, second).Complete(t.Context(), hello(), nil)
		require.NoError(t, err)
		require.Len(t, got.BrokenOff, 1)
		require.Equal(t, "first", got.BrokenOff[0].Provider)
	})
}

// TestTimesOfAProvider proves that each provider has its own patience.
func TestTimesOfAProvider(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, _ := handled("only", Silence())
		p.FirstToken = 3 * time.Minute
		begin := time.Now()
		_, err := withDefaultTimes(t, p).Complete(t.Context(), hello(), nil)
		require.ErrorContains(t, err, "no answer began within 3m0s")
		require.Equal(t, 3*time.Minute, time.Since(begin))
		p, _ = handled("only", Silence(TextEvent("hi")))
		p.Idle = 5 * time.Second
		begin = time.Now()
		_, err = withDefaultTimes(t, p).Complete(t.Context(), hello(), nil)
		require.ErrorContains(t, err, "stopped for 5s")
		require.Equal(t, 5*time.Second, time.Since(begin))
	})
}

// TestAnEndlessAnswer proves that an answer which streams for hours is taken as
// far as it has come, and not paid for again.
func TestAnEndlessAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, calls := handled("only", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				Events(TextEvent("word "))(w, r)
				select {
				case <-time.After(30 * time.Second):
				case <-r.Context().Done():
				}
			}
		})
		begin := time.Now()
		got, err := withDefaultTimes(t, p).Complete(t.Context(), hello(), nil)
		require.NoError(t, err)
		require.True(t, got.Truncated)
		require.InDelta(t, 2*time.Hour, time.Since(begin), float64(time.Minute))
		require.Equal(t, 1, *calls)
	})
}
