package main

import (
	"context"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
)

// aloud begins a message that is answered with a long text, word by word.
const (
	aloud      = "read aloud"
	aloudWords = 2000
	aloudPace  = 200 // words a second
)

// aloud answers with paragraphs, lists and code.
func (m *instant) aloud(ctx context.Context, deltas func(llm.Delta)) (llm.Response, error) {
	const about = "## Trains\n\n" + answered + "\n\n```go\nfunc leaves(train int) string {\n\treturn times[train] // in the evening\n}\n```\n\n"
	words := strings.SplitAfter(strings.Repeat(about, aloudWords/30), " ")[:aloudWords]
	tick := time.NewTicker(time.Second / aloudPace)
	defer tick.Stop()
	for began, spelled := time.Now(), 0; spelled < len(words); {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
		// What the ticker has missed on a busy machine is made up for.
		for due := min(len(words), int(time.Since(began)*aloudPace/time.Second)); spelled < due; spelled++ {
			deltas(llm.Delta{Text: words[spelled]})
		}
	}
	return llm.Response{Text: strings.Join(words, ""), Usage: core.Usage{Model: "bench", Provider: "bench", InputTokens: 100, OutputTokens: aloudWords}}, nil
}
