package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
	"errand/internal/tools"
)

const promptTurns = 50

// prompts counts which part of a session's input tokens is paid in full where the
// provider keeps prefixes of prompts: 50 turns with the tools and instructions of the
// default roster, in every fifth a tool call, and two compactions.
func (b *bench) prompts(ctx context.Context) error {
	provider := &llmtest.CachingProvider{Answer: answerAtLength}
	server := httptest.NewServer(provider)
	defer server.Close()
	over, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{
		{Name: "caching", Model: "caching", BaseURL: server.URL + "/v1", Accepts: []string{llm.FieldCacheKey}}}}}})
	if err != nil {
		return err
	}
	b.model.over.Store(over)
	defer b.model.over.Store(nil)
	fmt.Fprintf(b.Out, "\n%-42s %10s %10s %10s %12s\n", "input tokens, a provider that caches", "calls", "all", "in full", "share")
	line := func(name string, calls []llmtest.CachedCall) {
		all, full := 0, 0
		for _, c := range calls {
			all, full = all+c.Input, full+c.Input-c.Cached
		}
		fmt.Fprintf(b.Out, "%-42s %10d %10d %10d %10.1f %%\n", name, len(calls), all, full, 100*float64(full)/float64(max(all, 1)))
	}
	for turn := 1; turn <= promptTurns; turn++ {
		before := len(provider.Calls())
		text := fmt.Sprintf("%d. And what about the next train after that one? I would rather not change more than twice on the way.", turn)
		if turn%5 == 0 {
			text += "\n" + use(lookTool, 1)
		}
		if err := send(ctx, b.app, "prompts", text); err != nil {
			return fmt.Errorf("turn %d: %w", turn, err)
		}
		switch calls := provider.Calls(); turn {
		case 10, promptTurns:
			line(fmt.Sprintf("turn %d alone", turn), calls[before:])
			line(fmt.Sprintf("turns 1 to %d", turn), calls)
		}
	}
	return nil
}

// answerAtLength answers as models do, in about a hundred words, and calls the tools
// that it is asked to.
func answerAtLength(call llmtest.CachedCall) llmtest.Reply {
	if len(call.Messages) > 1 {
		last := string(call.Messages[len(call.Messages)-2]) // the very last is errand's note
		if i := strings.Index(last, "use 1 "); i >= 0 && strings.Contains(last, `"user"`) {
			return llmtest.Reply{Calls: []core.ToolCall{{ID: "c1", Name: tools.WireName(lookTool), Arguments: "{}"}}}
		}
	}
	return llmtest.Text(strings.TrimSpace(strings.Repeat("The night train leaves at 19:52, and it arrives at 09:40 in the morning. ", 8)))
}
