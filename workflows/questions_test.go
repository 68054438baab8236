package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

func asks(question string, options ...string) llmtest.ToolCall {
	if len(options) == 0 {
		return llmtest.Use("ask_user", map[string]string{"question": question})
	}
	return llmtest.ToolCall{Tool: "ask_user", Args: `{"question":"` + question + `","options":["` + strings.Join(options, `","`) + `"]}`}
}

// question is the only one that is open.
func question(in *workflowtest.Installation) core.Question {
	in.T.Helper()
	list, err := servicetest.Questions(in.T.Context(), in.House.Service, owner, api.ListQuestionsInput{})
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
			return in.Write(workflowtest.Message{Route: core.WebRoute("elsewhere"), Text: "/answer " + id + " monday."})
		}, "Sasha has your answer: Monday", "<answer>\nMonday\n</answer>"},
		{"declined", asks("Which day?"), func(in *workflowtest.Installation, id string) string {
			return in.Command("/decline " + id)
		}, "Sasha continues without an answer.", "declined to answer"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(do(send("sasha", do(tt.ask))))
				in.Settle()
				q, task := question(in), in.TaskOf("sasha")
				if task.State != core.InputRequired || q.Task != task.ID || q.Agent != "sasha" {
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
				if task := in.TaskOf("sasha"); task.State != core.Completed || !strings.Contains(core.Unmarked(task.Result), tt.told) {
					t.Errorf("%s is %s: %q, want %q in it", task.ID, task.State, task.Result, tt.told)
				}
				if got := in.Command("/questions"); got != "Nothing waits for your answer." {
					t.Errorf("/questions answers %q", got)
				}
			})
		})
	}
}

