package activities

import (
	"errand"
	"errand/internal/store"
	"errand/internal/tools"
)

// team plans a call of ask_team. Whoever is asked, and whoever is sent on the outcome,
// is somebody to whom this agent may delegate here and now. Of a procedure the
// configuration has chosen them: there it is the person's rights that count, as with
// /team, and the chain.
func (a *Activities) team(b *store.StepInput, call errand.ToolCall) (store.NewTask, error) {
	may := a.inReach
	n, named, err := tools.ParseProcedure(call.Arguments, a.Procedures)
	if !named {
		may = a.mayDelegate
		n, err = tools.ParseTeam(call.Arguments)
	}
	if err != nil {
		return n, err
	}
	asked := n.Agents
	for _, branch := range []*errand.Branch{n.Then, n.Else} {
		if branch != nil {
			asked = append(asked[:len(asked):len(asked)], branch.Agents...)
		}
	}
	for _, agent := range asked {
		if err := may(b, agent); err != nil {
			return n, err
		}
	}
	return n, a.allowPairs(b, n.Agents)
}
