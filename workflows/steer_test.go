package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

const said = "[added to the task by the user:]\n"

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

		answer string // of the question that sasha asks; -: it asks none any more; empty: it asks none
	}{
		{name: "in a step", task: "after one " + list, more: "by night", open: []string{"one"},
			want: []string{"told: ", "you said ", said + "by night"}, asks: 2},
		{name: "while it answers", task: "wait one", more: "by night", open: []string{"one"},
			want: []string{"you said ", said + "by night"}, not: "done one", asks: 2},
		{name: "while it waits for a task", task: do(ask("finn", "wait one")), more: "by night", open: []string{"one"},
			want: []string{"finn: completed]", "done one"}, asks: 3},
		{name: "while it joins", task: do(send("finn", "wait one")), more: "by night", open: []string{"one"},
			want: []string{"finn: completed]", "done one"}, asks: 4},
		{name: "while it waits for an answer", task: do(asks("Which day?")), more: "by night", answer: "-",
			want: []string{"you said ", said + "by night"}, asks: 2},
		{name: "while it waits for an answer, which it asks for again", task: do(asks("Which day?")), more: do(asks("Which day?")), answer: "Monday",
			want: []string{"Monday"}, asks: 3},
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
				switch test.answer {
				case "":
				case "-":
					in.Settle()
				default:
					in.Settle()
					if got := in.Command("/answer " + string(question(in).ID) + " " + test.answer); got != "Sasha has your answer: "+test.answer {
						t.Errorf("whoever answers reads %q", got)
					}
					in.Settle()
				}
				for _, gate := range test.open {
					in.Stage.Open(gate)
					in.Settle()
				}
				task := in.TaskOf("sasha")
				if task.State != core.Completed {
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
				for _, m := range in.Transcript(core.SubAgentOwner(id, "sasha")) {
					if m.Speaker == core.FromPerson && m.Text == said+test.more {
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
		watched    bool // by the watchdog alone
	}{
		{"in a step", "wait one", 0, false},
		{"while it waits for a task", do(ask("finn", "wait 9h")), 6 * time.Minute, false},
		{"while it joins", do(send("finn", "wait 9h")), 6 * time.Minute, false},
		{"while it waits for an answer alone", do(asks("Which day?")), 48 * time.Hour, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", test.task)))
				id := in.TaskOf("sasha").ID
				added, err := in.Store.AddToTask(in.T.Context(), id, store.TaskMessage{Key: "k", Person: workflowtest.Owner, Role: core.MasterAdmin, Text: "by night"})
				if err != nil || !slices.Equal(added.Agents, []core.AgentName{"sasha"}) {
					t.Fatal(added, err)
				}
				in.Stage.Open("one")
				in.Pass(test.passes)
				in.Settle()
				if test.watched {
					if rows, err := in.Store.UntakenTaskMessages(in.T.Context(), core.SubAgentOwner(id, "sasha")); err != nil || len(rows) != 1 {
						t.Fatalf("nobody has told sasha, and of what was added she has not read %v, %v", rows, err)
					}
					in.Reconcile()
					in.Settle()
				}
				if rows, err := in.Store.UntakenTaskMessages(in.T.Context(), core.SubAgentOwner(id, "sasha")); err != nil || len(rows) > 0 {
					t.Errorf("%v is not read, %v", rows, err)
				}
			})
		})
	}
}

// TestSteerParkedSubAgent proves that what is added to a task whose agent waits for an
// answer wedges neither: the agent reads it, the question stays open under its id, and its
// answer is read, too. (In vercel/eve#3458 a child that was steered while it was parked did
// nothing any more; in vercel/eve#3103 what was asked got another id.)
func TestSteerParkedSubAgent(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", do(asks("Which day?")))))
		in.Settle()
		q, id := question(in), in.TaskOf("sasha").ID
		for range 2 {
			in.Command("/task " + string(id) + " " + do(asks("Which day?")))
			in.Settle()
		}
		if now := question(in); now.ID != q.ID {
			t.Errorf("it asks %s, and did %s", now.ID, q.ID)
		}
		if got := in.Command("/answer " + string(q.ID) + " Monday"); got != "Sasha has your answer: Monday" {
			t.Errorf("whoever answers reads %q", got)
		}
		in.Pass(10 * time.Second)
		if task := in.TaskOf("sasha"); task.State != core.Completed || !strings.Contains(task.Result, "Monday") {
			t.Errorf("the task is %s: %q", task.State, task.Result)
		}
	})
}