// TestAnswersInAChat proves what is an answer in the chat of a platform, and what is a
// message to the agent there. (In langgraph#8579 one value was taken for every question
// that was open; in claude-code#38990 a question went to the agent that leads, and never
// to the person.)
func TestAnswersInAChat(t *testing.T) {
	chat := core.Route{Channel: "test", Account: "main", Chat: "7"}
	key := core.NewSessionKey(chat, workflowtest.Owner)
	shown := func(in *workflowtest.Installation, q core.Question) string {
		in.T.Helper()
		rows, err := in.Store.Deliveries(in.T.Context(), nil, store.Page{})
		if err != nil {
			in.T.Fatal(err)
		}
		for _, n := range rows {
			if n.Question == q.ID && len(n.Receipts) > 0 {
				return n.Receipts[0]
			}
		}
		in.T.Fatalf("%s was not sent", q.ID)
		return ""
	}
	const passed, again = "Finn has your answer: ", "You have already answered "
	type scriptedAnswer struct {
		text    string
		reply   bool // to the question
		pressed bool
		want    string // errand's answer; empty: it is a message to the agent
	}
	tests := []struct {
		name   string
		ask    llmtest.ToolCall
		says   []scriptedAnswer
		answer string // what Finn is given; empty: nothing, he waits
	}{
		{"a button", asks("Which day?", "Monday", "Tuesday"), []scriptedAnswer{{"Tuesday", true, true, passed + "Tuesday"}}, "Tuesday"},
		{"a button pressed twice", asks("Which day?", "Monday", "Tuesday"), []scriptedAnswer{{"Tuesday", true, true, passed + "Tuesday"}, {"Monday", true, true, again}}, "Tuesday"},
		{"a reply in one's own words", asks("Which day?"), []scriptedAnswer{{"the day after my birthday", true, false, passed + "the day after my birthday"}}, "the day after my birthday"},
		{"a reply that is no option", asks("Which day?", "Monday", "Tuesday"), []scriptedAnswer{{"Sunday", true, false, "1. Monday, 2. Tuesday"}, {"2.", true, false, passed + "Tuesday"}}, "Tuesday"},
		{"a number by itself", asks("Which day?", "Monday", "Tuesday"), []scriptedAnswer{{"2", false, false, passed + "Tuesday"}}, "Tuesday"},
		{"an option by itself", asks("Which day?", "Monday", "Tuesday"), []scriptedAnswer{{"monday!", false, false, passed + "Monday"}}, "Monday"},
		{"a word that agrees", asks("Shall I book it?", "Yes, book it", "No"), []scriptedAnswer{{"nope", false, false, passed + "No"}}, "No"},
		{"a thumb", asks("Shall I book it?"), []scriptedAnswer{{"👍", false, false, passed + "👍"}}, "👍"},
		{"other words are for the agent", asks("Shall I book it?"), []scriptedAnswer{{"what does it cost?", false, false, ""}}, ""},
		{"yes after something else was said is for the agent", asks("Shall I book it?"), []scriptedAnswer{{"what does it cost?", false, false, ""}, {"yes", false, false, ""}}, ""},
		{"yes is no answer where it is no option", asks("Which day?", "Monday", "Tuesday"), []scriptedAnswer{{"yes", false, false, ""}}, ""},
		{"a number where a number is asked for", llmtest.ToolCall{Tool: "ask_user", Args: `{"question":"How many?","schema":{"type":"integer","minimum":1,"maximum":9}}`},
			[]scriptedAnswer{{"12", true, false, "at most 9"}, {"3", true, false, passed + "3"}}, "3"},
		{"one word is no answer to several things", llmtest.ToolCall{Tool: "ask_user", Args: `{"question":"When?","schema":{"type":"object","properties":{"day":{"type":"string"},"hour":{"type":"integer"}},"required":["day","hour"]}}`},
			[]scriptedAnswer{{"yes", true, false, "day, hour"}, {"Day: Monday\nhour: 9", true, false, passed}}, `{"day":"Monday","hour":9}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				// From two deep: it is Finn who asks, and the person who is asked, when the reply
				// of the turn that began it is there.
				in.Write(workflowtest.Message{Route: chat, Text: do(send("sasha", do(llmtest.Ask("finn", "after go "+do(tt.ask)))))})
				in.Settle()
				in.Stage.Open("go")
				in.Pass(5 * time.Second)
				q := question(in)
				if q.Agent != "finn" || q.Route != chat {
					t.Fatalf("it is %s who asks, in %v", q.Agent, q.Route)
				}
				for _, s := range tt.says {
					m := intake.Inbound{Route: chat, Person: workflowtest.Owner, Role: core.MasterAdmin, Text: s.text, Pressed: s.pressed}
					if s.reply {
						m.ReplyTo = shown(in, q)
					}
					got := in.Accept(m).Answer
					if !strings.Contains(got, s.want) || s.want == "" && got != "" {
						t.Errorf("%q is answered %q, want %q", s.text, got, s.want)
					}
					if s.want == "" && !slices.ContainsFunc(in.ReadIn(key), func(read string) bool { return strings.Contains(read, "you said "+s.text) }) {
						t.Errorf("%q did not reach the agent: %q", s.text, in.ReadIn(key))
					}
				}
				in.Pass(10 * time.Second)
				task := in.TaskOf("finn")
				if tt.answer == "" {
					if task.State != core.InputRequired {
						t.Errorf("the task is %s", task.State)
					}
					return
				}
				if !strings.Contains(core.Unmarked(task.Result), "<answer>\n"+tt.answer+"\n</answer>") {
					t.Errorf("the task is %s: %q, want the answer %q", task.State, task.Result, tt.answer)
				}
			})
		})
	}
}

// TestWhichQuestion proves that a word which would answer one of several questions answers
// none: errand asks which is meant.
func TestWhichQuestion(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "after both do "+strings.TrimPrefix(do(asks("Shall I book it?")), "do ")), send("finn", "after both do "+strings.TrimPrefix(do(asks("Shall I build it?")), "do "))))
		in.Stage.Open("both")
		in.Settle()
		list, err := servicetest.Questions(in.T.Context(), in.House.Service, owner, api.ListQuestionsInput{})
		if err != nil || len(list) != 2 {
			in.T.Fatalf("%d questions are open, %v", len(list), err)
		}
		got := in.Command("yes")
		if !strings.Contains(got, "Which one do you mean?") || !strings.Contains(got, string(list[0].ID)) || !strings.Contains(got, string(list[1].ID)) {
			t.Errorf("errand answers %q", got)
		}
		for _, q := range list {
			if now, err := in.Store.Question(in.T.Context(), q.ID); err != nil || now.State != core.QuestionOpen {
				t.Errorf("%s is %s, %v", q.ID, now.State, err)
			}
		}
	})
}

// TestNobodyAnswers proves that a person is reminded of a question after an hour and a
// day, also where nobody was there to remind them for long, and that a week after it was
// asked the agent is told that nobody has answered, which is no no; an answer comes too
// late then.
func TestNobodyAnswers(t *testing.T) {
	for _, tt := range []struct {
		name  string
		every time.Duration // a watchdog is there
		shown int           // the question, with what reminds of it
	}{
		{"a worker is there", time.Hour, 3},
		{"no worker for days", 4 * 24 * time.Hour, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Delegate("after noted "+strings.TrimPrefix(do(asks("Which day?")), ""), "sasha")
				in.Stage.Open("noted")
				in.Send(do(send("finn", do(asks("Shall I build it?", "Yes", "No")))))
				in.Settle()
				q := in.TaskOf("finn")
				for range 8 * 24 * time.Hour / tt.every {
					in.Pass(tt.every)
					in.Reconcile()
				}
				in.Pass(10 * time.Second)
				shown := 0
				for _, read := range in.Read() {
					if strings.Contains(read, "Shall I build it?") && strings.Contains(read, "/answer q-") {
						shown++
					}
				}
				if shown != tt.shown {
					t.Errorf("the question is shown %d times, want %d: %q", shown, tt.shown, in.Read())
				}
				for _, task := range in.Tasks() {
					want := "No answer within 7 days. This is neither yes nor no."
					if task.Origin.Chat == "" {
						want = "nobody can be asked here"
					}
					if task.State != core.Completed || !strings.Contains(core.Unmarked(task.Result), want) {
						t.Errorf("%s of %s is %s: %q", task.ID, task.AgentList(), task.State, task.Result)
					}
				}
				list, err := servicetest.Questions(in.T.Context(), in.House.Service, owner, api.ListQuestionsInput{All: true})
				if err != nil || len(list) != 1 {
					in.T.Fatalf("questions are %+v, %v", list, err)
				}
				if got := in.Command("/answer " + string(list[0].ID) + " yes"); !strings.Contains(got, "has expired") {
					t.Errorf("an answer that is late is answered %q (%s)", got, q.ID)
				}
			})
		})
	}
}

// TestAnswerWithoutSignal proves that a sub-agent goes on whose signal was lost: who
// answered died in between.
func TestAnswerWithoutSignal(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", do(asks("Which day?")))))
		in.Settle()
		end := store.CloseQuestion{ID: question(in).ID, State: core.QuestionAnswered, Answer: "Monday", By: workflowtest.Owner}
		if _, _, _, err := in.Store.CloseQuestion(in.T.Context(), end); err != nil {
			in.T.Fatal(err)
		}
		in.Pass(time.Hour)
		if state := in.TaskOf("sasha").State; state != core.Working {
			t.Errorf("the task is %s", state)
		}
		in.Reconcile()
		in.Pass(10 * time.Second)
		if task := in.TaskOf("sasha"); !strings.Contains(task.Result, "Monday") {
			t.Errorf("the task is %s: %q", task.State, task.Result)
		}
	})
}

// TestAnswerForThem proves that the agent of a conversation is shown what waits for the
// person, hands on what they have said, and that they see it; that it does so only in a
// turn of theirs, and never for a sub-agent.
func TestAnswerForThem(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", do(asks("Which day?", "Monday", "Tuesday")))))
		in.Pass(5 * time.Second)
		id := string(question(in).ID)
		answer := func(text string) llmtest.ToolCall {
			return llmtest.Use("answer_task", map[string]string{"question_id": id, "answer": text})
		}
		in.Delegate(do(answer("Monday")), "finn")
		if got := in.TaskOf("finn").Result; !strings.Contains(got, "there is no tool") {
			t.Errorf("a sub-agent that answers is told %q", got)
		}
		in.Send(do(answer("Sunday")))
		if read := in.Read(); !strings.Contains(read[len(read)-1], "1. Monday, 2. Tuesday") {
			t.Errorf("an answer that does not fit: %q", read[len(read)-1])
		}
		in.Send(do(answer("tuesday")))
		in.Pass(10 * time.Second)
		if read := in.Read(); !slices.ContainsFunc(read, func(text string) bool {
			return text == "Nikki told Sasha for you ("+id+"): Tuesday"
		}) {
			t.Errorf("the person reads %q", read)
		}
		if task := in.TaskOf("sasha"); !strings.Contains(core.Unmarked(task.Result), "answered by Nikki for the user, from the user's message]\n<answer>\nTuesday") {
			t.Errorf("the task is %s: %q", task.State, task.Result)
		}
	})
}

// TestOwnQuestion proves that a turn of a conversation ends with what its agent asks, and
// that an answer from another chat is a message to it.
func TestOwnQuestion(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(asks("Which day?", "Monday", "Tuesday")))
		q := question(in)
		if q.Task != "" || q.Agent != "nikki" {
			t.Errorf("it is asked by %s for %q", q.Agent, q.Task)
		}
		if got := in.Write(workflowtest.Message{Route: core.WebRoute("elsewhere"), Text: "/answer " + string(q.ID) + " 2"}); got != "Nikki has your answer: Tuesday" {
			t.Errorf("the answer is answered %q", got)
		}
		in.Settle()
		in.Reads("Which day?", "You answered Nikki's question "+string(q.ID)+": Tuesday", "you said Tuesday")
	})
}
