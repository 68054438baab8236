package workflows_test

import (
	"context"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// TestConnectionSought proves that a connection that was lost is sought again within two seconds,
// however often that was so. The takeover within 15 seconds needs it.
func TestConnectionSought(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	workflows.Register(env)
	const tries = 10 // by the last of them the pauses are as long as they get
	var asked []time.Time
	env.RegisterActivityWithOptions(func(context.Context, wire.ConnectInput) error {
		if len(asked) > 0 {
			if d := env.Now().Sub(asked[len(asked)-1]); d > 2*time.Second {
				t.Errorf("after %d losses another is asked after %s", len(asked), d)
			}
		}
		if asked = append(asked, env.Now()); len(asked) < tries {
			return temporal.NewApplicationError("gone", "gone")
		}
		return nil
	}, activity.RegisterOptions{Name: "Connect"})
	env.ExecuteWorkflow(workflows.Connection, wire.ConnectionInput{Store: "s", Account: core.Account{Channel: "telegram", Name: "main"}})
	if err := env.GetWorkflowError(); err != nil || len(asked) != tries {
		t.Errorf("asked %d times it ends with %v", len(asked), err)
	}
}
