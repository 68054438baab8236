package activities

import (
	"errand"
	"errand/internal/store"
	"errand/internal/tools"
)

// team plans a call of ask_team. Whoever is asked, and whoever is sent on the outcome,
// is somebody to whom this agent may delegate here and now.
func (a *Activities) team(b *store.StepInput, call errand.ToolCall) (store.NewTask, error) {
	n, err := tools.ParseTeam(call.Arguments)
	if err != nil {
		return n, err
	}
	named := n.Agents
	for _, branch := range []*errand.Branch{n.Then, n.Else} {
		if branch != nil {
			named = append(named[:len(named):len(named)], branch.Agents...)
		}
	}
	for _, agent := range named {
		if err := a.mayDelegate(b, agent); err != nil {
			return n, err
		}
	}
	return n, a.allowPairs(b, n.Agents)
}
