package llm_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
)

// TestCachedTokens proves that what a provider says of its cache is understood in each
// one's words, and has the price that is configured for it.
func TestCachedTokens(t *testing.T) {
	for _, tt := range []struct {
		name, usage    string
		input          int
		cached, writes int
	}{
		{"OpenAI", `{"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 1920}, "completion_tokens_details": {"reasoning_tokens": 0}}`, 2006, 1920, 0},
		{"OpenRouter", `{"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 900, "cache_write_tokens": 100}}`, 2006, 900, 100},
		{"DeepSeek", `{"prompt_tokens": 2006, "completion_tokens": 300, "prompt_cache_hit_tokens": 1984, "prompt_cache_miss_tokens": 22}`, 2006, 1984, 0},
		{"Moonshot", `{"prompt_tokens": 2006, "completion_tokens": 300, "cached_tokens": 512}`, 2006, 512, 0},
		{"a proxy to Anthropic", `{"prompt_tokens": 2006, "completion_tokens": 300, "cache_read_input_tokens": 1500, "cache_creation_input_tokens": 400}`, 2006, 1500, 400},
		{"Anthropic's own count", `{"prompt_tokens": 6, "completion_tokens": 300, "cache_read_input_tokens": 1500, "cache_creation_input_tokens": 500}`, 2006, 1500, 500},
		{"none", `{"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": null}`, 2006, 0, 0},
		{"more than there was", `{"prompt_tokens": 2006, "completion_tokens": 300, "prompt_tokens_details": {"cached_tokens": 9999}}`, 2006, 2006, 0},
		{"less than nothing", `{"prompt_tokens": 2006, "completion_tokens": 300, "prompt_cache_hit_tokens": -7}`, 2006, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := llmtest.NewServer(t, llmtest.Events(llmtest.TextEvent("hi"), llmtest.FinishEvent("stop"), fmt.Sprintf(`{"choices":[],"usage":%s}`, tt.usage), "[DONE]"))
			cached, write := 0.1, 2.0
			c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {
				Providers: []llm.Provider{{Model: "m", BaseURL: s.BaseURL(), Price: &llm.Price{Input: 1, Output: 10, Cached: &cached, Write: &write}}},
			}}})
			require.NoError(t, err)
			r, err := c.Complete(t.Context(), llm.Request{Model: "default", Messages: []core.Message{{Speaker: core.FromPerson, Text: "hello"}}}, nil)
			require.NoError(t, err)
			require.Equal(t, [3]int{tt.input, tt.cached, tt.writes}, [3]int{r.Usage.InputTokens, r.Usage.CachedTokens, r.Usage.WrittenTokens})
			want := (float64(tt.input-tt.cached-tt.writes) + 0.1*float64(tt.cached) + 2*float64(tt.writes) + 10*300) / 1e6
			require.InDelta(t, want, r.Usage.Cost, 1e-12)
		})
	}
	s := llmtest.NewServer(t, llmtest.Body(200, "application/json", `{"object": "response", "id": "r1", "status": "completed",
		"output": [{"type": "message", "content": [{"type": "output_text", "text": "hi"}]}],
		"usage": {"input_tokens": 2006, "input_tokens_details": {"cached_tokens": 1920}, "output_tokens": 300}}`))
	c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{Model: "m", BaseURL: s.BaseURL(), API: llm.APIResponses}}}}})
	require.NoError(t, err)
	r, err := c.Complete(t.Context(), llm.Request{Model: "default", Messages: []core.Message{{Speaker: core.FromPerson, Text: "hello"}}}, nil)
	require.NoError(t, err)
	require.Equal(t, [3]int{2006, 1920, 300}, [3]int{r.Usage.InputTokens, r.Usage.CachedTokens, r.Usage.OutputTokens}, "the Responses API")
	require.InDelta(t, 1.0, llm.Price{Input: 1}.Cost(core.Usage{InputTokens: 1e6, CachedTokens: 5e5, WrittenTokens: 1e5}), 1e-12, "no price for the cache: that of other input")
}
