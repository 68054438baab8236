package app_test

import (
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
)

func asksDay() string { return do(tool("ask_user", map[string]string{"question": "Which day?"})) }

// openQuestion waits for the one question that is open in a chat.
func (in *installation) openQuestion(chat string) core.Question {
	in.t.Helper()
	var list []core.Question
	key := core.NewSessionKey(core.WebRoute(chat), owner.Person)
	eventually(in.t, "a question", func() bool {
		var err error
		if list, err = servicetest.Questions(in.t.Context(), in.Service, owner, api.ListQuestionsInput{Here: key}); err != nil {
			in.t.Fatal(err)
		}
		return len(list) == 1
	})
	return list[0]
}

// recordQuestions records a session whose own agent asks, and a sub-agent that does.
func recordQuestions(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, asksDay())
	in.until(key, replies(1))
	in.command(chat, "/answer "+string(in.openQuestion(chat).ID)+" Monday")
	in.until(key, replies(2))
	in.send(chat, do(send("sasha", asksDay())))
	in.until(key, replies(3))
	in.command(chat, "/answer "+string(in.openQuestion(chat).ID)+" Tuesday")
	in.until(key, replies(4))
	task := in.tasks(chat)[0].ID
	return map[string]string{
		"session-that-asked":   string(key),
		"delegation-that-asks": string(task),
		"subagent-that-asked":  string(core.SubAgentOwner(task, "sasha")),
	}
}

// recordExpired records a sub-agent that nobody answers.
func recordExpired(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", asksDay())))
	in.until(key, replies(1))
	in.openQuestion(chat)
	task := in.tasks(chat)[0].ID
	in.atRest(string(task))
	in.replays("delegation-that-waits-for-its-person", in.histories(string(task))[0])
	in.rewind(`UPDATE questions SET created = created - ?, expires = 1, next_at = 1 WHERE state = 'open' AND task = '`+string(task)+`'`, 30*24*time.Hour)
	in.reconcile()
	in.until(key, replies(2))
	return map[string]string{"subagent-whose-question-expired": string(core.SubAgentOwner(task, "sasha"))}
}

// recordSteered records a sub-agent that is steered while it waits for an answer, and
// asks again.
func recordSteered(in *installation, s *stage, chat string) map[string]string {
	key := in.send(chat, do(send("sasha", asksDay())))
	in.until(key, replies(1))
	q := in.openQuestion(chat)
	before := s.calls("sasha")
	in.command(chat, "/task "+string(q.Task)+" "+asksDay())
	s.begun(in.t, "sasha", before+1)
	in.atRest(string(core.SubAgentOwner(q.Task, "sasha")))
	in.command(chat, "/answer "+string(q.ID)+" Monday")
	in.until(key, replies(2))
	return map[string]string{"session-with-a-steered-task": string(key), "subagent-steered": string(core.SubAgentOwner(q.Task, "sasha"))}
}

func verdict(answer string) string {
	return do(llmtest.ToolCall{Tool: "submit_verdict", Args: `{"answer": "` + answer + `", "reasoning": "I think so", "confidence": 1}`})
}

// recordDeadline records a decision whose deadline passes.
func recordDeadline(in *installation, s *stage, _ string) map[string]string {
	s.Plays("finn", verdict("YES"))
	s.Plays("sasha", "wait never said")
	task, err := servicetest.CreateTask(in.t.Context(), in.Service, owner, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"sasha", "finn"}, Text: "shall we go?", Expect: api.ExpectDecision, Policy: "all", Deadline: 3600}})
	if err != nil {
		in.t.Fatal(err)
	}
	in.atRest(string(core.SubAgentOwner(task.ID, "finn")))
	in.rewind(`UPDATE tasks SET deadline = deadline - ? WHERE id = '`+string(task.ID)+`'`, 2*time.Hour)
	eventually(in.t, "the deadline", func() bool {
		in.reconcile()
		now, err := in.Store.Task(in.t.Context(), task.ID)
		return err == nil && now.State.Terminal()
	})
	return map[string]string{"delegation-past-its-deadline": string(task.ID), "subagent-with-a-verdict": string(core.SubAgentOwner(task.ID, "finn"))}
}

// recordBranches records decisions on which a task follows: a session's, which is a yes, and
// a sub-agent's, which is none.
func recordBranches(in *installation, s *stage, chat string) map[string]string {
	asksTeam := do(llmtest.ToolCall{Tool: "ask_team", Args: `{"agents": ["finn"], "task": "shall we go?", "expect": "decision", "policy": "all", ` + `"then": {"agents": ["finn"], "task": "go there"}, "else": {"agents": ["finn"], "task": "stay here"}}`})
	s.Plays("finn", verdict("YES"))
	key := in.send(chat, asksTeam)
	for _, t := range in.awaitTasks(chat, 2) {
		in.ended(t.ID)
	}
	yes := in.tasks(chat)[1].ID
	s.Plays("finn", verdict("NO"))
	in.send(chat, do(send("sasha", asksTeam)))
	for _, t := range in.awaitTasks(chat, 5) {
		in.ended(t.ID)
	}
	names := map[string]string{"session-with-a-task-that-follows": string(key), "delegation-that-is-followed": string(yes)}
	for _, t := range in.tasks(chat) {
		if t.AgentList() == "sasha" {
			names["subagent-that-joins-what-follows"] = string(core.SubAgentOwner(t.ID, "sasha"))
		}
	}
	return names
}

// recordTeam records what a person asks an agent beside the conversation.
func recordTeam(in *installation, _ *stage, chat string) map[string]string {
	key := in.send(chat, "hello")
	in.until(key, replies(1))
	in.command(chat, "We need OAuth. /team @finn trains")
	task := in.ended(in.awaitTasks(chat, 1)[0].ID)
	in.until(key, func(events []core.Event) bool {
		for _, e := range events {
			if e.Type == core.EventLate {
				return true
			}
		}
		return false
	})
	return map[string]string{"session-that-told-a-team-task": string(key), "delegation-of-a-team": string(task.ID)}
}
