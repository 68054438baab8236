package workflows

import "go.temporal.io/sdk/workflow"

// ClaimID is the id of the Claim workflow: a namespace has one at most.
const ClaimID = "errand-store"

// ClaimMemo is the field of the Claim workflow's memo that has the store's id.
const ClaimMemo = "store"

// Claim keeps a namespace for one store: for as long as it runs, workers of
// another store do not start there. It does nothing else and ends only when it
// is cancelled or terminated, which gives the namespace up.
func Claim(ctx workflow.Context, in ClaimInput) error {
	workflow.SetCurrentDetails(ctx, "This namespace belongs to the errand store "+in.Store+".")
	ctx.Done().Receive(ctx, nil)
	return ctx.Err()
}
