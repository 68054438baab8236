package workflows_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/mock"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// TestWaitsByTheClock proves that a wait whose timer is late ends at the next signal after
// its time.
func TestWaitsByTheClock(t *testing.T) {
	settings := wire.Settings{FoldWindow: 10 * time.Second, SuspendAfter: 24 * time.Hour}.WithDefaults()
	var suite testsuite.WorkflowTestSuite
	env := suite.NewTestWorkflowEnvironment()
	env.SetWorkerOptions(worker.Options{Interceptors: []interceptor.WorkerInterceptor{&lateTimers{by: time.Hour}}})
	var acts activities.Activities
	env.RegisterActivity(&acts)
	env.OnActivity(acts.Rehydrate, mock.Anything, mock.Anything).Return(
		wire.Rehydrated{Settings: settings, Rehydrated: store.Rehydrated{Session: "s1", NextTurn: 1, Results: true, Open: []core.TaskID{"t-one", "t-two"}}}, nil)
	env.OnActivity(acts.Suspend, mock.Anything, mock.Anything).Return(nil)
	began := env.Now()
	var told []time.Duration
	env.OnActivity(acts.Think, mock.Anything, mock.Anything).Return(func(context.Context, wire.ThinkInput) (store.StepResult, error) {
		told = append(told, env.Now().Sub(began).Round(time.Second))
		return store.StepResult{Final: true}, nil
	})
	for task, after := range map[core.TaskID]time.Duration{"t-zero": 5 * time.Second, "t-one": 20 * time.Second} {
		env.RegisterDelayedCallback(func() {
			env.SignalWorkflow(wire.SignalTaskFinished, wire.TaskFinishedSignal{Task: task})
		}, after)
	}
	env.ExecuteWorkflow(workflows.Session, wire.SessionInput{Key: core.NewSessionKey(core.WebRoute("main"), "ada"), Settings: settings})
	if err := env.GetWorkflowError(); err != nil {
		t.Fatal(err)
	}
	if len(told) == 0 || told[0] != 20*time.Second {
		t.Errorf("results are told after %v, want 20s", told)
	}
}

type lateTimers struct {
	interceptor.WorkerInterceptorBase
	by time.Duration
}

func (l *lateTimers) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &lateInbound{WorkflowInboundInterceptorBase: interceptor.WorkflowInboundInterceptorBase{Next: next}, by: l.by}
}

type lateInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	by time.Duration
}

func (l *lateInbound) Init(out interceptor.WorkflowOutboundInterceptor) error {
	return l.Next.Init(&lateOutbound{WorkflowOutboundInterceptorBase: interceptor.WorkflowOutboundInterceptorBase{Next: out}, by: l.by})
}

type lateOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	by time.Duration
}

func (l *lateOutbound) NewTimer(ctx workflow.Context, d time.Duration) workflow.Future {
	return l.Next.NewTimer(ctx, d+l.by)
}
