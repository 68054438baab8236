package workflows_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/workflows"
)

// recorded are the event types that the histories must have: the commands that workflows
// give, and the ends of what they wait for.
var recorded = []enumspb.EventType{
	enumspb.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED,
	enumspb.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
	enumspb.EVENT_TYPE_ACTIVITY_TASK_FAILED,
	enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCEL_REQUESTED,
	enumspb.EVENT_TYPE_ACTIVITY_TASK_CANCELED,
	enumspb.EVENT_TYPE_TIMER_STARTED,
	enumspb.EVENT_TYPE_TIMER_FIRED,
	enumspb.EVENT_TYPE_TIMER_CANCELED,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_ACCEPTED,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_UPDATE_COMPLETED,
	enumspb.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED,
	enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_COMPLETED,
	enumspb.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_CANCELED,
	enumspb.EVENT_TYPE_REQUEST_CANCEL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED,
	enumspb.EVENT_TYPE_UPSERT_WORKFLOW_SEARCH_ATTRIBUTES,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCEL_REQUESTED,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_COMPLETED,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CANCELED,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_FAILED,
	enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
}

// TestReplay proves that the workflows replay the histories in testdata/replay, which come
// from a real server (go test ./internal/app -record), and that there is one of every
// workflow, of every command that workflows give and of every kind of wait.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/replay/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var begun []string
	var events []enumspb.EventType
	for _, path := range files {
		history := readHistory(t, path)
		begun = append(begun, history.GetEvents()[0].GetWorkflowExecutionStartedEventAttributes().GetWorkflowType().GetName())
		for _, e := range history.GetEvents() {
			events = append(events, e.GetEventType())
		}
		t.Run(strings.TrimPrefix(path, "testdata/replay/"), func(t *testing.T) { replay(t, history) })
	}
	var all registry
	workflows.Register(&all)
	for _, f := range all {
		if !slices.Contains(begun, name(f)) {
			t.Errorf("there is no history of %s", name(f))
		}
	}
	for _, kind := range recorded {
		if !slices.Contains(events, kind) {
			t.Errorf("no history has the event %s", kind)
		}
	}
}

func readHistory(t *testing.T, path string) *historypb.History {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	history, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return history
}

// replay fails the test if the workflows do anything else than the history has.
func replay(t *testing.T, history *historypb.History) {
	asked := &queues{}
	replayer, err := worker.NewWorkflowReplayerWithOptions(worker.WorkflowReplayerOptions{Interceptors: []interceptor.WorkerInterceptor{asked}})
	if err != nil {
		t.Fatal(err)
	}
	workflows.Register(replayer)
	if err := replayer.ReplayWorkflowHistory(nil, history); err != nil {
		t.Error(err)
	}
	// The replayer does not look at what queue an activity is sent to.
	if was := scheduled(history); !slices.Equal(asked.names, was) {
		t.Errorf("activities go to %q, and went to %q", asked.names, was)
	}
}

// queues notes which activities a workflow asks for, and on which queues.
type queues struct {
	interceptor.WorkerInterceptorBase
	names []string
}

func (q *queues) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	return &inbound{interceptor.WorkflowInboundInterceptorBase{Next: next}, q}
}

type inbound struct {
	interceptor.WorkflowInboundInterceptorBase
	queues *queues
}

func (i *inbound) Init(out interceptor.WorkflowOutboundInterceptor) error {
	return i.Next.Init(&outbound{interceptor.WorkflowOutboundInterceptorBase{Next: out}, i.queues})
}

type outbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	queues *queues
}

func (o *outbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	queue := cmp.Or(workflow.GetActivityOptions(ctx).TaskQueue, workflow.GetInfo(ctx).TaskQueueName)
	o.queues.names = append(o.queues.names, name+" on "+queue)
	return o.Next.ExecuteActivity(ctx, name, args...)
}

func scheduled(h *historypb.History) []string {
	var names []string
	for _, e := range h.GetEvents() {
		if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
			names = append(names, a.GetActivityType().GetName()+" on "+a.GetTaskQueue().GetName())
		}
	}
	return names
}
