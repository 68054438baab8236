package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/llm/llmtest"
	"errand/workflows/workflowtest"
)

// asks has an agent ask the person.
func asks(question string, options ...string) llmtest.ToolCall {
	if len(options) == 0 {
		return llmtest.Use("ask_user", map[string]string{"question": question})
	}
	return llmtest.ToolCall{Tool: "ask_user", Args: `{"question":"` + question + `","options":["` + strings.Join(options, `","`) + `"]}`}
}

// question is the only one that is open.
func question(in *workflowtest.Installation) errand.Question {
	in.T.Helper()
	list, err := in.House.Questions(in.T.Context(), owner, "", false, 0)
	if err != nil || len(list) != 1 {
		in.T.Fatalf("%d questions are open: %+v, %v", len(list), list, err)
	}
	return list[0]
}

// TestSubAgentAsks proves that the question of a sub-agent reaches the chat that its
// errand came from, in its name and with ids; that the task waits for days meanwhile and
// costs nothing; that the person is answered while it waits; and that it goes on with
// what they answer, from whichever door.
func TestSubAgentAsks(t *testing.T) {
	tests := []struct {
		name   string
		ask    llmtest.ToolCall
		answer func(in *workflowtest.Installation, id string) string
		says   string // errand, to whoever answers
		told   string // the agent
	}{
		{"by a command, free text", asks("Which day?"), func(in *workflowtest.Installation, id string) string {
			return in.Command("/answer " + id + " Monday\nor Tuesday")
		}, "Sasha has your answer: Monday\nor Tuesday", "<answer>\nMonday\nor Tuesday\n</answer>"},
		{"by the beginning of its id and the number of an option", asks("Which day?", "Monday", "Tuesday"), func(in *workflowtest.Installation, id string) string {
			return in.Command("/answer " + strings.TrimPrefix(id, "q-")[:5] + " 2")
		}, "Sasha has your answer: Tuesday", "<answer>\nTuesday\n</answer>"},
		{"from another chat", asks("Which day?", "Monday", "Tuesday"), func(in *workflowtest.Installation, id string) string {
			return in.Write(workflowtest.Message{Route: errand.WebRoute("elsewhere"), Text: "/answer " + id + " monday."})
		}, "Sasha has your answer: Monday", "<answer>\nMonday\n</answer>"},
		{"declined", asks("Which day?"), func(in *workflowtest.Installation, id string) string {
			return in.Command("/decline " + id)
		}, "Sasha goes on without an answer.", "does not want to answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", do(tt.ask))))
				in.Settle()
				q, task := question(in), in.TaskOf("sasha")
				if task.State != errand.InputRequired || q.Task != task.ID || q.Agent != "sasha" {
					t.Errorf("%s is %s, and %+v is asked", task.ID, task.State, q)
				}
				shown := 0
				for _, read := range in.Read() {
					if strings.HasPrefix(read, "Which day?\n\n("+string(task.ID)+": ") && strings.Contains(read, "/answer "+string(q.ID)) {
						shown++
					}
				}
				if shown != 1 {
					t.Errorf("the question is shown %d times: %q", shown, in.Read())
				}
				quiet := in.Quiet("sasha")
				in.Pass(48 * time.Hour)
				in.Send("how are you?")
				quiet()
				if read := in.Read(); !strings.Contains(read[len(read)-1], "you said how are you?") {
					t.Errorf("meanwhile the person reads %q", read[len(read)-1])
				}
				if got := tt.answer(in, string(q.ID)); got != tt.says {
					t.Errorf("who answers reads %q, want %q", got, tt.says)
				}
				in.Pass(10 * time.Second)
				if task := in.TaskOf("sasha"); task.State != errand.Completed || !strings.Contains(errand.Unmarked(task.Result), tt.told) {
					t.Errorf("%s is %s: %q, want %q in it", task.ID, task.State, task.Result, tt.told)
				}
				if got := in.Command("/questions"); got != "Nothing waits for your answer." {
					t.Errorf("/questions answers %q", got)
				}
			})
		})
	}
}
