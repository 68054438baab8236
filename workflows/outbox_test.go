package workflows_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/temporal/wire"
	"errand/internal/test/notifiertest"
	"errand/internal/test/workflowtest"
)

var c1 = core.Route{Channel: "test", Account: "main", Chat: "c1"}

const repeated = core.Repeating + "\n"

func faults(n int, f notifiertest.Fault) []notifiertest.Fault {
	return slices.Repeat([]notifiertest.Fault{f}, n)
}

// TestDelivery proves what a person sees of an answer when the platform fails, and
// when.
func TestDelivery(t *testing.T) {
	tests := []struct {
		name             string
		dedupe, readBack bool
		faults           []notifiertest.Fault
		nothing          time.Duration // for so long the person sees nothing
		within           time.Duration // by then they see want
		want             []string
	}{
		{name: "no fault", want: []string{"you said hello"}},
		{name: "slow down", faults: faults(1, notifiertest.Busy), nothing: 900 * time.Millisecond, within: 2 * time.Second, want: []string{"you said hello"}},
		{name: "broken twice", faults: faults(2, notifiertest.Broken), within: 5 * time.Second, want: []string{"you said hello"}},
		{name: "broken for two hours", faults: faults(32, notifiertest.Broken), nothing: 110 * time.Minute, within: 2 * time.Hour, want: []string{"you said hello"}},
		{name: "dies before, read back", readBack: true, faults: faults(1, notifiertest.DieBefore), within: time.Minute, want: []string{"you said hello"}},
		{name: "dies after, read back", readBack: true, faults: faults(1, notifiertest.DieAfter), within: time.Minute, want: []string{"you said hello"}},
		{name: "dies after, with keys", dedupe: true, faults: faults(1, notifiertest.DieAfter), within: time.Minute, want: []string{"you said hello"}},
		{name: "dies after, cannot tell", faults: faults(1, notifiertest.DieAfter), within: time.Minute,
			want: []string{"you said hello", repeated + "you said hello"}},
		{name: "dies after, then slow down, cannot tell", faults: []notifiertest.Fault{notifiertest.DieAfter, notifiertest.Busy}, within: time.Minute,
			want: []string{"you said hello", repeated + "you said hello"}},
		{name: "dies twice, cannot tell", faults: faults(2, notifiertest.DieBefore), within: time.Minute,
			want: []string{repeated + "you said hello"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{Dedupe: test.dedupe, ReadBack: test.readBack}, func(in *workflowtest.Installation) {
				in.Platform.Order(test.faults...)
				in.Write(workflowtest.Message{Route: c1, Text: "hello"})
				if test.nothing > 0 {
					in.Pass(test.nothing)
					in.Sees("c1")
				}
				in.Pass(test.within - test.nothing)
				in.Sees("c1", test.want...)
				in.Pass(24 * time.Hour)
				in.Sees("c1", test.want...)
				if rows := in.Outbox("c1"); rows[0].State != core.Sent || len(rows[0].Receipts) != 1 {
					t.Errorf("the delivery is %s, its receipts %q", rows[0].State, rows[0].Receipts)
				}
				if in.IsRunning(wire.OutboxID(c1)) {
					t.Error("the Outbox workflow does not end")
				}
			})
		})
	}
}

