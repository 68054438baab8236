package workflows_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestBusyModes proves that every message of a burst is answered, whatever the
// mode, and what the model is given at once.
func TestBusyModes(t *testing.T) {
	tests := []struct {
		mode string
		want []string // what the person reads
	}{
		{mode: "collect", want: []string{"done 1m", "you said m2 + m3 + m4 + m5 + m6"}},
		{mode: "queue", want: []string{"done 1m", "you said m2", "you said m3", "you said m4", "you said m5", "you said m6"}},
		{mode: "interrupt", want: []string{"you said wait 1m + m2", "you said m3", "you said m4", "you said m5", "you said m6"}},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Command("/busy " + test.mode)
				in.Send("wait 1m")
				for i := 2; i <= 6; i++ {
					in.Send(fmt.Sprintf("m%d", i))
				}
				in.Pass(time.Hour)
				if got := in.Read(); !reflect.DeepEqual(got, test.want) {
					t.Errorf("the person reads %q, want %q", got, test.want)
				}
				in.LastGiven("m2", "m3", "m4", "m5", "m6")
			})
		})
	}
}

// TestSteer proves that what is written while an agent works with its tools is
// in its next step, and that the step after it still waits for its tasks.
func TestSteer(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Command("/busy steer")
		in.Send("after 10s " + do(ask("sasha", "wait 50s")))
		for i := 2; i <= 5; i++ {
			in.Send(fmt.Sprintf("m%d", i))
		}
		in.Send(do(ask("finn", "wait 20s")))
		in.Pass(31 * time.Second)
		in.Reads("done 20s")
		var second []string
		for _, r := range in.Stage.Requests() {
			if text, results := llmtest.Given(r); llmtest.OnStage(r) == "nikki" && len(text) > 1 && len(results) == 1 {
				second = text
			}
		}
		if len(second) != 5 || !reflect.DeepEqual(second[:4], []string{"m2", "m3", "m4", "m5"}) {
			t.Errorf("the second step was given %q after its tool's answer", second)
		}
		in.Pass(time.Hour)
		in.Reads("done 20s", "done 50s")
	})
}

// TestInterruptSparesTheAnswer proves that a message which the running turn is
// answering already does not interrupt it: neither its second delivery nor a
// signal of the watchdog.
func TestInterruptSparesTheAnswer(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Command("/busy interrupt")
		in.SendWithID("id-1", "wait 1m")
		in.SendWithID("id-1", "wait 1m")
		if err := in.Signal(string(workflowtest.Key("main")), wire.SignalMessage, wire.MessageSignal{}); err != nil {
			t.Error(err)
		}
		in.Pass(time.Hour)
		in.Reads("done 1m")
		if n := in.Stage.Called("nikki"); n != 1 {
			t.Errorf("the model was called %d times for one message", n)
		}
	})
}

// TestEditedMessage proves that an edit takes the place of what it corrects, or
// is answered by itself where it comes too late for that.
func TestEditedMessage(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		edit := func(id, text string) {
			in.Write(workflowtest.Message{Route: core.WebRoute("main"), ID: id, Revision: 1, Text: text})
		}
		in.SendWithID("id-1", "wait 1m")
		in.SendWithID("id-2", "trains to Olso")
		in.SendWithID("id-3", "please")
		edit("id-2", "trains to Oslo") // in time: takes the first one's place
		edit("id-1", "wait, what?")    // too late: a message of its own
		in.Pass(time.Hour)
		want := []string{"done 1m", "you said trains to Oslo + please + [edited] wait, what?"}
		if got := in.Read(); !reflect.DeepEqual(got, want) {
			t.Errorf("the person reads %q, want %q", got, want)
		}
	})
}

// TestStop proves what a stop ends, that no model call of it begins afterwards, and
// what the person reads.
func TestStop(t *testing.T) {
	const stopped = "The turn was stopped."
	tests := []struct {
		name     string
		say      string
		waiting  string // said while the first is at work
		stop     string
		want     []string // what the person reads, in order
		canceled []core.AgentName
	}{
		{name: "the turn, with what it waits for", say: do(send("sasha", "wait 1h")), waiting: do(ask("finn", do(ask("priest", "wait 50s")))), stop: "/stop",
			want: []string{atWork, stopped, "done 1h", "you said hello"}, canceled: []core.AgentName{"finn", "priest"}},
		{name: "everything", say: do(send("sasha", "wait 1h"), send("priest", do(send("vera", "wait 1h")))), waiting: do(ask("finn", "wait 50s")), stop: "/stop all",
			want: []string{atWork, stopped, "you said hello"}, canceled: []core.AgentName{"sasha", "finn", "priest", "vera"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(test.say)
				in.Send(test.waiting)
				in.Command(test.stop)
				quiet := in.Quiet(test.canceled...)
				in.Pass(2 * time.Hour)
				in.Send("hello")
				in.Reads(test.want...)
				quiet()
				for _, agent := range test.canceled {
					if task := in.TaskOf(agent); task.State != core.Canceled {
						t.Errorf("%s is %s; want it canceled", agent, task.State)
					}
				}
			})
		})
	}
}

// TestCancel proves that a task ends, with everything below it, whoever ends it
// and how, and that it has an outcome which whoever does not know it is told.
func TestCancel(t *testing.T) {
	signal := func(reason any) func(*workflowtest.Installation, core.TaskID) error {
		return func(in *workflowtest.Installation, id core.TaskID) error {
			return in.Signal(string(id), wire.SignalCancel, reason)
		}
	}
	tests := []struct {
		name   string
		cancel func(*workflowtest.Installation, core.TaskID) error
		why    string
		told   bool
	}{
		{"by a person", func(in *workflowtest.Installation, id core.TaskID) error {
			return in.CancelTask(id, "I know already")
		}, "I know already", false},
		{"by a plain signal", signal("no longer needed"), "no longer needed", true},
		{"by a signal without a reason", signal(nil), "canceled", true},
		{"by a signal that is no string", signal(map[string]int{"reason": 7}), "canceled", true},
		{"in the Web UI", func(in *workflowtest.Installation, id core.TaskID) error { return in.Cancel(string(id)) },
			"canceled from the Temporal Web UI or command line", true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", do(send("finn", "wait 1h")))))
				if err := test.cancel(in, in.TaskOf("sasha").ID); err != nil {
					t.Error(err)
				}
				in.Settle()
				quiet := in.Quiet("finn")
				if got := in.TaskOf("sasha"); got.State != core.Canceled || got.Error != test.why {
					t.Errorf("the task is %s, %q; want it canceled, %q", got.State, got.Error, test.why)
				}
				in.Pass(2 * time.Hour)
				if below := in.TaskOf("finn"); below.State != core.Canceled {
					t.Errorf("what it delegated is %s", below.State)
				}
				quiet()
				in.Send("hello")
				if test.told {
					in.Reads(atWork, test.why, "you said hello")
				} else {
					in.Reads(atWork, "you said hello")
				}
			})
		})
	}
}
