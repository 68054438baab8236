package llm

import "encoding/json"

// tokenCount is the usage that a provider reports. Each provider names cached tokens
// differently.
type tokenCount struct {
	input, output   int // input includes cached and written tokens
	cached, written int // parts of input
	counted         bool
}

// UnmarshalJSON reads the usage object of any wire. It ignores an invalid one.
func (t *tokenCount) UnmarshalJSON(data []byte) error {
	type details struct {
		Cached  int `json:"cached_tokens"`
		Written int `json:"cache_write_tokens"` // OpenRouter
	}
	var u *struct {
		Prompt     int `json:"prompt_tokens"`
		Completion int `json:"completion_tokens"`
		Input      int `json:"input_tokens"` // of the Responses API
		Output     int `json:"output_tokens"`

		// OpenAI (https://platform.openai.com/docs/guides/prompt-caching), and most compatible
		// servers.
		PromptDetails *details `json:"prompt_tokens_details"`
		InputDetails  *details `json:"input_tokens_details"`
		// DeepSeek (https://api-docs.deepseek.com/guides/kv_cache).
		Hit int `json:"prompt_cache_hit_tokens"`
		// Moonshot puts it at the top level.
		Cached int `json:"cached_tokens"`
		// Anthropic (https://docs.claude.com/en/docs/build-with-claude/prompt-caching), and proxies
		// in front of it.
		Read    int `json:"cache_read_input_tokens"`
		Created int `json:"cache_creation_input_tokens"`
	}
	if err := json.Unmarshal(data, &u); err != nil || u == nil {
		return nil
	}
	c := tokenCount{input: max(u.Prompt, u.Input), output: max(u.Completion, u.Output)}
	if min(u.Prompt, u.Input, u.Completion, u.Output) < 0 {
		return nil
	}
	c.cached, c.written = max(u.Hit, u.Cached, u.Read), u.Created
	for _, d := range []*details{u.PromptDetails, u.InputDetails} {
		if d != nil {
			c.cached, c.written = max(c.cached, d.Cached), max(c.written, d.Written)
		}
	}
	c.written = max(c.written, 0)
	if u.Read+u.Created > c.input {
		c.input += u.Read + u.Created // Anthropic's input count includes neither
	}
	c.cached = min(c.cached, c.input)
	c.written = min(c.written, c.input-c.cached)
	c.counted = true
	*t = c
	return nil
}
