package workflows_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/service"
	"errand/workflows/workflowtest"
)

// An editor is an agent called zed that the owner has registered.
type editor struct{ *workflowtest.Installation }

func (e editor) registers() {
	e.T.Helper()
	if _, err := e.House.RegisterAgent(e.T.Context(), owner, "Zed", "edits the shop"); err != nil {
		e.T.Fatal(err)
	}
}

// next is what the editor is given without waiting.
func (e editor) next() service.Requests {
	e.T.Helper()
	got, err := e.House.NextRequest(e.T.Context(), owner, "zed", 0)
	if err != nil {
		e.T.Fatal(err)
	}
	return got
}

func (e editor) takes(text string) string {
	e.T.Helper()
	got := e.next()
	if got.Next == nil || got.Next.Task.Text != text {
		e.T.Fatalf("the editor is given %+v, want %q", got.Next, text)
	}
	return string(errand.SubAgentOwner(got.Next.Task.ID, got.Next.Agent))
}

func (e editor) answers(request, text string, failed bool) error {
	e.T.Helper()
	_, err := e.House.AnswerRequest(e.T.Context(), owner, service.RequestAnswer{Request: request, Text: text, Failed: failed})
	e.Pass(time.Minute) // the activity that waits is hastened on a server
	return err
}

// ends checks how the task of the editor has ended.
func (e editor) ends(state errand.TaskState, says string) {
	e.T.Helper()
	if task := e.TaskOf("zed"); task.State != state || !strings.Contains(task.Result+task.Error, says) {
		e.T.Errorf("the task is %s with %q, want %s with %q", task.State, task.Result+task.Error, state, says)
	}
}

func refusedAs(t *testing.T, err error, code string) {
	t.Helper()
	var no *service.Error
	if !errors.As(err, &no) || no.Code != code {
		t.Errorf("it is refused with %v, want the code %s", err, code)
	}
}