// TestRefusedDelivery proves what becomes of what a platform refuses, and that a task
// is not less completed for it.
func TestRefusedDelivery(t *testing.T) {
	tests := []struct {
		name  string
		then  func(in *workflowtest.Installation, row int64) error
		state core.OutboxState
		want  []string // what the person sees from then on
	}{
		{name: "nothing is done", then: func(*workflowtest.Installation, int64) error { return nil }, state: core.Blocked, want: []string{atWork}},
		{name: "it is tried again", then: (*workflowtest.Installation).Retry, state: core.Sent, want: []string{atWork, "done 1h"}},
		{name: "it is dismissed", then: (*workflowtest.Installation).Dismiss, state: core.Dismissed, want: []string{atWork}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{Dedupe: true, ReadBack: true}, func(in *workflowtest.Installation) {
				in.Write(workflowtest.Message{Route: c1, Text: do(send("sasha", "wait 1h"))})
				in.Platform.Order(notifiertest.Refuse)
				in.Pass(2 * time.Hour)
				in.Sees("c1", atWork)
				row := in.Outbox("c1")[1]
				if row.State != core.Blocked || !strings.Contains(row.Error, "403") {
					t.Errorf("the delivery is %s: %q", row.State, row.Error)
				}
				if task := in.TaskOf("sasha"); task.State != core.Completed || task.Delivery != core.Blocked {
					t.Errorf("the task is %s and its delivery %q", task.State, task.Delivery)
				}
				if err := test.then(in, row.ID); err != nil {
					t.Error(err)
				}
				in.Pass(24 * time.Hour)
				in.Sees("c1", test.want...)
				if got := in.Outbox("c1")[1].State; got != test.state {
					t.Errorf("the delivery is %s, want %s", got, test.state)
				}
				if test.state != core.Sent {
					return
				}
				// What has arrived can neither be retried nor dismissed, and that is said.
				for verb, err := range map[string]error{"retried": in.Retry(row.ID), "dismissed": in.Dismiss(row.ID)} {
					var no *service.Error
					if !errors.As(err, &no) || no.Kind != service.KindConflict || no.Message != fmt.Sprintf("delivery %d has already arrived", row.ID) {
						t.Errorf("what was sent, %s: %v", verb, err)
					}
				}
			})
		})
	}
}

// TestOpenAgain proves that what a chat refused holds up nothing, and arrives by
// itself, in order, when the chat takes messages again; and that what may have arrived
// before it was refused is marked as a repeat.
func TestOpenAgain(t *testing.T) {
	refuse := []notifiertest.Fault{notifiertest.Refuse}
	tests := []struct {
		name     string
		can      bool // show a key once, and be asked for it
		tasks    string
		first    []notifiertest.Fault // what the first result meets
		second   []notifiertest.Fault
		refused  int
		want     []string // what the person sees, in order
		repeated bool     // the last of these is marked
	}{
		{name: "in order", can: true, tasks: do(send("sasha", "wait 1h"), send("finn", "wait 2h")), first: refuse, second: refuse, refused: 2,
			want: []string{atWork, "you said hello", "done 1h", "done 2h"}},
		{name: "in doubt", tasks: do(send("sasha", "wait 1h")), first: []notifiertest.Fault{notifiertest.DieAfter, notifiertest.Refuse}, refused: 1,
			want: []string{atWork, "done 1h", "you said hello", "done 1h"}, repeated: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{Dedupe: test.can, ReadBack: test.can}, func(in *workflowtest.Installation) {
				in.Write(workflowtest.Message{Route: c1, Text: test.tasks})
				in.Platform.Order(test.first...)
				in.Pass(90 * time.Minute)
				in.Platform.Order(test.second...)
				in.Pass(90 * time.Minute)
				blocked := 0
				for _, row := range in.Outbox("c1") {
					if row.State == core.Blocked {
						blocked++
					}
				}
				if blocked != test.refused {
					t.Errorf("%d deliveries are blocked, want %d", blocked, test.refused)
				}
				in.Write(workflowtest.Message{Route: c1, Text: "hello"})
				in.Pass(time.Minute)
				in.Sees("c1", test.want...)
				if got := in.Platform.Seen("c1"); test.repeated && got[3] != repeated+got[1] {
					t.Errorf("the repeat is %q", got[3])
				}
			})
		})
	}
}

// TestUnknownChannel proves that an answer for a channel that is not set up
// waits, visible, for somebody who sets it up.
func TestUnknownChannel(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Write(workflowtest.Message{Route: core.Route{Channel: "pigeon", Account: "main", Chat: "c1"}, Text: "hello"})
		in.Pass(24 * time.Hour)
		in.Reconcile()
		rows := in.Outbox("c1")
		if len(rows) != 1 || rows[0].State != core.Pending || !rows[0].AwaitsAccount() || !strings.Contains(rows[0].Error, "pigeon/main") {
			t.Errorf("the deliveries are %+v", rows)
		}
	})
}
