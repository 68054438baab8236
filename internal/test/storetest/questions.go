package storetest

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func asking(c *chat, question store.NewQuestion) (core.TaskID, core.Question) {
	c.t.Helper()
	id := c.delegate(1, to("book a train", "sasha"))
	return id, c.ask(id, 1, question)
}

func (c *chat) ask(task core.TaskID, step int, question store.NewQuestion) core.Question {
	c.t.Helper()
	if question.ID == "" {
		question.ID = core.NewQuestionID()
	}
	if question.Pace.ExpireAfter == 0 {
		question.Pace = store.DefaultQuestionPace()
	}
	in := reply(c.sub(task, "sasha", 1, step), "")
	in.Calls = []core.ToolCall{{ID: "c1", Name: "ask_user", Arguments: "{}"}}
	in.Planned = []store.PlannedCall{{By: store.ByQuestion, Tool: "ask_user"}}
	in.Questions = map[int]store.NewQuestion{1: question}
	out := c.commit(in)
	require.Equal(c.t, question.ID, out.Calls[0].Question)
	require.True(c.t, out.Calls[0].Waits)
	require.Equal(c.t, out, *c.sub(task, "sasha", 1, step).Done, "a second attempt asks the same, under the same id")
	q, err := c.s.Question(c.ctx, question.ID)
	require.NoError(c.t, err)
	return q
}

func (c *chat) close(in store.CloseQuestion) (core.Question, bool) {
	c.t.Helper()
	q, first, _, err := c.s.CloseQuestion(c.ctx, in)
	require.NoError(c.t, err)
	return q, first
}

func (c *chat) questionResult(task core.TaskID, step int) string {
	c.t.Helper()
	b := c.sub(task, "sasha", 1, step)
	requireWellFormed(c.t, b.Transcript)
	return core.Unmarked(b.Transcript[len(b.Transcript)-1].Text)
}

