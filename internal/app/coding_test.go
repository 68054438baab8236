package app_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
)

// TestCodingAgent proves that a program which speaks ACP is sent on errands into its folder,
// by the whole installation: its answer is told; what it wants to do is asked in the chat, and
// done after a yes alone; work that is canceled, also by "/stop" in the chat, ends; and what
// errand was stopped in goes on, once, where it was.
func TestCodingAgent(t *testing.T) {
	t.Parallel()
	c := newCoder(t)
	folder, read := c.folder, c.read
	in, _ := play(t, func(o *app.Options) {
		o.Settings = func(s *wire.Settings) {
			quick(s)
			s.Patience = time.Hour // a turn that waits for the program is stopped, however slow this machine is
		}
	}, c.worksFor)
	chat := in.send("main", do(ask("coder", ">write a.txt hello\n>say It is written.")))
	if said := textsOf(in.until(chat, replies(1))); !strings.Contains(said[0], "It is written.") || read("a.txt") != "hello" {
		t.Errorf("with what the program answers it is %q; the file has %q", said, read("a.txt"))
	}

	decide := func(chat string, answer api.QuestionAnswer) core.Question {
		t.Helper()
		var open []core.Question
		eventually(t, "the approval", func() bool {
			open, _ = servicetest.Questions(t.Context(), in.Service, owner, api.ListQuestionsInput{Chat: chat, Limit: 10})
			return len(open) == 1
		})
		q := open[0]
		if q.Approval == nil || q.Approval.Tool != "coder.edit" || !strings.Contains(q.Approval.Arguments, ".txt") {
			t.Fatalf("asked is %+v", q)
		}
		if _, err := ops.Do(t.Context(), in.Service.Runner, api.AnswerQuestion, owner,
			api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: string(q.ID)}, Body: answer, Route: q.Route}); err != nil {
			t.Fatal(err)
		}
		return q
	}
	chat = in.send("yes", do(ask("coder", ">ask b.txt hello\n>say Done.")))
	in.until(chat, hasText("wants to run coder.edit"))
	if read("b.txt") != "" {
		t.Error("it is done before anybody has said yes")
	}
	decide("yes", api.QuestionAnswer{Text: core.ApprovedOnce})
	in.until(chat, replies(2))
	if read("b.txt") != "hello" {
		t.Errorf("it is not done after a yes: %q", textsOf(in.until(chat, replies(2))))
	}
	chat = in.send("no", do(ask("coder", ">ask c.txt hello")))
	decide("no", api.QuestionAnswer{Decline: true})
	in.until(chat, hasText("refused by no."))
	if read("c.txt") != "" {
		t.Error("it is done after a no")
	}

	// Whoever ends it, the program is told so in its protocol, and its folder is free again.
	for end, begin := range map[string]func(agent, task string) call{"cancel": send, "/stop": ask, "/stop all": send} {
		in.send(end, do(begin("coder", ">write up 1\n>await never")))
		eventually(t, "work to "+end, func() bool { return read("up") != "" })
		task := in.awaitTasks(end, 1)[0]
		if end != "cancel" {
			in.command(end, end)
		} else if _, err := servicetest.CancelTask(t.Context(), in.Service, owner, task.ID, "not needed"); err != nil {
			t.Fatal(err)
		}
		if task = in.ended(task.ID); task.State != core.Canceled {
			t.Errorf("%s: the task is %s", end, task.State)
		}
		eventually(t, "the end of the program's work by "+end, func() bool { return read("canceled") != "" })
		for _, name := range []string{"up", "canceled"} {
			if err := os.Remove(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
	}

	// It works in the folder only once the program before it has ended.
	chat = in.send("late", do(send("coder", ">write begun 1\n>await go\n>say It went on.")))
	eventually(t, "work", func() bool { return read("begun") != "" })
	in.stop()
	if err := os.Remove(filepath.Join(folder, "begun")); err != nil {
		t.Fatal(err)
	}
	in.start()
	if err := os.WriteFile(filepath.Join(folder, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if events := in.until(chat, late(1)); !strings.Contains(events[len(events)-1].Text, "It went on.") || read("begun") != "" {
		t.Errorf("it is told as %q; what was done before is %q again", events[len(events)-1].Text, read("begun"))
	}
}
