package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/llm/llmtest"
	"errand/internal/store"
	"errand/workflows"
	"errand/workflows/workflowtest"
)

// said is what an agent reads that a person has added.
const said = "[added to the task by the person it is for:]\n"

// TestSteerTask proves that what a person adds to a task is read by its agent before its next
// step, whatever it is doing, that no report leaves it out, and that nothing is wedged by
// it.
func TestSteerTask(t *testing.T) {
	list := do(llmtest.Use("list_pending_async_agents", nil))
	for _, test := range []struct {
		name string
		task string   // what sasha is asked to do
		more string   // what is added
		open []string // gates, in order, once it was added
		want []string // of the result, in order
		not  string   // of it
		asks int      // how often sasha's model is called
	}{
		{name: "in a step", task: "after one " + list, more: "by night", open: []string{"one"},
			want: []string{"told: ", "you said ", said + "by night"}, asks: 2},
		{name: "while it answers", task: "wait one", more: "by night", open: []string{"one"},
			want: []string{"you said ", said + "by night"}, not: "done one", asks: 2},
		{name: "while it waits for a task", task: do(ask("finn", "wait one")), more: "by night", open: []string{"one"},
			want: []string{"finn: completed]", "done one"}, asks: 3},
		{name: "while it joins", task: do(send("finn", "wait one")), more: "by night", open: []string{"one"},
			want: []string{"finn: completed]", "done one"}, asks: 4},
		{name: "to do something else", task: do(send("finn", "wait one")), more: list, open: []string{"one"},
			want: []string{"finn: completed]", "done one"}, asks: 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", test.task)))
				id := in.TaskOf("sasha").ID
				if answer := in.Command("/task " + string(id) + " " + test.more); answer != "Sasha will read that before the next step of "+string(id)+"." {
					t.Errorf("the person reads %q", answer)
				}
				for _, gate := range test.open {
					in.Stage.Open(gate)
					in.Settle()
				}
				task := in.TaskOf("sasha")
				if task.State != errand.Completed {
					t.Fatalf("the task is %s", task.State)
				}
				rest := task.Result
				for _, want := range test.want {
					_, after, found := strings.Cut(rest, want)
					if !found {
						t.Errorf("the result is %q, want %q in it", task.Result, test.want)
					}
					rest = after
				}
				if test.not != "" && strings.Contains(task.Result, test.not) {
					t.Errorf("the result is %q", task.Result)
				}
				if n := in.Stage.Called("sasha"); n != test.asks {
					t.Errorf("sasha's model was called %d times, want %d", n, test.asks)
				}
				read := 0
				for _, m := range in.Transcript(errand.SubAgentOwner(id, "sasha")) {
					if strings.HasSuffix(m.Text, said+test.more) {
						read++
					}
				}
				if read != 1 {
					t.Errorf("it stands in sasha's transcript %d times", read)
				}
				for _, task := range in.Tasks() {
					if !task.State.Terminal() {
						t.Errorf("%s is %s", task.AgentList(), task.State)
					}
				}
			})
		})
	}
}

// TestSteerTaskUnsignalled proves that what was committed and of which nobody was told is read
// all the same: before the next step, and by one that only waits, now and then.
func TestSteerTaskUnsignalled(t *testing.T) {
	for _, test := range []struct {
		name, task string
		passes     time.Duration
	}{
		{"in a step", "wait one", 0},
		{"while it waits for a task", do(ask("finn", "wait 9h")), 6 * time.Minute},
		{"while it joins", do(send("finn", "wait 9h")), 6 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", test.task)))
				id := in.TaskOf("sasha").ID
				added, err := in.Store.AddToTask(in.T.Context(), id, store.TaskMessage{Key: "k", Person: workflowtest.Owner, Role: errand.MasterAdmin, Text: "by night"})
				if err != nil || !slices.Equal(added.Agents, []errand.AgentName{"sasha"}) {
					t.Fatal(added, err)
				}
				in.Stage.Open("one")
				in.Pass(test.passes)
				in.Settle()
				if rows, err := in.Store.UntakenTaskMessages(in.T.Context(), errand.SubAgentOwner(id, "sasha")); err != nil || len(rows) > 0 {
					t.Errorf("%v is not read, %v", rows, err)
				}
			})
		})
	}
}

// TestSteerTaskWithNothing proves that signals which name nothing that there is, or that was
// read, change nothing: no wait ends for good, no turn follows another.
func TestSteerTaskWithNothing(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", do(send("finn", "wait one")))))
		id := in.TaskOf("sasha").ID
		owner := string(errand.SubAgentOwner(id, "sasha"))
		in.Command("/task " + string(id) + " by night")
		before := in.Stage.Called("sasha")
		for _, arg := range []any{workflows.SteerSignal{}, workflows.SteerSignal{Row: 999}, workflows.SteerSignal{Row: 1}, "a word", nil} {
			if err := in.Signal(owner, workflows.SignalSteer, arg); err != nil {
				t.Fatal(err)
			}
		}
		if n := in.Stage.Called("sasha"); n != before {
			t.Errorf("sasha's model was called %d times for nothing", n-before)
		}
		if !in.IsRunning(owner) {
			t.Fatal("sasha's workflow has ended")
		}
		in.Stage.Open("one")
		in.Settle()
		if task := in.TaskOf("sasha"); task.State != errand.Completed || !strings.Contains(task.Result, "done one") {
			t.Errorf("the task is %s: %s", task.State, task.Result)
		}
	})
}

// TestSteerTaskOfSeveral proves that each agent of a task reads what is added, but for one that
// has reported.
func TestSteerTaskOfSeveral(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Delegate("wait one", "sasha", "finn")
		id := in.TaskOf("sasha").ID
		if answer := in.Command("/task " + string(id) + " by night"); !strings.HasPrefix(answer, "Sasha, Finn will read that") {
			t.Errorf("the person reads %q", answer)
		}
		in.Stage.Open("one")
		in.Settle()
		task := in.TaskOf("sasha")
		if task.State != errand.Completed || strings.Count(task.Result, said+"by night") != 2 {
			t.Errorf("the task is %s: %s", task.State, task.Result)
		}
	})
}
