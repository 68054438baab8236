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

// TestConnectionSought proves that 12 seconds after a worker was heard of last
// another one is asked to hold its connection, however often that was so. The
// takeover within 15 seconds, of which package channels proves the rest, needs it.
func TestConnectionSought(t *testing.T) {
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	workflows.Register(env)
	const tries = 10 // by the last of them the pauses are as long as they get
	var asked []time.Time
	env.RegisterActivityWithOptions(func(ctx context.Context, _ wire.ConnectInput) error {
		if timeout := activity.GetInfo(ctx).HeartbeatTimeout; len(asked) > 0 {
			if d := timeout + env.Now().Sub(asked[len(asked)-1]); timeout == 0 || d > 12*time.Second {
				t.Errorf("after %d losses another is asked %s after the last was heard of, of which %s are to hear of it", len(asked), d, timeout)
			}
		}
		if asked = append(asked, env.Now()); len(asked) < tries {
			return temporal.NewHeartbeatTimeoutError() // which the environment takes no time for
		}
		return nil
	}, activity.RegisterOptions{Name: "Connect"})
	env.ExecuteWorkflow(workflows.Connection, wire.ConnectionInput{Store: "s", Account: core.Account{Channel: "telegram", Name: "main"}})
	if err := env.GetWorkflowError(); err != nil || len(asked) != tries {
		t.Errorf("asked %d times it ends with %v", len(asked), err)
	}
}
