package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// What agents are told, see [llmtest.Stage].
var (
	do   = llmtest.Do
	ask  = llmtest.Ask
	send = llmtest.Send
)

const atWork = "Still at work." // what is told of a task that is sent off

// TestTurn proves what a person reads of a turn, and of the tasks it delegates, in
// each of the ways in which a result can come back.
func TestTurn(t *testing.T) {
	tests := []struct {
		name string
		run  func(in *workflowtest.Installation)
		want []string // what the person reads, in order
		ways []core.Way
	}{
		{name: "plain", run: func(in *workflowtest.Installation) { in.Send("hello") }, want: []string{"you said hello"}},
		{name: "a tool", run: func(in *workflowtest.Installation) {
			in.Send(do(llmtest.Use("remember", map[string]string{"key": "home", "value": "Oslo"})))
			in.Send(do(llmtest.Use("recall", map[string]string{"key": "home"})))
		}, want: []string{"told: ", "Oslo"}},
		{name: "turn: the caller waits", run: func(in *workflowtest.Installation) {
			in.Send(do(ask("sasha", "wait 50s")))
			in.Pass(time.Hour)
		}, want: []string{"done 50s"}, ways: []core.Way{core.WayTurn}},
		{name: "fold: the caller's patience ends", run: func(in *workflowtest.Installation) {
			in.Send(do(ask("sasha", "wait 70s")))
			in.Pass(59 * time.Second)
			in.Reads()
			in.Pass(time.Hour)
		}, want: []string{atWork, "done 70s"}, ways: []core.Way{core.WayFold}},
		{name: "fold: the person writes while the turn waits", run: func(in *workflowtest.Installation) {
			in.Send(do(ask("sasha", "wait 50s")))
			in.Send("hello")
			in.Reads(atWork, "you said hello")
			in.Pass(time.Hour)
		}, want: []string{atWork, "you said hello", "done 50s"}, ways: []core.Way{core.WayFold}},
		{name: "fold: the session goes on meanwhile", run: func(in *workflowtest.Installation) {
			in.Send(do(send("sasha", "wait 3h")))
			in.Pass(time.Hour)
			in.Send("hello")
			in.Pass(3 * time.Hour)
		}, want: []string{atWork, "you said hello", "done 3h"}, ways: []core.Way{core.WayFold}},
		{name: "notification: the session was reset", run: func(in *workflowtest.Installation) {
			in.Send(do(send("sasha", "wait 3h")))
			in.Reset()
			in.Pass(4 * time.Hour)
		}, want: []string{atWork, "Sasha here: "}, ways: []core.Way{core.WayNotification}},
		{name: "a chain", run: func(in *workflowtest.Installation) {
			in.Send(do(send("sasha", do(ask("finn", "wait 2h")))))
			in.Pass(3 * time.Hour)
		}, want: []string{atWork, "done 2h"}, ways: []core.Way{core.WayFold, core.WayTurn}},
		{name: "a model that has trouble for half a minute", run: func(in *workflowtest.Installation) {
			in.Stage.Failing("nikki", &llm.Error{Kind: llm.Overloaded, Status: 500, Message: "down"})
			in.Send("hello")
			in.Pass(30 * time.Second)
			in.Stage.Failing("nikki", nil)
			in.Pass(time.Minute)
		}, want: []string{"The model provider is having problems. ", "you said hello"}},
		{name: "a model that is down for hours", run: func(in *workflowtest.Installation) {
			in.Stage.Failing("nikki", &llm.Error{Kind: llm.Overloaded, Status: 500, Message: "down"})
			in.Send("hello")
			in.Pass(20 * time.Second)
			in.Reads("The model provider is having problems. ")
			in.Pass(5 * time.Hour)
			in.Reads("The model provider is having problems. ")
			in.Stage.Failing("nikki", nil)
			in.Pass(time.Minute)
		}, want: []string{"The model provider is having problems. ", "you said hello"}},
		{name: "a model that refuses its key until that is corrected", run: func(in *workflowtest.Installation) {
			in.Stage.Failing("nikki", &llm.Error{Kind: llm.Refused, Status: 401, Message: "the key was not accepted"})
			in.Send("hello")
			in.Reads("The model provider rejected the API key. ")
			in.Pass(time.Hour)
			in.Stage.Failing("nikki", nil)
			in.Pass(time.Minute)
		}, want: []string{"The model provider rejected the API key. ", "you said hello"}},
		{name: "a result while the model is down", run: func(in *workflowtest.Installation) {
			in.Send(do(send("sasha", "wait 1h")))
			in.Stage.Failing("nikki", &llm.Error{Kind: llm.Overloaded, Status: 500, Message: "down"})
			in.Send("hello")
			in.Pass(62 * time.Minute)
			in.Reads(atWork, "The model provider is having problems. ", "Sasha here: ")
			in.Stage.Failing("nikki", nil)
			in.Pass(time.Minute)
		}, want: []string{atWork, "The model provider is having problems. ", "Sasha here: ", "you said hello"}, ways: []core.Way{core.WayNotification}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				test.run(in)
				in.Reads(test.want...)
				tasks := in.Tasks()
				for i, task := range tasks {
					if len(tasks) != len(test.ways) || task.State != core.Completed || task.Way != test.ways[i] {
						t.Errorf("tasks are %v, want completed ones by way %q", tasks, test.ways)
					}
				}
			})
		})
	}
}

