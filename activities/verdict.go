package activities

import (
	"cmp"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/tools"
)

func decides(b *store.StepInput) bool {
	return b.Task != nil && b.Task.Policy.CountsVerdicts()
}

// verdict handles the answer of an agent that must give a verdict. If it submitted one, the verdict
// ends its work. If its turn would end without one, the agent is asked once more in an extra step;
// after that its answer counts as invalid. Prose is never interpreted: "YES, but" is not clear
// enough to count.
func (l *planner) verdict(b *store.StepInput, answer llm.Response, last bool, c *store.CommitStep) {
	if !decides(b) {
		return
	}
	var refused bool
	for i, call := range c.Calls {
		if i >= len(c.Planned) || call.Name != tools.SubmitVerdict {
			continue
		}
		if c.Planned[i].By != store.ByVerdict {
			refused = true
			continue
		}
		given, err := tools.ParseSubmitted(call.Arguments)
		if err != nil {
			refused = true
			c.Planned[i] = store.PlannedCall{Index: i + 1, By: store.ByNobody}
			c.Errors[i+1] = prompt.VerdictUnclear(err, tools.SubmitVerdict)
			continue
		}
		// The first verdict counts, and no other call runs.
		c.Verdict, c.Confidence, c.Text = given.Verdict, given.Confidence, given.Reasoning
		c.Calls, c.Planned = nil, nil
		return
	}
	switch {
	case len(c.Calls) > 0 && !refused:
		return
	case b.VerdictAsked || last:
		c.Text = cmp.Or(strings.TrimSpace(c.Text), submitted(answer), prompt.NoVerdict)
		c.Verdict, c.Calls, c.Planned = core.Invalid, nil, nil
	default:
		c.VerdictAsked = true
		if !refused {
			c.AskAgain = prompt.VerdictMissing(b.Nonce, tools.SubmitVerdict)
		}
	}
}

func submitted(answer llm.Response) string {
	i := slices.IndexFunc(answer.Calls, func(c core.ToolCall) bool { return c.Name == tools.SubmitVerdict })
	if i < 0 {
		return ""
	}
	return core.Cut(answer.Calls[i].Arguments, 2000)
}
