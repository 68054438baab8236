package app_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
)

// script answers as Nikki and Sasha would: Nikki delegates what begins with
// "ask Sasha" (in the background when it says so), tells results as they come,
// and otherwise echoes; Sasha reports when released.
func script(work <-chan struct{}) *llmtest.Model {
	return llmtest.Func(func(ctx context.Context, r llm.Request) llmtest.Reply {
		if strings.Contains(r.System, "You are working on task") {
			if work != nil {
				select {
				case <-work:
				case <-ctx.Done():
					return llmtest.Fail(ctx.Err())
				}
			}
			return llmtest.Text("two trains go to Oslo")
		}
		last := r.Messages[len(r.Messages)-1]
		switch {
		case last.Speaker == core.FromTool && strings.Contains(last.Text, "<report>"):
			return llmtest.Text("Sasha says: two trains")
		case last.Speaker == core.FromTool && strings.Contains(last.Text, ": failed]"):
			return llmtest.Text("Sasha failed")
		case last.Speaker == core.FromTool:
			return llmtest.Text("Sasha is at it")
		case strings.HasPrefix(last.Text, "ask Sasha in the background"):
			return llmtest.Call("c1", "call_agent_async", `{"agent":"sasha","task":"night trains to Oslo"}`)
		case strings.HasPrefix(last.Text, "ask Sasha"):
			return llmtest.Call("c1", "call_agent", `{"agent":"sasha","task":"night trains to Oslo"}`)
		}
		return llmtest.Text("you said " + last.Text)
	})
}

// TestConversations proves what is the same for all conversations of an installation
// as it comes, each in a chat of its own.
func TestConversations(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	for name, test := range map[string]func(*installation, *testing.T, *stage){
		"ways of a result": (*installation).ways, "a message that comes twice": (*installation).twice,
		"a run for every turn": (*installation).continued, "always something to do": (*installation).busyRuns,
		"Temporal shows how a task ended":     (*installation).closes,
		"a step on the queue of its workflow": (*installation).placement,
		"a deleted session":                   (*installation).deleted, "a deleted session beside another": (*installation).deletedBesideAnother,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(in, t, s)
		})
	}
}

// ways proves, on the real server, what workflows.TestTurn proves in more cases without
// one: that a message is answered, that a result reaches the person in each of the
// four ways, once, and that the way is recorded.
func (in *installation) ways(t *testing.T, s *stage) {
	const atWork = "Still at work."
	for _, test := range []struct {
		chat string
		says string
		run  func(in *installation, key core.SessionKey)
		want []string // what the person reads, in order
		way  core.Way
	}{
		{chat: "plain", says: "hello", want: []string{"you said hello"}},
		{chat: "turn", says: do(ask("sasha", "wait turn")), want: []string{"done turn"}, way: core.WayTurn},
		{chat: "fold", says: do(send("sasha", "wait fold")), run: func(in *installation, key core.SessionKey) {
			in.until(key, replies(1))
			in.send("fold", "hello")
			in.until(key, replies(2))
		}, want: []string{atWork, "you said hello", "done fold"}, way: core.WayFold},
		{chat: "notification", says: do(send("sasha", "wait notification")), run: func(in *installation, key core.SessionKey) {
			in.until(key, replies(1))
			in.command("notification", "/reset")
		}, want: []string{atWork, "Sasha here: "}, way: core.WayNotification},
		{chat: "patience", says: do(ask("sasha", "wait patience")), run: func(in *installation, key core.SessionKey) {
			in.awaitTasks("patience", 1)
			in.send("patience", "hello")
			in.until(key, replies(2))
		}, want: []string{atWork, "you said hello", "done patience"}, way: core.WayFold},
	} {
		t.Run(test.chat, func(t *testing.T) {
			in := in.of(t)
			key := in.send(test.chat, test.says)
			if test.run != nil {
				test.run(in, key)
			}
			s.open(test.chat)
			if got := textsOf(in.until(key, replies(len(test.want)))); !slices.EqualFunc(got, test.want, strings.Contains) {
				t.Errorf("the person reads %q, want %q", got, test.want)
			}
			list := in.tasks(test.chat)
			if test.way == "" && len(list) == 0 {
				return
			}
			if len(list) != 1 || list[0].Way != test.way || list[0].State != core.Completed {
				t.Errorf("tasks are %v, want one completed by way %q", list, test.way)
			}
		})
	}
}

// twice proves that a message which comes once more is not signalled once more.
func (in *installation) twice(t *testing.T, s *stage) {
	in = in.of(t)
	text := do(ask("sasha", "wait twice"))
	key := in.sendWithID("twice", text, "id-1")
	s.asked(t, "wait twice")
	before := in.signals(key, wire.SignalMessage)
	in.sendWithID("twice", text, "id-1")
	if n := in.signals(key, wire.SignalMessage); n != before {
		t.Errorf("the session was signalled once more")
	}
	s.open("twice")
	if got := textsOf(in.until(key, replies(1))); !strings.Contains(got[0], "done twice") {
		t.Errorf("the person reads %q, without the result", got)
	}
}

func (in *installation) signals(key core.SessionKey, name string) int {
	in.t.Helper()
	n := 0
	for _, e := range in.history(in.t.Context(), string(key), "").GetEvents() {
		if e.GetEventType() == enumspb.EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED && e.GetWorkflowExecutionSignaledEventAttributes().GetSignalName() == name {
			n++
		}
	}
	return n
}
