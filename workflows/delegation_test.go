package workflows_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
	"errand/workflows"
)

// TestDelegation proves which agents are set to work on a task, and what it is decided
// to be by how they end.
func TestDelegation(t *testing.T) {
	completed := workflows.SubAgentResult{State: errand.Completed}
	reported := workflows.SubAgentResult{State: errand.Completed, Ended: errand.Completed}
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
	}{
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
			if err := env.GetWorkflowError(); err != nil {
				t.Fatal(err)
			}
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
