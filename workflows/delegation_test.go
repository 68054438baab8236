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

	"errand"
	"errand/activities"
	"errand/workflows"
)

// TestDelegation proves which agents are set to work on a task, and what it is decided
// to be by how they end, and that Temporal shows that end, with what it has cost.
func TestDelegation(t *testing.T) {
	completed := workflows.SubAgentResult{State: errand.Completed}
	reported := workflows.SubAgentResult{State: errand.Completed, Ended: errand.Completed}
	rejected := workflows.SubAgentResult{State: errand.Failed, Ended: errand.Rejected, Tokens: 12, Cost: 0.5}
	ends := func(end workflows.SubAgentResult, err error) func(workflow.Context) (workflows.SubAgentResult, error) {
		return func(workflow.Context) (workflows.SubAgentResult, error) { return end, err }
	}
	working := func(ctx workflow.Context) (workflows.SubAgentResult, error) {
		return workflows.SubAgentResult{}, workflow.Sleep(ctx, time.Hour)
	}
	for _, test := range []struct {
		name     string
		in       workflows.DelegationInput
		agents   map[errand.AgentName]func(workflow.Context) (workflows.SubAgentResult, error)
		cancel   bool             // after a minute
		finishes errand.TaskState // that Finish is asked to write; empty: it is not asked
		why      string
		reason   errand.Reason // that people read in their language
		tokens   int
	}{
		{
			name: "rejected by its one agent", in: workflows.DelegationInput{Agents: []errand.AgentName{"sasha"}},
			agents: map[errand.AgentName]func(workflow.Context) (workflows.SubAgentResult, error){"sasha": ends(rejected, nil)},
			tokens: 12,
		},
		{
			name: "its one agent ends it with the report", in: workflows.DelegationInput{Agents: []errand.AgentName{"sasha"}},
			agents: map[errand.AgentName]func(workflow.Context) (workflows.SubAgentResult, error){"sasha": ends(reported, nil)},
		},
		{
			name: "one of two completes", in: workflows.DelegationInput{Agents: []errand.AgentName{"sasha", "finn"}},
			agents: map[errand.AgentName]func(workflow.Context) (workflows.SubAgentResult, error){
				"sasha": ends(workflows.SubAgentResult{}, errors.New("broken")), "finn": ends(completed, nil)},
			finishes: errand.Completed,
		},
		{
			name: "one that found nothing to do", in: workflows.DelegationInput{Agents: []errand.AgentName{"sasha"}},
			agents:   map[errand.AgentName]func(workflow.Context) (workflows.SubAgentResult, error){"sasha": ends(workflows.SubAgentResult{}, nil)},
			finishes: errand.Failed,
		},
		{
			name: "canceled while one is at work", in: workflows.DelegationInput{Agents: []errand.AgentName{"sasha", "finn"}},
			agents: map[errand.AgentName]func(workflow.Context) (workflows.SubAgentResult, error){
				"sasha": ends(completed, nil), "finn": working},
			cancel: true, finishes: errand.Canceled, why: "no longer needed",
		},
		{
			name: "a policy that is not known", in: workflows.DelegationInput{Agents: []errand.AgentName{"sasha"}, Policy: "unanimous"},
			finishes: errand.Failed, why: `the policy "unanimous"`, reason: errand.ReasonUnknownPolicy,
		},
		{
			name: "a kind that is not known",
			in:   workflows.DelegationInput{Agents: []errand.AgentName{"sasha", "oracle"}, Kinds: []errand.AgentKind{errand.LocalAgent, "telepath"}},
			agents: map[errand.AgentName]func(workflow.Context) (workflows.SubAgentResult, error){
				"sasha": ends(workflows.SubAgentResult{State: errand.Failed}, nil)},
			finishes: errand.Failed, why: `the kind "telepath" of Oracle`, reason: errand.ReasonUnknownKind,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			var acts *activities.Activities
			env.RegisterActivity(acts)
			env.RegisterWorkflow(workflows.SubAgent)
			var began []errand.AgentName
			env.OnWorkflow(workflows.SubAgent, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, in workflows.SubAgentInput) (workflows.SubAgentResult, error) {
				began = append(began, in.Agent)
				return test.agents[in.Agent](ctx)
			}).Maybe()
			var finish activities.FinishInput
			env.OnActivity(acts.Finish, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.FinishInput) (activities.FinishResult, error) {
				finish = in
				return activities.FinishResult{State: in.State}, nil
			}).Maybe()
			if test.cancel {
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalCancel, test.why) }, time.Minute)
			}
			test.in.Task, test.in.Settings = "t-top", workflows.Settings{}.WithDefaults()
			env.ExecuteWorkflow(workflows.Delegation, test.in)
			want := workflows.DelegationResult{State: test.finishes, Tokens: test.tokens, Cost: float64(test.tokens) / 24}
			if want.State == "" {
				want.State = errand.Completed
				if test.tokens > 0 {
					want.State = errand.Rejected
				}
			}
			requireClosed(t, env, want)
			if finish.State != test.finishes || !strings.Contains(finish.Reason, test.why) || test.why == "" && finish.State != errand.Failed && finish.Reason != "" {
				t.Errorf("it ends as %q for %q, want %q for %q", finish.State, finish.Reason, test.finishes, test.why)
			}
			if got := errand.ReasonOf(finish.Reason); got != test.reason {
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
func requireClosed(t *testing.T, env *testsuite.TestWorkflowEnvironment, want workflows.DelegationResult) {
	t.Helper()
	var got workflows.DelegationResult
	var canceled *temporal.CanceledError
	var failed *temporal.ApplicationError
	err := env.GetWorkflowError()
	switch {
	case err == nil:
		err = env.GetWorkflowResult(&got)
		if want.State != errand.Completed {
			t.Errorf("it has completed, and its task is %s", want.State)
		}
	case errors.As(err, &canceled):
		err = canceled.Details(&got)
		if want.State != errand.Canceled {
			t.Errorf("it is canceled, and its task is %s", want.State)
		}
	case errors.As(err, &failed):
		if want.State != errand.Failed && want.State != errand.Rejected || failed.Type() != workflows.FailureTask || !failed.NonRetryable() {
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
		{map[string]any{"reason": 3}, errand.ReasonCanceled.Text()}, {nil, errand.ReasonCanceled.Text()}, {7, errand.ReasonCanceled.Text()},
	} {
		var suite testsuite.WorkflowTestSuite
		env := suite.NewTestWorkflowEnvironment()
		var acts *activities.Activities
		env.RegisterActivity(acts)
		env.RegisterWorkflow(workflows.SubAgent)
		env.OnWorkflow(workflows.SubAgent, mock.Anything, mock.Anything).Return(func(ctx workflow.Context, _ workflows.SubAgentInput) (workflows.SubAgentResult, error) {
			return workflows.SubAgentResult{}, workflow.Sleep(ctx, time.Hour)
		})
		var got string
		env.OnActivity(acts.Finish, mock.Anything, mock.Anything).Return(func(_ context.Context, in activities.FinishInput) (activities.FinishResult, error) {
			got = in.Reason
			return activities.FinishResult{State: in.State}, nil
		})
		env.RegisterDelayedCallback(func() { env.SignalWorkflow(workflows.SignalCancel, test.sent) }, time.Minute)
		env.ExecuteWorkflow(workflows.Delegation, workflows.DelegationInput{Task: "t-top", Agents: []errand.AgentName{"sasha"}, Settings: workflows.Settings{}.WithDefaults()})
		if got != test.want {
			t.Errorf("canceled with %v it ends for %q, want %q", test.sent, got, test.want)
		}
	}
}
