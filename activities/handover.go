package activities

import (
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// handOver plans a call of transfer_to_agent: the primary agent may hand over, and every agent may
// hand back to it. A specialist asks the person first, and its reply is that question.
func (l *planner) handOver(b *store.StepInput, call core.ToolCall, c *store.CommitStep) error {
	t, err := tools.ParseTransfer(call.Arguments)
	if err != nil {
		return err
	}
	may := l.handoffTo(b)
	switch {
	case t.Agent == b.Agent:
		return fmt.Errorf("%s already leads this conversation", b.Agent.Display())
	case !slices.Contains(may, t.Agent):
		return fmt.Errorf("%s cannot hand over to %q; it can hand over to: %s", b.Agent.Display(), core.Cut(string(t.Agent), 40), strings.Join(core.Strings(may), ", "))
	case c.HandOver != nil || c.Propose != "":
		return fmt.Errorf("a conversation can be handed over to only one agent; this call was not run")
	case t.Agent == b.DeclinedAgent:
		return fmt.Errorf("the user has just declined a handover to %s: answer yourself as well as you can", t.Agent.Display())
	}
	primary := l.rosterAt(b.Route).Primary().Name
	if b.Agent != primary && t.Agent != primary && b.TakenOverFrom == "" {
		if len(c.Calls) > 1 {
			return fmt.Errorf("ask the user about the handover in a separate step, without other calls")
		}
		c.Propose = t.Agent
		return nil
	}
	c.HandOver = &store.HandOver{
		To: t.Agent, StickFor: l.rosterAt(b.Route).StickFor(t.Agent, l.stickyFor),
		Notice: l.text(b.Language, "handover.takes_over", "agent", t.Agent.Display()),
		Result: fmt.Sprintf("%s has handed the conversation over to %s, who now answers the user's last message.", b.Agent.Display(), t.Agent.Display()),
	}
	if t.Reason != "" {
		c.HandOver.Result += " Reason: " + t.Reason
	}
	return nil
}

func (l *planner) propose(b *store.StepInput, c *store.CommitStep) {
	if strings.TrimSpace(c.Text) == "" {
		c.Text = l.text(b.Language, "handover.proposal", "agent", c.Propose.Display())
	} else {
		c.Text = strings.TrimSpace(c.Text) + "\n\n" + l.text(b.Language, "handover.question", "agent", c.Propose.Display())
	}
	c.Options = []string{l.text(b.Language, "handover.yes"), l.text(b.Language, "handover.no")}
	if b.Person != "" {
		pace := l.pace
		pace.RemindAfter = nil // the person sees the proposal in the conversation
		c.Ask = &store.NewQuestion{ID: core.NewQuestionID(), Kind: core.Proposes, Text: c.Text, Options: c.Options, Pace: pace}
	}
	c.Calls, c.Planned = nil, nil
}