// TestSteerTaskWithNothing proves that signals which name nothing that there is, or that was
// read, change nothing: no wait ends for good, no turn follows another.
func TestSteerTaskWithNothing(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", do(send("finn", "wait one")))))
		id := in.TaskOf("sasha").ID
		owner := string(core.SubAgentOwner(id, "sasha"))
		in.Command("/task " + string(id) + " by night")
		before := in.Stage.Called("sasha")
		for _, arg := range []any{wire.SteerSignal{}, wire.SteerSignal{Row: 999}, wire.SteerSignal{Row: 1}, "a word", nil} {
			if err := in.Signal(owner, wire.SignalSteer, arg); err != nil {
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
		if task := in.TaskOf("sasha"); task.State != core.Completed || !strings.Contains(task.Result, "done one") {
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
		if task.State != core.Completed || strings.Count(task.Result, said+"by night") != 2 {
			t.Errorf("the task is %s: %s", task.State, task.Result)
		}
	})
}

// TestAgentSteers proves that an agent adds to a task that it sees, as from itself, and is
// told why it cannot where it cannot.
func TestAgentSteers(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "wait one")))
		id := in.TaskOf("sasha").ID
		steer := func() string {
			in.Send(do(llmtest.Use("steer_task", map[string]string{"task_id": string(id), "text": "by night"})))
			read := in.Read()
			return read[len(read)-1]
		}
		if got := steer(); !strings.Contains(got, "It is added: sasha reads it before its next step. "+string(id)+" is working.") {
			t.Errorf("nikki is told %q", got)
		}
		in.Stage.Open("one")
		in.Settle()
		if task := in.TaskOf("sasha"); !strings.Contains(task.Result, "[added to the task by Nikki, an agent, not by the user:]\nby night") {
			t.Errorf("the result is %q", task.Result)
		}
		if got := steer(); !strings.Contains(got, "error: "+string(id)+" has ended already: completed.") {
			t.Errorf("nikki is told %q", got)
		}
	})
}

// TestTaskCommandMistaken proves what is answered to those who say something to no task.
func TestTaskCommandMistaken(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "wait 9h")))
		id := string(in.TaskOf("sasha").ID)
		wrong := id[:len(id)-1] + "0"
		for said, want := range map[string]string{
			"/task " + wrong + " by night":                "There is no task " + wrong + ". Did you mean " + id + "?",
			"/task t-zzzzzzzz by night":                   "There is no task t-zzzzzzzz. /tasks lists the latest.",
			"/task " + id + ", by night":                  "Sasha will read that before the next step of " + id + ".",
			"/task " + strings.ToUpper(id) + ": by night": "Sasha will read that before the next step of " + id + ".",
			"/task " + id + " \u200b":                     "working", // nobody sees that
			"/task " + id + ".":                           "working",
		} {
			if got := in.Command(said); !strings.Contains(got, want) {
				t.Errorf("%q is answered %q, want %q", said, got, want)
			}
		}
	})
}

