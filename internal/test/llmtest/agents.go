package llmtest

import (
	"context"
	"strings"

	"errand/internal/core"
	"errand/internal/llm"
)

// Speaker returns who a request has speak, by instructions that begin with
// "You are Sasha, …".
func Speaker(r llm.Request) string {
	_, rest, _ := strings.Cut(r.System, "You are ")
	name, _, _ := strings.Cut(rest, ",")
	return name
}

// HandingOver answers as agents who hand over what begins with "hand over to X",
// and otherwise say who they are and what they heard.
func HandingOver() *Model {
	return Func(func(_ context.Context, r llm.Request) Reply {
		last := r.Messages[len(r.Messages)-1]
		if to, ok := strings.CutPrefix(last.Text, "hand over to "); ok && last.Speaker == core.FromPerson {
			return Call("c1", "transfer_to_agent", `{"agent":"`+to+`","reason":"it is their trade"}`)
		}
		result := ""
		for _, m := range r.Messages {
			if m.Speaker == core.FromPerson {
				result = m.Text
			}
		}
		return Text(Speaker(r) + " heard: " + result)
	})
}
