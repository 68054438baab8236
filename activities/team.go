package activities

import (
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// team plans a call of ask_team. The agent must be allowed to delegate to every agent that it asks
// or sends on the outcome. The agents of a procedure come from the configuration. For those only
// the person's rights and the chain count, as with /team.
func (l *planner) team(b *store.StepInput, call core.ToolCall) (store.NewTask, error) {
	may := l.inReach
	n, named, err := tools.ParseProcedure(call.Arguments, l.procedures)
	if !named {
		may = l.mayDelegate
		n, err = tools.ParseTeam(call.Arguments)
	}
	if err != nil {
		return n, err
	}
	asked := n.Agents
	for _, branch := range []*core.Branch{n.Then, n.Else} {
		if branch != nil {
			asked = append(asked[:len(asked):len(asked)], branch.Agents...)
		}
	}
	for _, agent := range asked {
		if err := may(b, agent); err != nil {
			return n, err
		}
	}
	return n, l.allowPairs(b, n.Agents)
}
