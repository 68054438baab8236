package llm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
)

// TestEstimatesLearn proves that tokens are estimated by what the provider last counted:
// in this process, or in one before.
func TestEstimatesLearn(t *testing.T) {
	answer := func(usage string) llmtest.Behaviour {
		return llmtest.Events(llmtest.TextEvent("hi"), llmtest.FinishEvent("stop"), usage, "[DONE]")
	}
	counts := func(n int) llmtest.Behaviour {
		return answer(fmt.Sprintf(`{"usage":{"prompt_tokens":%d,"completion_tokens":1}}`, n))
	}
	silent := answer(`{"choices":[]}`)
	s := llmtest.NewServer(t, counts(2000), silent, counts(1), silent)
	open := func() *llm.Client {
		c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{Model: "m", Name: "home", BaseURL: s.BaseURL()}}}}})
		require.NoError(t, err)
		return c
	}
	c := open()
	r := llm.Request{Model: "default", Messages: []core.Message{{Speaker: core.FromPerson, Text: strings.Repeat("word", 1000)}}}
	guess := llm.Estimate(r)
	call := func() core.Usage {
		t.Helper()
		out, err := c.Complete(t.Context(), r, nil)
		require.NoError(t, err)
		return out.Usage
	}
	require.InDelta(t, 1, c.Scale("default"), 0)
	counted := call()
	require.Equal(t, [2]int{2000, guess}, [2]int{counted.InputTokens, counted.EstimatedTokens})
	require.InDelta(t, 2, c.Scale("default"), 0.05)
	require.InDelta(t, 2000, call().InputTokens, 1, "nobody counted: an estimate")
	require.Equal(t, 1, call().InputTokens)
	require.InDelta(t, 0.25, c.Scale("default"), 0, "no count makes estimates vanish")

	c = open()
	c.Calibrate([]core.Usage{counted, {Model: "m", Provider: "elsewhere", InputTokens: 1, EstimatedTokens: 9000}})
	uncounted := call()
	require.InDelta(t, 2000, uncounted.InputTokens, 1)
	require.Zero(t, uncounted.EstimatedTokens, "an estimate is nothing to learn from")
	require.InDelta(t, 1, c.Scale("unknown"), 0)
}
