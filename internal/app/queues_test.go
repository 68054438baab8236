package app_test

import (
	"fmt"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/workflows"
)

// slots are as few as there can be, so that one call that waits takes them all.
func slots(turns, tasks int) func(*config.Config) {
	return func(c *config.Config) { c.Slots = config.Slots{Turns: turns, Tasks: tasks, Store: 4} }
}

// TestPeopleDoNotWait proves that a person is answered, and obeyed, while sub-agents
// have all slots of theirs and more of them wait for one.
func TestPeopleDoNotWait(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil, slots(2, 2))
	var calls []call
	for i := range 8 {
		calls = append(calls, send("sasha", fmt.Sprintf("wait never %d", i)))
	}
	key := in.say("main", do(calls...))
	in.until(key, replies(1))
	s.begun(t, "sasha", 2)

	in.until(in.say("elsewhere", "hello"), replies(1))
	in.until(in.say("main", "hello"), replies(2))
	in.command("main", "/reset")
	in.until(in.say("main", "hello"), replies(3))
	if n := s.calls("sasha"); n != 2 {
		t.Errorf("%d steps of sub-agents run, want as many as there are slots", n)
	}
}

// TestBackgroundGoesOn proves that sub-agents work while people have all slots of
// theirs and more of them wait for one.
func TestBackgroundGoesOn(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil, slots(2, 2))
	key := in.say("main", do(send("sasha", "after go "+do(send("finn", "check"), send("priest", "check")))))
	in.until(key, replies(1))
	s.begun(t, "sasha", 1)
	for i := range 4 {
		in.say(fmt.Sprintf("busy %d", i), "wait never")
	}
	s.begun(t, "nikki", 4) // 2 for main, and 2 of those that wait
	s.open("go")
	eventually(t, "the end of all tasks", func() bool {
		list := tasks(in)
		for _, task := range list {
			if !task.State.Terminal() {
				return false
			}
		}
		return len(list) == 3
	})
}

// TestManyTasksLeaveRoom proves that one person's many tasks, which have all slots
// and the whole queue, hold up another's one for a few of their steps only.
func TestManyTasksLeaveRoom(t *testing.T) {
	t.Parallel()
	const many, few = 24, 4
	in, s := play(t, nil, slots(2, 2))
	bob := in.person("bob", "en")
	var calls []call
	for i := range many {
		calls = append(calls, send("sasha", fmt.Sprint("wait ", i)))
	}
	in.until(in.say("main", do(calls...)), replies(1))
	s.begun(t, "sasha", 2)
	in.queued(many)
	bob.writes(do(send("finn", "check")), "")
	in.until(bob.key, replies(1))
	in.queued(many + 1)

	isOpen := map[string]bool{}
	for ended := 0; s.calls("finn") == 0; ended++ {
		if ended == few {
			t.Fatalf("it has not begun after %d of the other person's %d steps", ended, many)
		}
		before := s.calls("sasha")
		for _, r := range s.Requests() {
			if speaker(r) != "sasha" {
				continue
			}
			text, _ := given(r)
			if name := strings.TrimPrefix(text[0], "wait "); !isOpen[name] {
				isOpen[name] = true
				s.open(name)
				break
			}
		}
		eventually(t, "the next step", func() bool { return s.calls("sasha") > before || s.calls("finn") > 0 })
	}
	for i := range many {
		if name := fmt.Sprint(i); !isOpen[name] {
			s.open(name)
		}
	}
	for _, task := range in.awaitTasks(many + 1) {
		in.ended(task.ID)
	}
}

// queued waits until the first step of every task has begun or waits for a slot.
func (in *installation) queued(n int) {
	in.t.Helper()
	for _, task := range in.awaitTasks(n) {
		id := string(errand.SubAgentOwner(task.ID, task.Agents[0]))
		eventually(in.t, "the first step of "+id, func() bool {
			d, err := in.Client.DescribeWorkflowExecution(in.t.Context(), id, "")
			return err == nil && len(d.GetPendingActivities()) > 0
		})
	}
}