// TestContinueTask proves that one goes on with a task that has ended, whatever has become
// of it and whatever time has passed: its agent has what it had, word for word, then what
// was not read, and then the text; and the result is told once, in the chat that asks.
func TestContinueTask(t *testing.T) {
	for _, test := range []struct {
		name, task string
		end        func(in *workflowtest.Installation, id core.TaskID)
		state      core.TaskState
		unread     bool
	}{
		{"completed", "check trains", func(*workflowtest.Installation, core.TaskID) {}, core.Completed, false},
		{"long ago", "check trains", func(in *workflowtest.Installation, _ core.TaskID) { in.Pass(90 * 24 * time.Hour) }, core.Completed, false},
		{"canceled", do(send("finn", "wait 9h")), func(in *workflowtest.Installation, id core.TaskID) {
			if err := in.CancelTask(id, "enough"); err != nil {
				in.T.Fatal(err)
			}
			in.Settle()
		}, core.Canceled, false},
		{"canceled before it read all", "wait 9h", func(in *workflowtest.Installation, id core.TaskID) {
			in.Command("/task " + string(id) + " by night")
			if err := in.CancelTask(id, "enough"); err != nil {
				in.T.Fatal(err)
			}
			in.Settle()
		}, core.Canceled, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", test.task)))
				old := in.TaskOf("sasha")
				test.end(in, old.ID)
				if old = in.TaskOf("sasha"); old.State != test.state {
					t.Fatalf("the task is %s", old.State)
				}
				before := in.Transcript(core.SubAgentOwner(old.ID, "sasha"))
				prompt := in.LastPrompt("sasha")
				answer := in.Write(workflowtest.Message{Route: core.WebRoute("other"), Text: "/task " + string(old.ID) + "  and the\nway back?"})
				in.Settle()
				var next core.Task
				for _, task := range in.Tasks() {
					if task.Continues == old.ID {
						next = task
					}
				}
				if want := string(old.ID) + " has already ended. Sasha will continue it as " + string(next.ID) + "."; answer != want {
					t.Errorf("the person reads %q, want %q", answer, want)
				}
				if next.State != core.Completed || next.Origin.Chat != "other" || next.Origin.Root == old.Origin.Root || next.Parent != "" {
					t.Fatalf("what goes on is %s: %+v", next.State, next.Origin)
				}
				after := in.Transcript(core.SubAgentOwner(next.ID, "sasha"))
				for i, m := range before {
					if after[i].Text != m.Text || after[i].Speaker != m.Speaker || len(after[i].Calls) != len(m.Calls) {
						t.Errorf("message %d is %+v, and was %+v", i, after[i], m)
					}
				}
				added := texts(after[len(before):])
				if test.unread {
					if added[0] != said+"by night" {
						t.Errorf("what was not read is %q", added[0])
					}
					added = added[1:]
				}
				asks := "[task " + string(old.ID) + " and everything it delegated has ended. It continues now as task " + string(next.ID) + ". What to do:]\nand the\nway back?"
				if len(added) != 2 || added[0] != asks {
					t.Errorf("then follow %q, want %q and the answer", added, asks)
				}
				if now := in.LastPrompt("sasha"); now.System != prompt.System {
					t.Errorf("the prompt begins with\n%s\nand did with\n%s", now.System, prompt.System)
				}
				in.Pass(time.Minute)
				told := 0
				for _, text := range in.ReadIn(workflowtest.Key("other")) {
					if strings.Contains(text, "way back?") {
						told++
					}
				}
				if told != 1 {
					t.Errorf("the result is told %d times: %q", told, in.ReadIn(workflowtest.Key("other")))
				}
				// And once more, from there.
				in.Command("/task " + string(next.ID) + " and back again")
				in.Settle()
				last := in.LastPrompt("sasha")
				if last.System != prompt.System || !strings.Contains(last.Messages[len(last.Messages)-1].Text, "back again") {
					t.Errorf("gone on with again, the prompt ends with %q", texts(last.Messages))
				}
			})
		})
	}
}

// TestContinueTaskOfSeveral proves that all agents of a task go on.
func TestContinueTaskOfSeveral(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Delegate("check trains", "sasha", "finn")
		old := in.TaskOf("sasha")
		in.Command("/task " + string(old.ID) + " and back")
		in.Settle()
		list := in.Tasks()
		next := list[slices.IndexFunc(list, func(t core.Task) bool { return t.Continues == old.ID })]
		if next.State != core.Completed || strings.Count(next.Result, "and back") != 2 {
			t.Errorf("what goes on with %s is %+v", old.ID, next)
		}
	})
}

func texts(messages []core.Message) (list []string) {
	for _, m := range messages {
		list = append(list, m.Text)
	}
	return list
}

// TestContinueDelivered proves that a message which goes on with a task and was never
// answered, for its worker died, goes on with it once, and is answered so.
func TestContinueDelivered(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Delegate("hello", "sasha")
		id := in.TaskOf("sasha").ID
		by := actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin}
		further := api.ContinueTaskInput{TaskRef: servicetest.Changed(in.T.Context(), in.House.Service, by, id), Key: string(workflowtest.Key("main")) + " m7"}
		further.Body.Text = "and back"
		next, err := ops.Do(in.T.Context(), in.House.Runner, api.ContinueTask, by, further)
		if err != nil {
			t.Fatal(err)
		}
		in.Settle()
		answer := in.Write(workflowtest.Message{Route: core.WebRoute("main"), ID: "m7", Text: "/task " + string(id) + " and back"})
		if len(in.Tasks()) != 2 || !strings.Contains(answer, string(next.ID)) || !strings.Contains(answer, "Sasha") {
			t.Errorf("of %d tasks the person reads %q, and it goes on as %s", len(in.Tasks()), answer, next.ID)
		}
	})
}
