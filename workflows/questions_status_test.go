package workflows_test

import (
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/workflowtest"
)

// TestStatusSaysWhatWaits proves that /status lists what waits for an answer in a chat, and
// for whom, until it has one.
func TestStatusSaysWhatWaits(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", do(asks("Which day?", "Monday", "Tuesday")))))
		in.Settle()
		q := question(in)
		want := "Waiting for you: " + string(q.ID) + "  Sasha asks: Which day?\n    1. Monday\n    2. Tuesday\n"
		if got := in.Command("/status"); !strings.Contains(got, want) {
			t.Errorf("/status answers %q, want %q in it", got, want)
		}
		in.Command("/answer " + string(q.ID) + " 1")
		if got := in.Command("/status"); strings.Contains(got, "Waiting for") {
			t.Errorf("once it is answered /status answers %q", got)
		}
	})
}

// TestAskedPersonIsRemoved proves that a question ends with the person that it asks: it is
// withdrawn, the work that waits for the answer is canceled with all that was asked for them,
// and an answer that comes then changes nothing; also where the worker dies in between.
func TestAskedPersonIsRemoved(t *testing.T) {
	const ben core.PersonID = "p-ben"
	for _, test := range []struct {
		name   string
		remove func(in *workflowtest.Installation) error
		task   core.TaskState
	}{
		{"by an admin", func(in *workflowtest.Installation) error { return in.House.RemovePerson(in.T.Context(), owner, ben) }, core.Canceled},
		// Nobody cancels the task then. Its agent is told that there is no answer.
		{"and nothing more is done", func(in *workflowtest.Installation) error { return in.Store.RemovePerson(in.T.Context(), ben) }, core.Completed},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				ctx := in.T.Context()
				in.Person(ben, "Ben", core.Member)
				in.Accept(intake.Inbound{Route: core.WebRoute("ben"), Person: ben, Role: core.Member, Text: do(send("sasha", do(asks("Which day?"))))})
				in.Settle()
				list, err := in.Store.Questions(ctx, store.QuestionFilter{Person: ben})
				if err != nil || len(list) != 1 || list[0].State != core.QuestionOpen {
					t.Fatalf("Ben is asked %+v, %v", list, err)
				}
				if err := test.remove(in); err != nil {
					t.Fatal(err)
				}
				q, err := in.Store.Question(ctx, list[0].ID)
				if err != nil || q.State != core.QuestionWithdrawn {
					t.Errorf("the question is %s, %v", q.State, err)
				}
				in.Settle()
				in.Reconcile()
				in.Settle()
				if task := in.TaskOf("sasha"); task.State != test.task {
					t.Errorf("the task is %s: %q", task.State, task.Result)
				}
				if got := in.Command("/answer " + string(q.ID) + " Monday"); !strings.Contains(got, "no longer needs an answer") {
					t.Errorf("an answer that comes then is answered %q", got)
				}
			})
		})
	}
}
