package app

import (
	"context"
	"fmt"

	"errand/internal/agents"
)

// checkModels does not delay the start. It prints a line about the default model, and about each
// model that does not answer.
func (a *App) checkModels(o Options) {
	if a.models == nil || !o.Config.CheckModels {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.serving.Go(func() {
		for _, s := range a.models.AtStart(ctx, agents.DefaultModel) {
			fmt.Fprintf(o.Out, "\n%s\n", s.Line())
		}
	})
	a.stopWith(func(context.Context) { cancel() })
}