var questions = map[string]func(*testing.T, Opener){
	"a question is found by the beginning of its id, where that is one question's of whoever looks": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		id := c.delegate(1, to("book a train", "sasha"))
		for step, q := range []core.QuestionID{"q-abcd2345", "q-abxy2345", "q-k2345678"} {
			c.ask(id, step+1, store.NewQuestion{ID: q, Text: "Which day, " + string(q) + "?"})
		}
		for prefix, want := range map[string]core.QuestionID{"q-abcd2345": "q-abcd2345", "ABX": "q-abxy2345", " Q-k": "q-k2345678", "abc": "q-abcd2345"} {
			q, err := c.s.FindQuestion(c.ctx, prefix, store.QuestionFilter{Person: "ada"})
			require.NoError(t, err, prefix)
			require.Equal(t, want, q.ID)
		}
		_, err := c.s.FindQuestion(c.ctx, "ab", store.QuestionFilter{Person: "ada"})
		require.ErrorIs(t, err, store.ErrAmbiguous)
		require.ErrorContains(t, err, "q-abcd2345, q-abxy2345")
		for prefix, of := range map[string]core.PersonID{"": "ada", "q-": "ada", "zz": "ada", "%": "ada", "a_": "ada", "abcd2345x": "ada", "q-abcd2345": "bob"} {
			_, err := c.s.FindQuestion(c.ctx, prefix, store.QuestionFilter{Person: of})
			require.ErrorIs(t, err, store.ErrNotFound, prefix)
		}
	},
	"a question is committed with the step that asks, shown where the errand came from, and makes the task wait": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "telegram", Account: "main", Chat: "42"})
		id := c.delegate(1, to("book a train", "sasha"))
		q := c.ask(id, 1, store.NewQuestion{Text: "Which day?", Options: []string{"Monday", "Tuesday"}, Shown: "Sasha wants to know which day."})
		require.Equal(t, core.QuestionOpen, q.State)
		require.Equal(t, core.PersonID("ada"), q.Person)
		require.Equal(t, c.route, q.Route)
		require.Equal(t, core.InputRequired, c.task(id).State)
		require.Equal(t, "question: Sasha wants to know which day.", c.reads()[len(c.reads())-1])
		rows, err := c.s.Deliveries(c.ctx, []core.OutboxState{core.Pending}, store.Page{})
		require.NoError(t, err)
		require.Equal(t, q.ID, rows[0].Question)
		require.Equal(t, "question:"+string(q.ID), rows[0].Key)
		require.Equal(t, []string{"Monday", "Tuesday"}, rows[0].Options)
		list, err := c.s.Questions(c.ctx, store.QuestionFilter{Person: "ada", Open: true})
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Contains(t, c.questionResult(id, 2), "question "+string(q.ID)+": open", "a step that does not wait for it is told so")
	},
	"the first answer counts, and the agent is given it as somebody's words": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id, q := asking(c, store.NewQuestion{Text: "Which day?"})
		closed, first := c.close(store.CloseQuestion{ID: q.ID, State: core.QuestionAnswered, Answer: "Monday", By: "ada", In: "web", Notice: "You have answered."})
		require.True(t, first)
		require.Equal(t, core.QuestionAnswered, closed.State)
		again, first := c.close(store.CloseQuestion{ID: q.ID, State: core.QuestionAnswered, Answer: "Tuesday", By: "bob"})
		require.False(t, first)
		require.Equal(t, "Monday", again.Answer)
		require.Equal(t, core.PersonID("ada"), again.AnsweredBy)
		require.Equal(t, core.Working, c.task(id).State)
		require.Equal(t, "notice: You have answered.", c.reads()[len(c.reads())-1])
		undelivered := listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour)))
		require.Len(t, undelivered, 1)
		require.Equal(t, core.SubAgentOwner(id, "sasha"), undelivered[0].Owner)
		require.True(t, c.sub(id, "sasha", 1, 1).Done.Calls[0].Ended, "another attempt at the step has not to wait")
		require.Equal(t, "[question "+string(q.ID)+": answered]\n<answer>\nMonday\n</answer>", c.questionResult(id, 2))
		require.Empty(t, listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour))), "the agent has it")
	},
	"a step that is replayed waits for no question that its turn has gone on without": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id, one := asking(c, store.NewQuestion{Text: "Which day?"})
		two := c.ask(id, 2, store.NewQuestion{Text: "Which train?"}) // something was said to it meanwhile
		call := c.sub(id, "sasha", 1, 1).Done.Calls[0]
		require.False(t, call.Waits)
		require.False(t, call.Ended)
		require.True(t, c.sub(id, "sasha", 1, 2).Done.Calls[0].Waits)
		c.close(store.CloseQuestion{ID: two.ID, State: core.QuestionAnswered, Answer: "the night train", By: "ada"})
		call = c.sub(id, "sasha", 1, 2).Done.Calls[0]
		require.True(t, call.Ended)
		c.close(store.CloseQuestion{ID: one.ID, State: core.QuestionAnswered, Answer: "Monday", By: "ada"})
		require.True(t, c.sub(id, "sasha", 1, 1).Done.Calls[0].Ended)
	},
	"of answers at once one counts": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := asking(c, store.NewQuestion{Text: "Which day?"})
		var wg sync.WaitGroup
		var mu sync.Mutex
		firsts := 0
		for _, answer := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
			wg.Go(func() {
				_, first, _, err := c.s.CloseQuestion(c.ctx, store.CloseQuestion{ID: q.ID, State: core.QuestionAnswered, Answer: answer, By: "ada"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if first {
					firsts++
				}
			})
		}
		wg.Wait()
		require.Equal(t, 1, firsts)
	},
	"a task waits until none of its questions is open": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id, one := asking(c, store.NewQuestion{Text: "Which day?"})
		two := c.ask(id, 2, store.NewQuestion{Text: "Which train?"})
		c.close(store.CloseQuestion{ID: one.ID, State: core.QuestionAnswered, Answer: "Monday", By: "ada"})
		require.Equal(t, core.InputRequired, c.task(id).State)
		c.close(store.CloseQuestion{ID: two.ID, State: core.QuestionDeclined, By: "ada"})
		require.Equal(t, core.Working, c.task(id).State)
		require.Contains(t, c.questionResult(id, 3), "declined to answer")
	},
	"a question is withdrawn when its task ends, and takes no answer then": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id, q := asking(c, store.NewQuestion{Text: "Which day?"})
		_, err := c.s.CloseTask(c.ctx, id, "no need", true)
		require.NoError(t, err)
		over, first := c.close(store.CloseQuestion{ID: q.ID, State: core.QuestionAnswered, Answer: "Monday", By: "ada"})
		require.False(t, first)
		require.Equal(t, core.QuestionWithdrawn, over.State)
		require.Empty(t, listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour))), "nobody is left to tell")
	},
	"a question is withdrawn with the person that it asks, and the agent is told": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, err := c.s.EnsurePerson(c.ctx, "boss", "Boss", core.MasterAdmin)
		require.NoError(t, err)
		id, q := asking(c, store.NewQuestion{Text: "Which day?"})
		require.NoError(t, c.s.RemovePerson(c.ctx, "ada"))
		over, err := c.s.Question(c.ctx, q.ID)
		require.NoError(t, err)
		require.Equal(t, core.QuestionWithdrawn, over.State)
		require.Equal(t, core.Working, c.task(id).State)
		require.Len(t, listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour))), 1)
	},
	"what the agent of a session asks has its answer with the next message of whom it asks": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("book a train")
		in := reply(c.begin(1, 1), "Which day?")
		in.Ask = &store.NewQuestion{ID: core.NewQuestionID(), Text: "Which day?", Pace: store.DefaultQuestionPace()}
		require.True(t, c.commit(in).Final)
		require.Equal(t, "question: Which day?", c.reads()[len(c.reads())-1])
		c.write("Monday")
		c.begin(2, 1)
		q, err := c.s.Question(c.ctx, in.Ask.ID)
		require.NoError(t, err)
		require.Equal(t, core.QuestionAnswered, q.State)
		require.Equal(t, "Monday", q.Answer)
	},
	"an answer from elsewhere to the agent of a session is a message to it, once": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("book a train")
		in := reply(c.begin(1, 1), "Which day?")
		in.Ask = &store.NewQuestion{ID: core.NewQuestionID(), Text: "Which day?", Pace: store.DefaultQuestionPace()}
		c.commit(in)
		end := store.CloseQuestion{ID: in.Ask.ID, State: core.QuestionAnswered, Answer: "Monday", Message: "Monday", By: "ada", Role: core.Member}
		for i := range 2 {
			_, first, row, err := c.s.CloseQuestion(c.ctx, end)
			require.NoError(t, err)
			require.Equal(t, i == 0, first)
			require.Equal(t, i == 0, row > 0)
		}
		b := c.begin(2, 1)
		require.Equal(t, "Monday", b.Transcript[len(b.Transcript)-1].Text)
		require.Equal(t, 2, b.Transcript[len(b.Transcript)-1].Turn)
	},
	"the agent of a session is shown what waits in its chat": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := asking(c, store.NewQuestion{Text: "Which day?"})
		c.write("how are you?")
		b := c.begin(2, 1)
		require.Len(t, b.Questions, 1)
		require.Equal(t, q.ID, b.Questions[0].ID)
		require.Equal(t, core.QuestionOpen, b.Questions[0].State, "what the person says to their agent answers no other")
	},
	"a question goes with its session": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := asking(c, store.NewQuestion{Text: "Which day?"})
		_, err := c.s.MarkForDeletion(c.ctx, c.session, true)
		require.NoError(t, err)
		_, err = c.s.DeleteSession(c.ctx, c.session, nil)
		require.NoError(t, err)
		_, err = c.s.Question(c.ctx, q.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
		rows, err := c.s.Deliveries(c.ctx, nil, store.Page{})
		require.NoError(t, err)
		require.Empty(t, rows)
	},
}
