package workflows_test

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"errand/workflows"
)

// TestReplay proves that workflows which began with an earlier version go on
// with this one. The histories come from a real server: go test ./internal/app
// -run TestRecord -record.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/replay/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for _, path := range files {
		kind, _, _ := strings.Cut(filepath.Base(path), "-")
		of[kind]++
		t.Run(strings.TrimPrefix(path, "testdata/replay/"), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			history, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
			if err != nil {
				t.Fatal(err)
			}
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
		})
	}
	for _, kind := range []string{"session", "delegation", "subagent", "remoteagent", "codingagent", "outbox", "reminder", "maintenance", "connection", "claim", "webhook"} {
		if of[kind] == 0 {
			t.Errorf("there is no history of a %s", kind)
		}
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

// scheduled are the activities of a history, with their queues.
func scheduled(h *historypb.History) []string {
	var names []string
	for _, e := range h.GetEvents() {
		if a := e.GetActivityTaskScheduledEventAttributes(); a != nil {
			names = append(names, a.GetActivityType().GetName()+" on "+a.GetTaskQueue().GetName())
		}
	}
	return names
}
