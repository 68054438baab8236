package workflows_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// TestDelegation proves which agents are set to work on a task, and what it is decided
// to be by how they end, and that Temporal shows that end, with what it has cost.
func TestDelegation(t *testing.T) {
	completed := wire.SubAgentResult{State: core.Completed}
	reported := wire.SubAgentResult{State: core.Completed, Ended: core.Completed}
	rejected := wire.SubAgentResult{State: core.Failed, Ended: core.Rejected, Tokens: 12, Cost: 0.5}
	ends := func(end wire.SubAgentResult, err error) func(workflow.Context) (wire.SubAgentResult, error) {
		return func(workflow.Context) (wire.SubAgentResult, error) { return end, err }
	}
	working := func(ctx workflow.Context) (wire.SubAgentResult, error) {
		return wire.SubAgentResult{}, workflow.Sleep(ctx, time.Hour)
	}
	for _, test := range []struct {
		name     string
		in       wire.DelegationInput
		agents   map[core.AgentName]func(workflow.Context) (wire.SubAgentResult, error)
		cancel   bool           // after a minute
		finishes core.TaskState // that Finish is asked to write; empty: it is not asked
		why      string
		reason   core.Reason // that people read in their language
		tokens   int
	}{
		{
			name: "rejected by its one agent", in: wire.DelegationInput{Agents: []core.AgentName{"sasha"}},
			agents: map[core.AgentName]func(workflow.Context) (wire.SubAgentResult, error){"sasha": ends(rejected, nil)},
			tokens: 12,
		},
		{
			name: "its one agent ends it with the report", in: wire.DelegationInput{Agents: []core.AgentName{"sasha"}},
			agents: map[core.AgentName]func(workflow.Context) (wire.SubAgentResult, error){"sasha": ends(reported, nil)},
		},
		{
			name: "one of two completes", in: wire.DelegationInput{Agents: []core.AgentName{"sasha", "finn"}},
			agents: map[core.AgentName]func(workflow.Context) (wire.SubAgentResult, error){
				"sasha": ends(wire.SubAgentResult{}, errors.New("broken")), "finn": ends(completed, nil)},
			finishes: core.Completed,
		},
		{
			name: "one that found nothing to do", in: wire.DelegationInput{Agents: []core.AgentName{"sasha"}},
			agents:   map[core.AgentName]func(workflow.Context) (wire.SubAgentResult, error){"sasha": ends(wire.SubAgentResult{}, nil)},
			finishes: core.Failed,
		},
		{
			name: "canceled while one is at work", in: wire.DelegationInput{Agents: []core.AgentName{"sasha", "finn"}},
			agents: map[core.AgentName]func(workflow.Context) (wire.SubAgentResult, error){
				"sasha": ends(completed, nil), "finn": working},
			cancel: true, finishes: core.Canceled, why: "no longer needed",
		},
		{
			name: "a policy that is not known", in: wire.DelegationInput{Agents: []core.AgentName{"sasha"}, Policy: "unanimous"},
			finishes: core.Failed, why: `the policy "unanimous"`, reason: core.ReasonUnknownPolicy,
		},
		{
			name: "a kind that is not known",
			in:   wire.DelegationInput{Agents: []core.AgentName{"sasha", "oracle"}, Kinds: []core.AgentKind{core.LocalAgent, "telepath"}},
			agents: map[core.AgentName]func(workflow.Context) (wire.SubAgentResult, error){
				"sasha": ends(wire.SubAgentResult{State: core.Failed}, nil)},
			finishes: core.Failed, why: `the kind "telepath" of Oracle`, reason: core.ReasonUnknownKind,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var acts activities.Activities
			env.RegisterActivity(&acts)
			env.RegisterWorkflow(workflows.SubAgent)
			var began []core.AgentName
			env.OnWorkflow(workflows.SubAgent, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, in wire.SubAgentInput) (wire.SubAgentResult, error) {
				began = append(began, in.Agent)
				return test.agents[in.Agent](ctx)
			}).Maybe()
			var finish wire.FinishInput
			env.OnActivity(acts.Finish, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.FinishInput) (wire.FinishResult, error) {
				finish = in
				return wire.FinishResult{State: in.State}, nil
			}).Maybe()
			if test.cancel {
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(wire.SignalCancel, test.why) }, time.Minute)
			}
			test.in.Task, test.in.Settings = "t-top", wire.Settings{}.WithDefaults()
			env.ExecuteWorkflow(workflows.Delegation, test.in)
			want := wire.DelegationResult{State: test.finishes, Tokens: test.tokens, Cost: float64(test.tokens) / 24}
			if want.State == "" {
				want.State = core.Completed
				if test.tokens > 0 {
					want.State = core.Rejected
				}
			}
			requireClosed(t, env, want)
			if finish.State != test.finishes || !strings.Contains(finish.Reason, test.why) || test.why == "" && finish.State != core.Failed && finish.Reason != "" {
				t.Errorf("it ends as %q for %q, want %q for %q", finish.State, finish.Reason, test.finishes, test.why)
			}
			if got := core.ReasonOf(finish.Reason); got != test.reason {
				t.Errorf("the reason is %q, want %q", got, test.reason)
			}
			for agent := range test.agents {
				if !slices.Contains(began, agent) {
					t.Errorf("%s was not set to work", agent)
				}
			}
			if len(began) != len(test.agents) {
				t.Errorf("%v were set to work", began)
			}
		})
	}
}

