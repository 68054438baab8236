package app

import (
	"context"
	"fmt"

	"errand/internal/agents"
)

// checkModels does not delay the start. It prints models that do not answer.
func (a *App) checkModels(o Options) {
	if a.models == nil || !o.Config.CheckModels {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.serving.Go(func() {
		for _, s := range a.models.AtStart(ctx, agents.DefaultModel) {
			fmt.Fprintf(o.Out, "\nModel %s (%s): %s\nerrand doctor checks it again.\n", s.Model, s.Name, s.Says)
		}
	})
	a.stopWith(func(context.Context) { cancel() })
}
