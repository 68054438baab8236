package intake_test

import (
	"context"
	"testing"

	"go.temporal.io/sdk/client"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/intaketest"
)

// hanging is a client whose Temporal takes a call and never answers.
type hanging struct {
	client.Client
	over chan struct{}
}

func (h hanging) SignalWithStartWorkflow(ctx context.Context, _, _ string, _ any, _ client.StartWorkflowOptions, _ any, _ ...any) (client.WorkflowRun, error) {
	<-h.over // longer than any context
	return nil, ctx.Err()
}

// TestAcceptWithoutTemporal proves that messages are accepted while Temporal does
// not answer, however many: none waits until a call of another has been given up.
func TestAcceptWithoutTemporal(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	t.Cleanup(func() { close(over) })
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Dispatch = dispatchtest.New(t, hanging{over: over}, deps.Store) })
	for range 100 { // which all hang, and more than are made at once
		d.now = d.now.Add(1)
		if out, err := d.Accept(t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: core.PersonID(core.Member), Text: "hello"}); err != nil || out.Key == "" {
			t.Fatalf("Accept: %+v, %v", out, err)
		}
	}
	if n := d.unclaimed(); n != 1 {
		t.Errorf("the watchdog finds %d conversations", n)
	}
}
