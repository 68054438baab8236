package workflows

import "errand/internal/temporal/wire"
import "go.temporal.io/sdk/workflow"

// Claim reserves a namespace for one store: while it runs, workers of other stores do not start in
// the namespace. It does nothing else, and ends when it is canceled or terminated.
func Claim(ctx workflow.Context, in wire.ClaimInput) error {
	workflow.SetCurrentDetails(ctx, "This namespace belongs to the errand store "+in.Store+".")
	ctx.Done().Receive(ctx, nil)
	return ctx.Err()
}
