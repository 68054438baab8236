package activities

import (
	"context"
	"fmt"
	"strings"

	"errand"
	"errand/internal/store"
)

// Reports of a coding agent that could not end its work itself.
const (
	codingLost     = "The coding agent was interrupted, and cannot take its work up again: its session is lost. What it has done until then is in the folder."
	codingNotBegun = "No worker that has the folder of the coding agent was there for a day. Errand.yaml of a worker has to name the agent, and the folder has to be on its machine."
)

func codingUnanswered() string {
	return fmt.Sprintf("The coding agent was stopped: it waited for a yes to what it wants to do, and nobody decided within %s. It cannot take its work up again. What it has done until then is in the folder.", errand.Age(approvalPatience))
}

// prompt is what the agent is asked for: the task, or to go on with it.
func (c *codingRun) prompt(ctx context.Context, work store.PeerWork) (string, error) {
	if work.PeerTask == "" {
		return work.Text, nil
	}
	list, err := c.Store.PendingApprovals(ctx, c.in.Task, c.in.Agent)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("You were interrupted while you worked on the task below. Look at what is done already, and go on from there.\n")
	for _, q := range list {
		what := errand.Cut(q.Approval.Arguments, 2000)
		switch q.State {
		case errand.QuestionOpen:
			continue
		case errand.QuestionAnswered:
			fmt.Fprintf(&b, "\nWhat you asked permission for is allowed, once. Ask again when you do it:\n%s\n", what)
		case errand.QuestionDeclined:
			fmt.Fprintf(&b, "\nWhat you asked permission for is not allowed. Do not try it another way:\n%s\n", what)
			if q.Answer != "" {
				fmt.Fprintf(&b, "The reason: %s\n", q.Answer)
			}
		default:
			fmt.Fprintf(&b, "\nNobody has decided about what you asked permission for. It is not allowed:\n%s\n", what)
		}
	}
	b.WriteString("\nThe task:\n" + work.Text)
	return b.String(), nil
}
