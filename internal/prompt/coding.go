package prompt

import (
	"fmt"
	"strings"
	"time"

	"errand/internal/core"
)

// The outcomes of a coding agent.
const (
	CodingLost     = "The coding agent was interrupted and cannot continue: its session is lost. Its work so far is in the folder."
	CodingNotBegun = "For a day, no worker had the folder of the coding agent. errand.yaml of a worker must name the agent, and the folder must be on that machine."
)

// CodingUnanswered is the outcome of a coding agent that got no decision within patience.
func CodingUnanswered(patience time.Duration) string {
	return fmt.Sprintf("The coding agent was stopped: it asked for approval, and nobody decided within %s. It cannot continue. Its work so far is in the folder.", core.Age(patience))
}

// CodingResumed is the prompt of a coding agent that continues after an interruption. approvals are
// its requests for permission.
func CodingResumed(task string, approvals []core.Question) string {
	var b strings.Builder
	b.WriteString("You were interrupted while you worked on the task below. Check what is already done and continue from there.\n")
	for _, q := range approvals {
		what := core.Cut(q.Approval.Arguments, 2000)
		switch q.State {
		case core.QuestionOpen:
			continue
		case core.QuestionAnswered:
			fmt.Fprintf(&b, "\nYou may do this once. Ask for permission again when you do it:\n%s\n", what)
		case core.QuestionDeclined:
			fmt.Fprintf(&b, "\nYou may not do this. Do not try it another way:\n%s\n", what)
			if q.Answer != "" {
				fmt.Fprintf(&b, "Reason: %s\n", q.Answer)
			}
		default:
			fmt.Fprintf(&b, "\nNobody decided about this request, so you may not do it:\n%s\n", what)
		}
	}
	b.WriteString("\nTask:\n" + task)
	return b.String()
}
