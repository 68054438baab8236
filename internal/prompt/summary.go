package prompt

import (
	"fmt"
	"strings"

	"errand/internal/core"
)

// Summarise is the system prompt of a model that summarises a conversation.
const Summarise = "Summarize this conversation for the agent that continues it. Keep names, numbers, decisions, promises, task ids and open questions. " +
	"Write notes, at most 300 words."

// ToSummarise returns the text to summarise: the last summary and the messages since.
func ToSummarise(before string, messages []core.Message) string {
	var text strings.Builder
	if before != "" {
		fmt.Fprintf(&text, "Summary of the earlier conversation:\n%s\n\n", before)
	}
	for _, m := range messages {
		fmt.Fprintf(&text, "%s: %s\n", m.Speaker, core.Cut(core.Unmarked(m.Text), 4000))
	}
	return text.String()
}
