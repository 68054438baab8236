package workflows_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// An editor is an agent called zed that the owner has registered.
type editor struct{ *workflowtest.Installation }

func (e editor) registers() {
	e.T.Helper()
	if err := e.register(owner, "Zed"); err != nil {
		e.T.Fatal(err)
	}
}

func (e editor) register(by actor.Actor, name core.AgentName) error {
	_, err := ops.Do(e.T.Context(), e.House.Runner, api.RegisterAgent, by, api.RegisterAgentInput{Name: name, Description: "edits the shop"})
	return err
}

func (e editor) nextOf(by actor.Actor) (*api.AgentRequest, error) {
	return ops.Do(e.T.Context(), e.House.Runner, api.NextRequest, by, api.NextRequestInput{Name: "zed"})
}

func (e editor) answer(by actor.Actor, in api.AnswerRequestInput) error {
	_, err := ops.Do(e.T.Context(), e.House.Runner, api.AnswerRequest, by, in)
	return err
}

// next is the request that the editor gets without waiting; nil: none.
func (e editor) next() *api.AgentRequest {
	e.T.Helper()
	got, err := e.nextOf(owner)
	if err != nil {
		e.T.Fatal(err)
	}
	return got
}

func (e editor) takes(text string) string {
	e.T.Helper()
	got := e.next()
	if got == nil || got.Task.Text != text {
		e.T.Fatalf("the editor gets %+v, want %q", got, text)
	}
	return string(got.ID)
}

func (e editor) answers(request, text string, failed bool) error {
	e.T.Helper()
	err := e.answer(owner, api.AnswerRequestInput{Request: request, Text: text, Failed: failed})
	e.Pass(time.Minute) // the activity that waits is hastened on a server
	return err
}

// ends checks how the task of the editor has ended.
func (e editor) ends(state core.TaskState, says string) {
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

// TestRegisteredAgent proves that a task for an editor, which has registered as an agent of its
// person, waits until the editor answers it, is canceled or has had the time of a remote agent.
func TestRegisteredAgent(t *testing.T) {
	for _, test := range []struct {
		name string
		run  func(editor)
	}{
		{"answers", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			offered := slices.ContainsFunc(e.LastPrompt("nikki").Tools, func(t llm.Tool) bool {
				return t.Name == "call_agent" && strings.Contains(string(t.Parameters), "edits the shop")
			})
			if !offered {
				e.T.Error("the primary agent is not told of the editor")
			}
			request := e.takes("rename it")
			if again := e.takes("rename it"); again != request {
				e.T.Errorf("the request comes again as %s, was %s", again, request)
			}
			if _, err := servicetest.SteerTask(e.T.Context(), e.House.Service, owner, e.TaskOf("zed").ID, "", "and more"); err == nil {
				e.T.Error("something is added to the request of an editor")
			}
			e.Pass(20 * time.Minute) // it works, and says nothing
			if err := e.answers(request, "renamed", false); err != nil {
				e.T.Error(err)
			}
			e.ends(core.Completed, "renamed")
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
			e.ends(core.Failed, "the file is not there")
		}},
		{"asks after days, and answers", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			e.Pass(6 * 24 * time.Hour)
			e.ends(core.Working, "")
			e.registers()
			if err := e.answers(e.takes("rename it"), "renamed", false); err != nil {
				e.T.Error(err)
			}
			e.ends(core.Completed, "renamed")
			if said := e.Read(); !strings.Contains(said[len(said)-1], "renamed") {
				e.T.Errorf("the chat reads %q", said)
			}
		}},
		{"never answers", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			request := e.takes("rename it")
			e.Pass(8 * 24 * time.Hour)
			e.ends(core.Failed, "Zed has not answered in 7 d")
			if got := e.next(); got != nil {
				e.T.Errorf("it gets a request that has failed: %+v", got)
			}
			refusedAs(e.T, e.answers(request, "renamed", false), "canceled")
		}},
		{"has a request that is canceled", func(e editor) {
			e.Send(do(send("zed", "rename it")))
			e.Settle()
			request, id := e.takes("rename it"), e.TaskOf("zed").ID
			if err := e.CancelTask(id, "no longer needed"); err != nil {
				e.T.Fatal(err)
			}
			e.Settle()
			if got := e.next(); got != nil {
				e.T.Errorf("it gets a request that is canceled: %+v", got)
			}
			refusedAs(e.T, e.answers(request, "renamed", false), "canceled")
			e.Pass(time.Hour)
			e.ends(core.Canceled, "")
			if said := strings.Join(e.Read(), "\n"); strings.Contains(said, "renamed") {
				e.T.Errorf("the chat reads %q", said)
			}
		}},
		{"belongs to its person", func(e editor) {
			e.Person("bob", "Bob", core.Member)
			e.Write(workflowtest.Message{Route: core.WebRoute("bobs"), Person: "bob", Role: core.Member, Text: do(send("zed", "rename it"))})
			e.Settle()
			if n := len(e.Tasks()); n != 0 {
				e.T.Errorf("%d tasks were made", n)
			}
			bob := actor.Actor{Person: "bob", Role: core.Member}
			_, err := servicetest.CreateTask(e.T.Context(), e.House.Service, bob, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"zed"}, Text: "rename it"}})
			refusedAs(e.T, err, "unknown_agent")
			e.Delegate("rename it", "zed")
			e.Settle()
			request := e.takes("rename it")
			err = e.answer(bob, api.AnswerRequestInput{Request: request, Text: "mine"})
			refusedAs(e.T, err, "not_found")
			_, err = e.nextOf(bob)
			refusedAs(e.T, err, "not_registered")
			for _, name := range []core.AgentName{"sasha", "errand"} {
				refusedAs(e.T, e.register(bob, name), "name")
			}
		}},
		{"is asked by /team", func(e editor) {
			if said := e.Command("/agents"); !strings.Contains(said, "Zed: edits the shop") {
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
		}},
		{"is not there in a group", func(e editor) {
			route := core.Route{Channel: "test", Chat: "g1"}
			e.Accept(intake.Inbound{Route: route, Group: true, Person: workflowtest.Owner, Role: core.MasterAdmin, MessageID: "m-1", Text: do(send("zed", "rename it"))})
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