// requireClosed fails the test unless the Delegation has closed as its task has ended, with
// the result or the details that want has.
func requireClosed(t *testing.T, env *testsuite.TestWorkflowEnvironment, want wire.DelegationResult) {
	t.Helper()
	var got wire.DelegationResult
	var canceled *temporal.CanceledError
	var failed *temporal.ApplicationError
	err := env.GetWorkflowError()
	switch {
	case err == nil:
		err = env.GetWorkflowResult(&got)
		if want.State != core.Completed {
			t.Errorf("it has completed, and its task is %s", want.State)
		}
	case errors.As(err, &canceled):
		err = canceled.Details(&got)
		if want.State != core.Canceled {
			t.Errorf("it is canceled, and its task is %s", want.State)
		}
	case errors.As(err, &failed):
		if want.State != core.Failed && want.State != core.Rejected || failed.Type() != wire.FailureTask || !failed.NonRetryable() {
			t.Errorf("it has failed with %q, and its task is %s", failed, want.State)
		}
		err = failed.Details(&got)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("Temporal has %+v of it, want %+v", got, want)
	}
}

// TestCancelReason proves that a person may cancel a task with a reason in either form, and
// that anything else cancels it, too.
func TestCancelReason(t *testing.T) {
	for _, test := range []struct {
		sent any
		want string
	}{
		{"no longer needed", "no longer needed"}, {map[string]any{"reason": "no longer needed"}, "no longer needed"},
		{map[string]any{"reason": 3}, core.ReasonCanceled.Text()}, {nil, core.ReasonCanceled.Text()}, {7, core.ReasonCanceled.Text()},
	} {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestWorkflowEnvironment()
		var acts activities.Activities
		env.RegisterActivity(&acts)
		env.RegisterWorkflow(workflows.SubAgent)
		env.OnWorkflow(workflows.SubAgent, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, _ wire.SubAgentInput) (wire.SubAgentResult, error) {
			return wire.SubAgentResult{}, workflow.Sleep(ctx, time.Hour)
		})
		var got string
		env.OnActivity(acts.Finish, mock.Anything, mock.Anything).Return(func(_ context.Context, in wire.FinishInput) (wire.FinishResult, error) {
			got = in.Reason
			return wire.FinishResult{State: in.State}, nil
		})
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(wire.SignalCancel, test.sent) }, time.Minute)
		env.ExecuteWorkflow(workflows.Delegation, wire.DelegationInput{Task: "t-top", Agents: []core.AgentName{"sasha"}, Settings: wire.Settings{}.WithDefaults()})
		if got != test.want {
			t.Errorf("canceled with %v it ends for %q, want %q", test.sent, got, test.want)
		}
	}
}