// TestSuspended proves that a suspended session is woken by a late result, and
// does not answer a second time what it had answered.
func TestSuspended(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		suspended := func() {
			t.Helper()
			if in.IsRunning(string(workflowtest.Key("main"))) {
				t.Error("the session is not suspended")
			}
		}
		in.SendWithID("id-1", do(send("sasha", "wait 3h")))
		in.Pass(31 * time.Minute)
		suspended()
		in.SendWithID("id-1", do(send("sasha", "wait 3h")))
		in.Pass(31 * time.Minute)
		suspended()
		in.Reads(atWork)
		in.Pass(2 * time.Hour)
		in.Reads(atWork, "done 3h")
		in.Pass(31 * time.Minute)
		suspended()
		in.Send("hello")
		in.Reads(atWork, "done 3h", "you said hello")
		if list := in.Tasks(); len(list) != 1 || list[0].Way != core.WayFold {
			t.Errorf("tasks are %v; want one, by way of fold", list)
		}
	})
}

// TestContinuedSession proves that a session loses nothing when its workflow
// begins a new run after every turn.
func TestContinuedSession(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{Settings: func(s *wire.Settings) { s.TurnsPerRun = 1 }}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "wait 1h")))
		for _, text := range []string{"m0", "m1", "m2", "m3", "m4"} {
			in.Send(text)
		}
		in.Pass(2 * time.Hour)
		in.Reads(atWork, "you said m0", "you said m1", "you said m2", "you said m3", "you said m4", "done 1h")
	})
}

// TestFoldWindow proves that results which arrive together are told in one turn, and
// that the window ends when nothing is open any more.
func TestFoldWindow(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{Settings: func(s *wire.Settings) { s.FoldWindow = time.Hour }}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "wait 10m"), send("finn", "wait 10m"), send("priest", "wait 20m"), send("sasha", "wait 30m")))
		before := in.Stage.Called("nikki")
		in.Pass(29 * time.Minute)
		in.Reads(atWork)
		in.Pass(time.Minute)
		in.Reads(atWork, "done 10m")
		text := in.Read()[1]
		if strings.Count(text, "done 10m") != 2 || strings.Count(text, "done 20m") != 1 || strings.Count(text, "done 30m") != 1 || in.Stage.Called("nikki") != before+1 {
			t.Errorf("%d model calls tell %q; want one, with all four", in.Stage.Called("nikki")-before, text)
		}
	})
}

// TestFoldWindowIsOver proves that results are told when the window is over by the clock,
// though its timer is late because the session is signalled all the time.
func TestFoldWindowIsOver(t *testing.T) {
	o := workflowtest.Options{Late: 24 * time.Hour, Settings: func(s *wire.Settings) { s.FoldWindow = time.Hour }}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "wait 10m"), send("finn", "wait 30m"), send("priest", "wait 2h"), send("sasha", "wait 9h")))
		in.Pass(90 * time.Minute)
		in.Reads(atWork)
		in.Pass(30 * time.Minute) // the third result is the first signal after the window
		in.Reads(atWork, "done 10m")
		if text := in.Read()[1]; strings.Count(text, "done 30m") != 1 || strings.Count(text, "done 2h") != 1 {
			t.Errorf("told is %q; want all three that have ended", text)
		}
	})
}

// TestFailedFold proves that results reach the person though the agent cannot
// tell them, whatever the reason.
func TestFailedFold(t *testing.T) {
	refused := &llm.Error{Kind: llm.Refused, Status: 401, Message: "the key was not accepted"}
	tests := []struct {
		name    string
		err     error
		message bool // one is written before the results are told
		want    []string
	}{
		{name: "until the fold timeout", err: &llm.Error{Kind: llm.Overloaded, Status: 500, Message: "down"}, want: []string{atWork, "Sasha here: "}},
		{name: "for good", err: refused, want: []string{atWork, "Sasha here: "}},
		{name: "for good, with a message", err: refused, message: true,
			want: []string{atWork, "done 90m", "The model provider rejected the API key. ", "Sasha here: ", "The model provider rejected the API key. "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", "wait 1h")))
				if test.message {
					// Both wait for a turn that is still running.
					in.Send("wait 90m")
					in.Send("hello")
				}
				if !test.message {
					in.Stage.Failing("nikki", test.err)
				}
				in.Pass(time.Hour)
				if !in.Tasks()[0].State.Terminal() {
					t.Error("the task has no outcome")
				}
				if test.message {
					in.Stage.Failing("nikki", test.err)
					in.Pass(30 * time.Minute)
				}
				in.Pass(9 * time.Minute)
				if test.err != refused {
					in.Reads(test.want[0])
				}
				in.Pass(2 * time.Minute) // the fold timeout is over
				in.Reads(test.want...)
				if task := in.Tasks()[0]; task.Way != core.WayNotification || !strings.Contains(strings.Join(in.Read(), "\n"), "done 1h") {
					t.Errorf("the result went by %q", task.Way)
				}
				in.Stage.Failing("nikki", nil)
				in.Send("and now")
				in.Reads(append(test.want, "and now")...)
			})
		})
	}
}

// TestResultWithoutAChat proves that a task without a chat keeps its outcome.
func TestResultWithoutAChat(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Delegate("hello", "sasha", "finn", "sasha")
		got := in.Tasks()[0]
		if got.State != core.Completed || got.Way != core.WayNone || strings.Count(got.Result, "you said hello") != 2 {
			t.Errorf("the task is %s by way %q: %q", got.State, got.Way, got.Result)
		}
	})
}
