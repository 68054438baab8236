package llm

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFieldsWhereTheyAreKnown proves that a provider is sent only what it takes: many
// refuse a request for a field that they do not know.
func TestFieldsWhereTheyAreKnown(t *testing.T) {
	const all = `high low key`
	for _, tt := range []struct{ base, model, want string }{
		{"https://api.openai.com/v1", "gpt-5-mini", all},
		{"https://oslo.openai.azure.com/v1", "gpt-6-luna", all},
		{"https://api.openai.com/v1", "o3", "high  key"},
		{"https://api.openai.com/v1", "gpt-5-chat-latest", "  key"},
		{"https://api.openai.com/v1", "gpt-4.1", "  key"},
		{"https://openrouter.ai/api/v1", "openai/gpt-5-mini", "high low "},
		{"https://generativelanguage.googleapis.com/v1beta/openai", "gemini-3-pro", "high  "},
		{"https://api.moonshot.ai/v1", "kimi-k2", "  key"},
		{"https://api.mistral.ai/v1", "mistral-large", "  "},
		{"https://api.groq.com/openai/v1", "openai/gpt-oss-120b", "high  "},
		{"https://api.groq.com/openai/v1", "llama-3.3-70b", "  "},
		{"http://127.0.0.1:11434/v1", "gpt-oss:20b", "high  "},
		{"http://127.0.0.1:11434/v1", "qwen3:8b", "  "},
	} {
		request, err := chatRequest(Request{CacheKey: "key", Effort: "high", Verbosity: "low"}, Provider{BaseURL: tt.base, Model: tt.model}, 0, new(encodedTools))
		require.NoError(t, err)
		body, err := json.Marshal(request)
		require.NoError(t, err)
		var sent struct {
			Effort    string `json:"reasoning_effort"`
			Verbosity string `json:"verbosity"`
			Key       string `json:"prompt_cache_key"`
		}
		require.NoError(t, json.Unmarshal(body, &sent))
		over, err := json.Marshal(responsesRequest(Request{CacheKey: "key", Effort: "high", Verbosity: "low"}, Provider{BaseURL: tt.base, Model: tt.model}, 0))
		require.NoError(t, err)
		var responses struct {
			Reasoning struct{ Effort string }
			Text      struct{ Verbosity string }
			Key       string `json:"prompt_cache_key"`
		}
		require.NoError(t, json.Unmarshal(over, &responses))
		require.Equal(t, tt.want, responses.Reasoning.Effort+" "+responses.Text.Verbosity+" "+responses.Key, "%s %s", tt.base, tt.model)
		require.Equal(t, tt.want, sent.Effort+" "+sent.Verbosity+" "+sent.Key, "%s %s", tt.base, tt.model)
	}
	f := fieldsFor(Request{CacheKey: "key", Effort: "high", Verbosity: "low"}, Provider{BaseURL: "http://127.0.0.1:1/v1", Model: "m", Accepts: []string{FieldEffort}})
	require.Equal(t, fields{effort: "high"}, f)
}
