package activities

import (
	"cmp"
	"slices"
	"strings"

	"errand"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/tools"
)

// decides reports whether the agent of a step is to give a verdict.
func decides(b *store.StepInput) bool {
	return b.Task != nil && b.Task.Policy.CountsVerdicts()
}

// verdict makes of a step what an agent that is to give a verdict has answered: its
// verdict, the end of its work; or something else that the turn would end with. Then the
// agent is asked once more, in a step of its own, and after that its answer is invalid.
// refused says that a call of submit_verdict was not understood. Nothing is read out of
// prose: who says "YES, but" has not said what it will be counted as.
func (a *Activities) verdict(b *store.StepInput, answer llm.Response, last bool, c *store.CommitStep) {
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
			c.Errors[i+1] = "error: " + err.Error() + ". Call " + tools.SubmitVerdict + " again: what you submit next is final."
			continue
		}
		// Of several the first one counts, and nothing is done besides.
		c.Verdict, c.Confidence, c.Text = given.Verdict, given.Confidence, given.Reasoning
		c.Calls, c.Planned = nil, nil
		return
	}
	switch {
	case len(c.Calls) > 0 && !refused:
		return // it goes on
	case b.VerdictAsked || last:
		c.Text = cmp.Or(strings.TrimSpace(c.Text), submitted(answer), "(nothing)")
		c.Verdict, c.Calls, c.Planned = errand.Invalid, nil, nil
	default:
		c.VerdictAsked = true
		if !refused {
			c.AskAgain = b.Nonce.Mark("your verdict is missing: what you wrote is none. Call " + tools.SubmitVerdict +
				" now, with answer YES, NO or ABSTAIN; anything else counts as no verdict")
		}
	}
}

func submitted(answer llm.Response) string {
	i := slices.IndexFunc(answer.Calls, func(c errand.ToolCall) bool { return c.Name == tools.SubmitVerdict })
	if i < 0 {
		return ""
	}
	return errand.Cut(answer.Calls[i].Arguments, 2000)
}
