package workflows_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// TestPlacement proves on which queue a step is, and that it sends no heartbeats. What only uses
// the store is on the one queue wherever the workflow is.
func TestPlacement(t *testing.T) {
	now := wire.Settings{SuspendAfter: time.Minute}.WithDefaults()
	session := func(s wire.Settings) (any, any) {
		return workflows.Session, wire.SessionInput{Key: core.NewSessionKey(core.WebRoute("main"), "ada"), Settings: s}
	}
	subAgent := func(s wire.Settings, waited bool) (any, any) {
		return workflows.SubAgent, wire.SubAgentInput{Task: "t-top", Agent: "sasha", Settings: s, Waited: waited}
	}
	call := func(run, in any) [2]any { return [2]any{run, in} }
	for _, test := range []struct {
		name  string
		call  [2]any
		queue string
	}{
		{"a person's turn", call(session(now)), wire.TurnQueue},
		{"a sub-agent that a person waits for", call(subAgent(now, true)), wire.SubAgentQueue},
		{"a sub-agent that nobody waits for", call(subAgent(now, false)), wire.SubAgentQueue},
	} {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			env.SetStartWorkflowOptions(client.StartWorkflowOptions{TaskQueue: test.queue})
			var acts activities.Activities
			env.RegisterActivity(&acts)
			env.OnActivity(acts.Rehydrate, mock.Anything, mock.Anything).Return(wire.Rehydrated{Settings: now, Rehydrated: store.Rehydrated{Session: "s1", NextTurn: 1, Messages: true}}, nil)
			seen := map[string]activity.Info{}
			note := func(ctx context.Context, what string) { seen[what] = activity.GetInfo(ctx) }
			env.OnActivity(acts.Suspend, mock.Anything, mock.Anything).Return(func(ctx context.Context, _ wire.SuspendInput) error {
				note(ctx, "suspend")
				return nil
			})
			env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(ctx context.Context, in wire.ThinkInput) (store.StepResult, error) {
				note(ctx, "think")
				if in.Key.Step > 1 || in.Key.Turn > 1 {
					return store.StepResult{Final: true, Empty: in.Key.Turn > 1}, nil
				}
				return store.StepResult{Calls: []store.PlannedCall{{Index: 1, By: store.ByActivity, Tool: "recall"}}}, nil
			})
			env.OnActivity(acts.Tool, mock.Anything, mock.Anything).Return(func(ctx context.Context, _ wire.ToolInput) error {
				note(ctx, "tool")
				return nil
			})
			env.ExecuteWorkflow(test.call[0], test.call[1])
			if err := env.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
			if got, rested := seen["suspend"]; rested && got.TaskQueue != wire.TaskQueue {
				t.Errorf("suspend is on %q, want %q", got.TaskQueue, wire.TaskQueue)
			}
			for _, what := range []string{"think", "tool"} {
				if got := seen[what]; got.TaskQueue != test.queue || got.HeartbeatTimeout != 0 {
					t.Errorf("%s is on %q with heartbeats of %v; want %q and none", what, got.TaskQueue, got.HeartbeatTimeout, test.queue)
				}
			}
		})
	}
}

// TestToolQueue proves that a call goes to the workers that can run its tool, with the
// time that the call waits for a place, the tool takes and its result is kept, and that a turn goes
// on where no such worker takes it.
func TestToolQueue(t *testing.T) {
	settings := wire.Settings{}.WithDefaults()
	settings.SuspendAfter = time.Minute
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetStartWorkflowOptions(client.StartWorkflowOptions{TaskQueue: wire.TurnQueue})
	var acts activities.Activities
	env.RegisterActivity(&acts)
	env.OnActivity(acts.Rehydrate, mock.Anything, mock.Anything).Return(wire.Rehydrated{Settings: settings, Rehydrated: store.Rehydrated{Session: "s1", NextTurn: 1, Messages: true}}, nil)
	env.OnActivity(acts.Suspend, mock.Anything, mock.Anything).Return(nil)
	steps := 0
	env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.ThinkInput) (store.StepResult, error) {
		if steps++; in.Key.Step > 1 || in.Key.Turn > 1 {
			return store.StepResult{Final: true, Empty: in.Key.Turn > 1}, nil
		}
		return store.StepResult{Calls: []store.PlannedCall{
			{Index: 1, By: store.ByActivity, Tool: "recall"}, {Index: 2, By: store.ByActivity, Tool: "github.list", Queue: "of-github", Timeout: time.Hour},
			{Index: 3, By: store.ByActivity, Tool: "files.list", Queue: "of-nobody"},
		}}, nil
	})
	var mu sync.Mutex
	seen := map[int]activity.Info{}
	env.OnActivity(acts.Tool, mock.Anything, mock.Anything).Return(func(ctx context.Context, in wire.ToolInput) error {
		mu.Lock()
		defer mu.Unlock()
		if seen[in.Key.Index] = activity.GetInfo(ctx); in.Key.Index == 3 {
			return temporal.NewTimeoutError(enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START, nil)
		}
		return nil
	})
	env.ExecuteWorkflow(workflows.Session, wire.SessionInput{Key: core.NewSessionKey(core.WebRoute("main"), "ada"), Settings: settings})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int]struct {
		queue string
		time  time.Duration
	}{1: {wire.TurnQueue, time.Hour + 13*time.Minute}, 2: {"of-github", 2*time.Hour + 11*time.Minute}, 3: {"of-nobody", time.Hour + 13*time.Minute}} {
		if got := seen[i]; got.TaskQueue != want.queue || got.Deadline.Sub(got.StartedTime).Round(time.Second) != want.time {
			t.Errorf("call %d is on %q with %v; want %q, %v", i, got.TaskQueue, got.Deadline.Sub(got.StartedTime), want.queue, want.time)
		}
	}
	if steps < 2 {
		t.Error("the turn did not go on")
	}
}

// TestForTask proves that the tasks of people have keys of their own, which Temporal
// takes whatever an id is like.
func TestForTask(t *testing.T) {
	long := core.PersonID(strings.Repeat("p", 65))
	seen := map[string]bool{}
	for _, id := range []core.PersonID{"owner", "p-7k3m9q2x", long, long + "p"} {
		key := wire.ForTask(id).FairnessKey
		if key == "" || len(key) > 64 || seen[key] {
			t.Errorf("the fairness key of %q is %q", id, key)
		}
		seen[key] = true
	}
}
