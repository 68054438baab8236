package workflows_test

import (
	"os"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/worker"

	"errand/workflows"
)

// TestAnsweredBeforeItWasHeard proves that a session whose worker did not know the signal
// of an answer, and went on without it, is replayed as it was.
func TestAnsweredBeforeItWasHeard(t *testing.T) {
	f, err := os.Open("testdata/replay/v1/session-plain-turn-and-tool.json")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	history, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
	if err != nil {
		t.Fatal(err)
	}
	input, err := converter.GetDefaultDataConverter().ToPayloads(workflows.AnsweredSignal{Question: "q-22222222"})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		appendUndelivered(history, input)
	}
	replayer := worker.NewWorkflowReplayer()
	workflows.Register(replayer)
	if err := replayer.ReplayWorkflowHistory(nil, history); err != nil {
		t.Error(err)
	}
}

// appendUndelivered appends a signal and a workflow task of which nothing came.
func appendUndelivered(h *historypb.History, input *commonpb.Payloads) {
	queue := h.Events[0].GetWorkflowExecutionStartedEventAttributes().GetTaskQueue()
	add := func(kind enumspb.EventType) *historypb.HistoryEvent {
		last := h.Events[len(h.Events)-1]
		e := &historypb.HistoryEvent{EventId: last.EventId + 1, EventTime: last.EventTime, EventType: kind}
		h.Events = append(h.Events, e)
		return e
	}
	add(enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED).Attributes = &historypb.HistoryEvent_WorkflowExecutionSignaledEventAttributes{
		WorkflowExecutionSignaledEventAttributes: &historypb.WorkflowExecutionSignaledEventAttributes{SignalName: workflows.SignalAnswered, Input: input}}
	scheduled := add(enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED)
	scheduled.Attributes = &historypb.HistoryEvent_WorkflowTaskScheduledEventAttributes{
		WorkflowTaskScheduledEventAttributes: &historypb.WorkflowTaskScheduledEventAttributes{TaskQueue: queue, Attempt: 1}}
	started := add(enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED)
	started.Attributes = &historypb.HistoryEvent_WorkflowTaskStartedEventAttributes{
		WorkflowTaskStartedEventAttributes: &historypb.WorkflowTaskStartedEventAttributes{ScheduledEventId: scheduled.EventId}}
	add(enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED).Attributes = &historypb.HistoryEvent_WorkflowTaskCompletedEventAttributes{
		WorkflowTaskCompletedEventAttributes: &historypb.WorkflowTaskCompletedEventAttributes{ScheduledEventId: scheduled.EventId, StartedEventId: started.EventId}}
}
