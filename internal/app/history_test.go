package app_test

import (
	"testing"
	"time"

	"errand/internal/core"
)

// TestHistoryEvents counts what turns cost in Temporal's history, over all the
// workflows they touch; and that a turn on a platform takes no more than one on the
// page: what a step says is sent by the step.
func TestHistoryEvents(t *testing.T) {
	p := playOn(t, true, true)
	tests := []struct {
		name, text string
		replies    int
		most       int64
	}{
		{"a plain turn", "hello", 1, 10},
		{"a synchronous delegation", do(ask("sasha", "trains")), 1, 48},
		{"an asynchronous delegation with its late result", do(send("sasha", "wait late")), 2, 52},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			key := p.send(test.name, "good morning")
			p.until(key, replies(1))
			before := p.settled(string(key))
			p.send(test.name, test.text)
			p.until(key, replies(2))
			if test.replies == 2 {
				p.open("late") // no sooner: else the turn tells the result
				p.until(key, replies(3))
			}
			events := p.settled(string(key)) - before
			for _, task := range p.tasks(test.name) {
				events += p.settled(string(task.ID)) + p.settled(string(core.SubAgentOwner(task.ID, "sasha")))
			}
			t.Logf("%s: %d events", test.name, events)
			if events > test.most {
				t.Errorf("%s: %d events, want at most %d", test.name, events, test.most)
			}
		})
	}
	t.Run("a turn on a platform", func(t *testing.T) {
		p.write("c", "", "good morning")
		p.reaches("c", core.Sent)
		before := p.settled(string(p.key("c")))
		p.write("c", "", "hello")
		p.reaches("c", core.Sent, core.Sent)
		if events := p.settled(string(p.key("c"))) - before; events > 13 {
			t.Errorf("%d events, want at most 13", events)
		}
	})
}

// settled returns the length of a workflow's history once nothing more is
// happening in it.
func (in *installation) settled(id string) int64 {
	in.t.Helper()
	var last int64
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); {
		desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), id, "")
		if err != nil {
			in.t.Fatal(err)
		}
		n := desc.GetWorkflowExecutionInfo().GetHistoryLength()
		if n == last && desc.GetPendingWorkflowTask() == nil && len(desc.GetPendingActivities()) == 0 && len(desc.GetPendingChildren()) == 0 {
			return n
		}
		last = n
		select {
		case <-in.t.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
	in.t.Fatalf("workflow %s does not come to rest", id)
	return 0
}
