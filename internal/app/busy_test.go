package app_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"errand"
	"errand/internal/app"
	"errand/internal/intake"
	"errand/workflows"
)

// TestBusyModes proves that every message of a burst is answered, whatever the
// mode, and what the model is given at once.
func TestBusyModes(t *testing.T) {
	tests := []struct {
		mode string
		want []string // what the person reads
	}{
		{mode: "collect", want: []string{"done first", "you said m2 + m3 + m4 + m5 + m6"}},
		{mode: "queue", want: []string{"done first", "you said m2", "you said m3", "you said m4", "you said m5", "you said m6"}},
		{mode: "interrupt"},
	}
	for _, test := range tests {
		t.Run(test.mode, func(t *testing.T) {
			in, s := play(t, nil)
			in.command("main", "/busy "+test.mode)
			key := in.say("main", "wait first")
			s.begun(t, "nikki", 1)
			for i := 2; i <= 6; i++ {
				in.say("main", fmt.Sprintf("m%d", i))
			}
			if test.mode != "interrupt" {
				s.open("first")
			}
			got := said(in.until(key, func(e []errand.Event) bool {
				texts := said(e)
				return len(texts) > 0 && strings.HasSuffix(texts[len(texts)-1], "m6")
			}))
			if test.mode == "interrupt" {
				in.allAnswered(s, "m2", "m3", "m4", "m5", "m6")
				return
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("the person reads %q, want %q", got, test.want)
			}
		})
	}
}

// allAnswered fails where the model that replied last was not given a message.
func (in *installation) allAnswered(s *stage, messages ...string) {
	in.t.Helper()
	requests := s.Requests()
	last := requests[len(requests)-1]
	for _, want := range messages {
		found := false
		for _, m := range last.Messages {
			found = found || m.Text == want
		}
		if !found {
			in.t.Errorf("the model that replied last was not given %q", want)
		}
	}
}

// TestSteer proves that what is written while an agent works with its tools is
// in its next step, and that the step after it still waits for its tasks.
func TestSteer(t *testing.T) {
	in, s := play(t, nil)
	in.command("main", "/busy steer")
	key := in.say("main", "after written "+do(ask("sasha", "wait first")))
	s.begun(t, "nikki", 1)
	for i := 2; i <= 5; i++ {
		in.say("main", fmt.Sprintf("m%d", i))
	}
	in.say("main", do(ask("finn", "wait second")))
	eventually(t, "all of it to be signalled", func() bool { return in.looked(key, 6) })
	s.open("written")
	s.begun(t, "finn", 1)
	s.open("second")
	got := said(in.until(key, replies(1)))
	if len(got) != 1 || !strings.Contains(got[0], "done second") {
		t.Errorf("the person reads %q; want the answer of the task that was waited for", got)
	}
	var second []string
	for _, r := range s.Requests() {
		if text, heard := given(r); speaker(r) == "nikki" && len(text) > 1 && len(heard) == 1 {
			second = text
		}
	}
	for i, want := range []string{"m2", "m3", "m4", "m5"} {
		if len(second) != 5 || second[i] != want {
			t.Errorf("the second step was given %q after its tool's answer", second)
			break
		}
	}
	s.open("first")
	if got = said(in.until(key, replies(2))); !strings.Contains(got[1], "done first") {
		t.Errorf("the late result is told as %q", got[1])
	}
}

// TestInterruptSparesTheAnswer proves that a message which the running turn is
// answering already does not interrupt it: neither its second delivery nor a
// signal of the watchdog.
func TestInterruptSparesTheAnswer(t *testing.T) {
	in, s := play(t, nil)
	in.command("main", "/busy interrupt")
	key := in.sayAs("main", "wait first", "id-1")
	s.begun(t, "nikki", 1)
	in.sayAs("main", "wait first", "id-1")
	if err := in.Client.SignalWorkflow(t.Context(), string(key), "", workflows.SignalMessage, workflows.MessageSignal{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both signals to be looked at", func() bool { return in.looked(key, 2) })
	s.open("first")
	if got := said(in.until(key, replies(1))); got[0] != "done first" {
		t.Errorf("the person reads %q", got)
	}
	if n := s.calls("nikki"); n != 1 {
		t.Errorf("the model was called %d times for one message", n)
	}
}

// TestEditedMessage proves that an edit takes the place of what it corrects, or
// is answered by itself where it comes too late for that.
func TestEditedMessage(t *testing.T) {
	in, s := play(t, nil)
	edit := func(id, text string, revision int) {
		t.Helper()
		_, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: errand.WebRoute("main"), Person: app.Owner,
			Role: errand.MasterAdmin, MessageID: id, Revision: revision, Text: text})
		if err != nil {
			t.Fatal(err)
		}
	}
	key := in.sayAs("main", "wait first", "id-1")
	s.begun(t, "nikki", 1)
	in.sayAs("main", "trains to Olso", "id-2")
	in.sayAs("main", "please", "id-3")
	edit("id-2", "trains to Oslo", 1) // in time: takes the first one's place
	edit("id-1", "wait, what?", 1)    // too late: a message of its own
	s.open("first")
	want := []string{"done first", "you said trains to Oslo + please + [edited] wait, what?"}
	if got := said(in.until(key, replies(2))); !reflect.DeepEqual(got, want) {
		t.Errorf("the person reads %q, want %q", got, want)
	}
}

// looked reports whether a session has got n messages signalled and has done
// with them what it does.
func (in *installation) looked(key errand.SessionKey, n int) bool {
	signals, since := 0, false
	for _, e := range in.history(in.t.Context(), string(key), "").GetEvents() {
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED:
			if e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == workflows.SignalMessage {
				signals++
				since = false
			}
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_COMPLETED:
			since = true
		}
	}
	desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(key), "")
	if err != nil || desc.GetPendingWorkflowTask() != nil {
		return false
	}
	for _, a := range desc.GetPendingActivities() {
		if a.GetActivityType().GetName() == "CloseTurn" {
			return false
		}
	}
	return signals >= n && since
}