// TestDuplicateEndsNoWait proves that a message which comes once more while its
// turn waits for a colleague changes nothing.
func TestDuplicateEndsNoWait(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	text := do(ask("sasha", "wait late"))
	key := in.sayAs("main", text, "id-1")
	s.begun(t, "sasha", 1)
	before := len(in.signals(key, workflows.SignalMessage))
	in.sayAs("main", text, "id-1")
	if n := len(in.signals(key, workflows.SignalMessage)); n != before {
		t.Errorf("the session was signalled once more")
	}
	// Another worker may have looked before the turn took the message.
	if err := in.Dispatch.WakeSession(t.Context(), key, 1); err != nil {
		t.Fatal(err)
	}
	in.atRest(string(key))
	s.open("late")
	got := said(in.until(key, replies(1)))
	if !strings.Contains(got[0], "done late") {
		t.Errorf("the person reads %q, without the result", got)
	}
	if n := s.calls("nikki"); n != 2 {
		t.Errorf("%d calls of the model for the turn, want 2", n)
	}
}

// TestSignalledOnce proves that who knows of something is not signalled again and
// again while it waits: Temporal takes only so many signals for a run.
func TestSignalledOnce(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	in.say("main", do(send("sasha", do(send("finn", "check"), send("finn", "wait late")))))
	list := in.awaitTasks(3)
	s.begun(t, "finn", 2)
	eventually(t, "the end of one of them", func() bool {
		for _, task := range tasks(in) {
			if task.State.Terminal() {
				return true
			}
		}
		return false
	})
	key := in.say("busy", "wait busy")
	s.begun(t, "nikki", 3)
	in.say("busy", "and this")
	above := errand.SessionKey(errand.SubAgentOwner(list[2].ID, "sasha"))
	for range 5 {
		in.look()
	}
	if n := len(in.signals(above, workflows.SignalTaskFinished)); n > 2 {
		t.Errorf("the sub-agent was signalled %d times for one result, want twice at most", n)
	}
	if n := len(in.signals(key, workflows.SignalMessage)); n > 3 {
		t.Errorf("the session was signalled %d times for two messages, want 3 times at most", n)
	}
	s.open("late")
	s.open("busy")
	in.until(key, replies(2))
	for _, task := range list {
		in.ended(task.ID)
	}
}

// TestNewRunWhileBusy proves that a session which always has something to do
// continues as new all the same.
func TestNewRunWhileBusy(t *testing.T) {
	t.Parallel()
	in, s := play(t, func(o *app.Options) {
		o.Settings = func(set *workflows.Settings) { quick(set); set.TurnsPerRun = 1 }
	})
	in.command("main", "/busy queue")
	key := in.say("main", "wait first")
	s.begun(t, "nikki", 1)
	in.say("main", "second")
	in.say("main", "third")
	s.open("first")
	got := said(in.until(key, replies(3)))
	want := []string{"done first", "you said second", "you said third"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the person reads %q, want %q", got, want)
	}
	in.atRest(string(key))
	if runs := len(in.histories(string(key))); runs < 3 {
		t.Errorf("%d runs for 3 turns, want one for each", runs)
	}
}

// signals returns the events of one signal in the latest run of a workflow.
func (in *installation) signals(key errand.SessionKey, name string) []int64 {
	in.t.Helper()
	var ids []int64
	for _, e := range in.history(in.t.Context(), string(key), "").GetEvents() {
		if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED && e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == name {
			ids = append(ids, e.GetEventId())
		}
	}
	return ids
}

// TestOldPlacement proves that a conversation which began when there was one queue
// goes on there, and that what it delegates begins on the queues of now.
func TestOldPlacement(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	key := errand.NewSessionKey(errand.WebRoute("main"), app.Owner)
	settings := workflows.Settings{}.WithDefaults()
	settings.Placement = workflows.OneQueue
	_, err := in.Client.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{ID: string(key), TaskQueue: workflows.TaskQueue},
		workflows.Session, workflows.SessionInput{Store: in.Store.ID(), Key: key, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	in.until(in.say("main", do(ask("sasha", "trains"))), replies(1))
	if got := in.queueOf(string(key), "Think"); got != workflows.TaskQueue {
		t.Errorf("its steps are on %q", got)
	}
	if got := in.queueOf(string(errand.SubAgentOwner(tasks(in)[0].ID, "sasha")), "Think"); got != workflows.SubAgentQueue {
		t.Errorf("the steps of its sub-agent are on %q", got)
	}
}

// queueOf returns the queue of the last activity of a type in a workflow.
func (in *installation) queueOf(id, activity string) (queue string) {
	in.t.Helper()
	for _, e := range in.history(in.t.Context(), id, "").GetEvents() {
		if a := e.GetActivityTaskScheduledEventAttributes(); a.GetActivityType().GetName() == activity {
			queue = a.GetTaskQueue().GetName()
		}
	}
	return queue
}
