package activities

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// consult plans a call of consult: a task whose report the call waits for or, with ask, a question
// that ends the turn.
func (l *planner) consult(b *store.StepInput, call core.ToolCall, c *store.CommitStep) (store.NewTask, error) {
	in, err := tools.ParseConsult(call.Arguments)
	if err != nil {
		return store.NewTask{}, err
	}
	may := l.colleagues(b)
	switch {
	case len(may) == 0:
		return store.NewTask{}, fmt.Errorf("%s cannot consult anybody here", b.Agent.Display())
	case !slices.Contains(may, in.Agent):
		return store.NewTask{}, fmt.Errorf("%s cannot consult %q; it can consult: %s", b.Agent.Display(), core.Cut(string(in.Agent), 40), strings.Join(core.Strings(may), ", "))
	case !in.Ask:
		agents := []core.AgentName{in.Agent}
		return store.NewTask{Agents: agents, Text: in.Question, Waits: true}, l.allowPairs(b, agents)
	case b.Person == "", b.Cause == store.CauseResults:
		return store.NewTask{}, errors.New("nobody can be asked here: call consult without ask, or continue without it")
	case len(c.Calls) > 1 || c.HandOver != nil:
		return store.NewTask{}, errors.New("ask the user in a separate step, without other calls")
	}
	c.Ask = &store.NewQuestion{
		ID: core.NewQuestionID(), Text: l.text(b.Language, "consult.ask", "agent", in.Agent.Display(), "question", in.Question),
		Options: []string{l.text(b.Language, "consult.yes"), l.text(b.Language, "consult.no")}, Pace: l.pace,
	}
	c.Ask.Pace.RemindAfter = nil // like every question of a conversation's agent
	return store.NewTask{}, nil
}
