package activities

import (
	"errors"

	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/tools"
)

// clientTool is the tool of that name of the program that talks with the agent. What errand
// has by that name is errand's.
func (a *Activities) clientTool(b *store.StepInput, name string) (tools.Tool, bool) {
	if _, own := a.Tools.Tool(name); own || b.Task != nil || !b.Client.Has(name) {
		return tools.Tool{}, false
	}
	return tools.Tool{By: store.ByClient}, true // its name is no word of errand's
}

func (a *Activities) offerClient(b *store.StepInput) []llm.Tool {
	if b.Client == nil {
		return nil
	}
	var list []llm.Tool
	for _, t := range b.Client.Tools {
		if _, ok := a.clientTool(b, t.Name); ok {
			list = append(list, llm.Tool{Name: t.Name, Description: t.Description, Parameters: t.Parameters, Strict: t.Strict})
		}
	}
	return list
}

// mustCall is what the model has to call, because the program wants that.
func (a *Activities) mustCall(b *store.StepInput) string {
	switch {
	case b.Client == nil || !b.Client.Must || len(a.offerClient(b)) == 0:
		return ""
	case b.Client.Only != "":
		return b.Client.Only
	}
	return llm.AnyTool
}

// handToClient says why a call of a program's tool is not handed to it; nil if it is.
func handToClient(b *store.StepInput, planned []store.PlannedCall) error {
	if !b.Client.Single {
		return nil
	}
	for _, p := range planned {
		if p.By == store.ByClient {
			return errors.New("the program takes one call at a time; this one was not made")
		}
	}
	return nil
}
