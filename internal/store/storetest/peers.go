package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

var peers = map[string]func(*testing.T, Opener){
	"what a peer says first about the end of a task is final": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := errand.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: errand.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.PeerWork(c.ctx, task.ID, "oracle")
		require.ErrorIs(t, err, store.ErrNotFound)
		first, err := c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		require.Equal(t, "the question", first.Text)
		again, err := c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		require.Equal(t, first, again)
		require.Equal(t, errand.Working, c.task(task.ID).State)
		for _, told := range []errand.PeerTask{
			{ID: "p-1", State: errand.Working}, {ID: "p-2", State: errand.Completed, Text: "42"},
			{ID: "p-1", State: errand.Working}, {ID: "p-1", State: errand.Failed, Text: "no"},
		} {
			_, err := c.s.HearPeer(c.ctx, task.ID, "oracle", told)
			require.NoError(t, err)
		}
		work, err := c.s.PeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		require.Equal(t, []any{"p-1", errand.Completed}, []any{work.PeerTask, work.State})
		done, _, err := c.s.FinishTask(c.ctx, task.ID, errand.Completed, "")
		require.NoError(t, err)
		require.Equal(t, "42", done.Result)
	},
	"a task that has ended is not sent, and takes no report of a peer": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := errand.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: errand.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		_, err = c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.ErrorIs(t, err, store.ErrClosed)
		_, err = c.s.HearPeer(c.ctx, task.ID, "oracle", errand.PeerTask{ID: "p-1", State: errand.Completed, Text: "42"})
		require.ErrorIs(t, err, store.ErrClosed)
		require.Empty(t, c.task(task.ID).Result)
	},
	"what a peer asks is one question at a time, and each is asked once": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := errand.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: errand.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		asks := func(word, text string, state errand.TaskState) {
			t.Helper()
			work, _, err := c.s.KeepPeerAsks(c.ctx, task.ID, "oracle", store.PeerAsks{
				Told:     errand.PeerTask{ID: "p-1", State: errand.InputRequired, Text: text, Word: word},
				Question: store.NewQuestion{ID: errand.NewQuestionID(), Text: text, Shown: text, Pace: store.DefaultQuestionPace()},
			})
			require.NoError(t, err)
			require.Equal(t, state, work.State)
		}
		opened := func(want ...string) (list []errand.Question) {
			t.Helper()
			list, err := c.s.Questions(c.ctx, store.QuestionFilter{Tasks: []errand.TaskID{task.ID}, Open: true})
			require.NoError(t, err)
			var texts []string
			for _, q := range list {
				texts = append(texts, q.Text)
			}
			require.Equal(t, want, texts)
			return list
		}
		asks("1", "Which day?", errand.InputRequired)
		asks("1", "Which day?", errand.InputRequired)
		asks("2", "Which day?", errand.InputRequired) // the same, by a peer that counts anew
		require.Equal(t, errand.InputRequired, c.task(task.ID).State)
		opened("Which day?")
		asks("3", "Which week?", errand.InputRequired)
		week := opened("Which week?")[0]
		_, _, _, err = c.s.CloseQuestion(c.ctx, store.CloseQuestion{ID: week.ID, State: errand.QuestionAnswered, Answer: "this", By: "ada"})
		require.NoError(t, err)
		asks("4", "Which month?", errand.InputRequired) // the answer is on its way
		opened()
		untold, err := c.s.UntoldAnswer(c.ctx, week.Call.Owner)
		require.NoError(t, err)
		require.Equal(t, week.ID, untold.ID)
		require.NoError(t, c.s.NotePeerAnswered(c.ctx, untold))
		_, err = c.s.UntoldAnswer(c.ctx, week.Call.Owner)
		require.ErrorIs(t, err, store.ErrNotFound)
		asks("3", "Which week?", errand.Working) // what it said before it had the answer
		opened()
		require.Equal(t, errand.Working, c.task(task.ID).State)
		asks("5", "Which week?", errand.InputRequired)
		opened("Which week?")
		_, err = c.s.HearPeer(c.ctx, task.ID, "oracle", errand.PeerTask{ID: "p-1", State: errand.Completed, Text: "42"})
		require.NoError(t, err)
		opened()
		require.Equal(t, errand.Working, c.task(task.ID).State)
	},
}