// TestRegisteredAgent proves what becomes of a task for an editor that has registered as an
// agent of its person, whether the editor stays, goes, comes back or is late.
func TestRegisteredAgent(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(editor)
	}{
		{"is open and answers", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			offered := slices.ContainsFunc(e.LastPrompt("nikki").Tools, func(t llm.Tool) bool {
				return t.Name == "call_agent" && strings.Contains(string(t.Parameters), "edits the shop")
			})
			if !offered {
				e.T.Error("the primary agent is not told of the editor")
			}
			request := e.takes("rename it")
			if again := e.next(); again.Next != nil || len(again.Unanswered) != 1 {
				e.T.Errorf("asked again it is given %+v", again)
			}
			if _, err := e.House.SteerTask(e.T.Context(), owner, e.TaskOf("zed").ID, service.Steering{Text: "and more"}); err == nil {
				e.T.Error("something is added to what the editor has taken")
			}
			e.Pass(20 * time.Minute) // it works, and says nothing
			if err := e.answers(request, "renamed", false); err != nil {
				e.T.Error(err)
			}
			e.ends(errand.Completed, "renamed")
			if said := e.Read(); !strings.Contains(said[len(said)-1], "renamed") {
				e.T.Errorf("the chat reads %q", said)
			}
			if err := e.answers(request, "renamed", false); err != nil {
				e.T.Errorf("the same answer again: %v", err)
			}
			refusedAs(e.T, e.answers(request, "something else", false), "answered")
		}},
		{"cannot do it", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			if err := e.answers(e.takes("rename it"), "the file is not there", true); err != nil {
				e.T.Error(err)
			}
			e.ends(errand.Failed, "the file is not there")
		}},
		{"is closed when it is asked", func(e editor) {
			e.Pass(2 * time.Minute)
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			if n := len(e.Tasks()); n != 0 {
				e.T.Errorf("%d tasks were made", n)
			}
			if said := strings.Join(e.Read(), "\n"); !strings.Contains(said, "Zed has not been connected since") {
				e.T.Errorf("the agent is told %q", said)
			}
			_, err := e.House.Delegate(e.T.Context(), owner, service.Delegation{Agents: []errand.AgentName{"zed"}, Text: "rename it"})
			refusedAs(e.T, err, "not_connected")
		}},
		{"is closed, and its person far away", func(e editor) {
			if _, err := e.House.SetTimeZone(e.T.Context(), owner, owner.Person, "Asia/Tokyo"); err != nil {
				e.T.Fatal(err)
			}
			agent, err := e.Store.RegisteredAgent(e.T.Context(), owner.Person, "zed")
			if err != nil {
				e.T.Fatal(err)
			}
			since := "Zed has not been connected since " + agent.Seen.In(time.FixedZone("", 9*60*60)).Format("15:04")
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			e.Pass(2 * time.Minute)
			e.Send(do(send("zed", "rename that too")))
			e.Settle()
			if said := strings.Join(e.Read(), "\n"); !strings.Contains(said, since) {
				e.T.Errorf("the agent is told %q, want %s", said, since)
			}
			e.Pass(2 * time.Hour)
			e.ends(errand.Failed, since)
		}},
		{"closes, and comes back", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			first := e.takes("rename it")
			e.Pass(40 * time.Minute)
			e.ends(errand.Working, "")
			e.registers()
			if again := e.takes("rename it"); again != first {
				e.T.Errorf("the request comes back as %s, was %s", again, first)
			}
			if err := e.answers(first, "renamed", false); err != nil {
				e.T.Error(err)
			}
			e.ends(errand.Completed, "renamed")
		}},
		{"closes before it has taken it, and stays away", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			e.Pass(2 * time.Hour)
			e.ends(errand.Failed, "Zed has not been connected since")
			if got := e.next(); got.Next != nil {
				e.T.Errorf("what has failed is given to it: %+v", got.Next)
			}
		}},
		{"answers when nobody waits any more", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			request := e.takes("rename it")
			e.Pass(3 * time.Hour)
			e.ends(errand.Failed, "has not come back within")
			if err := e.answers(request, "renamed", false); err != nil {
				e.T.Error(err)
			}
			e.Pass(time.Minute)
			if said := e.Read(); !strings.Contains(said[len(said)-1], "renamed") {
				e.T.Errorf("the chat reads %q", said)
			}
		}},
		{"is told that its request is canceled", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			request, id := e.takes("rename it"), e.TaskOf("zed").ID
			if err := e.CancelTask(id, "no longer needed"); err != nil {
				e.T.Fatal(err)
			}
			e.Settle()
			if got := e.next(); len(got.Canceled) != 1 || got.Canceled[0] != id {
				e.T.Errorf("canceled are %v, want %s", got.Canceled, id)
			}
			refusedAs(e.T, e.answers(request, "renamed", false), "canceled")
			e.Pass(time.Hour)
			e.ends(errand.Canceled, "")
			if said := strings.Join(e.Read(), "\n"); strings.Contains(said, "renamed") {
				e.T.Errorf("the chat reads %q", said)
			}
		}},
		{"is nobody else's", func(e editor) {
			e.Person("bob", "Bob", errand.Member)
			e.Write(workflowtest.Message{Route: errand.WebRoute("bobs"), Person: "bob", Role: errand.Member, Text: do(send("zed", "rename it"))})
			e.Settle()
			if n := len(e.Tasks()); n != 0 {
				e.T.Errorf("%d tasks were made", n)
			}
			bob := service.Actor{Person: "bob", Role: errand.Member}
			_, err := e.House.Delegate(e.T.Context(), bob, service.Delegation{Agents: []errand.AgentName{"zed"}, Text: "rename it"})
			refusedAs(e.T, err, "unknown_agent")
			e.Delegate("rename it", "zed")
			e.Settle()
			request := e.takes("rename it")
			_, err = e.House.AnswerRequest(e.T.Context(), bob, service.RequestAnswer{Request: request, Text: "mine"})
			refusedAs(e.T, err, "not_found")
			_, err = e.House.NextRequest(e.T.Context(), bob, "zed", 0)
			refusedAs(e.T, err, "not_registered")
			for _, name := range []errand.AgentName{"sasha", "errand"} {
				_, err = e.House.RegisterAgent(e.T.Context(), bob, name, "me")
				refusedAs(e.T, err, "name")
			}
		}},
		{"is asked by /team", func(e editor) {
			if said := e.Command("/agents"); !strings.Contains(said, "Zed, connected: edits the shop") {
				e.T.Errorf("/agents says %q", said)
			}
			if said := e.Command("/team @zed rename it"); !strings.Contains(said, "Zed") {
				e.T.Errorf("/team says %q", said)
			}
			e.Settle()
			if err := e.answers(e.takes("rename it"), "renamed", false); err != nil {
				e.T.Error(err)
			}
			if said := strings.Join(e.Read(), "\n"); !strings.Contains(said, "renamed") {
				e.T.Errorf("the chat reads %q", said)
			}
			e.Pass(2 * time.Minute)
			if said := e.Command("/agents"); !strings.Contains(said, "Zed, not connected since") {
				e.T.Errorf("/agents says %q", said)
			}
			if said := e.Command("/team @zed rename more"); !strings.Contains(said, "Zed has not been connected since") {
				e.T.Errorf("/team says %q", said)
			}
		}},
		{"is not there in a group", func(e editor) {
			route := errand.Route{Channel: "test", Chat: "g1"}
			e.Accept(intake.Inbound{Route: route, Group: true, Person: workflowtest.Owner, Role: errand.MasterAdmin, MessageID: "m-1", Text: do(send("zed", "rename it"))})
			e.Settle()
			if n := len(e.Tasks()); n != 0 {
				e.T.Errorf("%d tasks were made", n)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				e := editor{in}
				e.registers()
				test.run(e)
			})
		})
	}
}
