package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var peers = map[string]func(*testing.T, Opener){
	"what a peer says first about the end of a task is final": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
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
		require.Equal(t, core.Working, c.task(task.ID).State)
		for _, told := range []core.PeerTask{
			{ID: "p-1", State: core.Working}, {ID: "p-2", State: core.Completed, Text: "42"},
			{ID: "p-1", State: core.Working}, {ID: "p-1", State: core.Failed, Text: "no"},
		} {
			_, err := c.s.KeepPeerTask(c.ctx, task.ID, "oracle", told)
			require.NoError(t, err)
		}
		work, err := c.s.PeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		require.Equal(t, []any{"p-1", core.Completed}, []any{work.PeerTask, work.State})
		done, _, err := c.s.FinishTask(c.ctx, task.ID, core.Completed, "")
		require.NoError(t, err)
		require.Equal(t, "42", done.Result)
	},
	"a task that has ended is not sent, and takes no report of a peer": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		_, err = c.s.CloseTask(c.ctx, task.ID, "no longer needed", false)
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.ErrorIs(t, err, store.ErrClosed)
		_, err = c.s.KeepPeerTask(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Completed, Text: "42"})
		require.ErrorIs(t, err, store.ErrClosed)
		require.Empty(t, c.task(task.ID).Result)
	},
	"the files of a peer's result are artifacts of the conversation, and its words name them": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
		told := core.PeerTask{ID: "p-1", State: core.Completed, Text: "Here.", Files: []core.PeerFile{
			{Name: "map.png", Type: "image/png", Data: []byte("png")}, {Name: "big", Fault: "it is too [large]\nor so"}, {Name: "empty", Type: "text/plain"}}}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		for range 2 { // what is told twice is kept once
			_, err = c.s.KeepPeerTask(c.ctx, task.ID, "oracle", told)
			require.NoError(t, err)
		}
		kept, err := c.s.Artifacts(c.ctx, c.session)
		require.NoError(t, err)
		require.Len(t, kept, 2)
		slices.SortFunc(kept, func(a, b core.Artifact) int { return int(b.Size - a.Size) })
		require.Equal(t, []any{"map.png", "image/png", int64(3), core.PersonID("ada"), "oracle"}, []any{kept[0].Name, kept[0].Type, kept[0].Size, kept[0].Person, kept[0].Tool})
		require.True(t, kept[0].Within(o))
		data, err := c.s.ArtifactData(c.ctx, kept[0].ID)
		require.NoError(t, err)
		require.Equal(t, "png", string(data))
		done, _, err := c.s.FinishTask(c.ctx, task.ID, core.Completed, "")
		require.NoError(t, err)
		require.Equal(t, fmt.Sprintf("Here.\n[file %s: map.png, image/png, 3 bytes]\n(a file that was not kept: big: it is too (large) or so)\n[file %s: empty, text/plain, 0 bytes]", kept[0].ID, kept[1].ID), done.Result)

		late := c.peerWorks("oracle")
		_, err = c.s.CloseTask(c.ctx, late.ID, "no longer needed", false)
		require.NoError(t, err)
		for range 2 {
			_, _, err = c.s.KeepLateAnswer(c.ctx, late.ID, "oracle", told)
			require.NoError(t, err)
		}
		kept, err = c.s.Artifacts(c.ctx, c.session)
		require.NoError(t, err)
		require.Len(t, kept, 4, "of what comes late, too")
	},
	"the files of a peer's result that belongs to no session are those of its tree": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Person: "ada", Role: core.Partner, Root: "r-1"}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		_, err = c.s.KeepPeerTask(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Completed, Files: []core.PeerFile{{Name: "a", Type: "text/plain", Data: []byte("a")}}})
		require.NoError(t, err)
		done, _, err := c.s.FinishTask(c.ctx, task.ID, core.Completed, "")
		require.NoError(t, err)
		id, _, found := strings.Cut(strings.TrimPrefix(done.Result, "[file "), ":")
		require.True(t, found, done.Result)
		kept, err := c.s.Artifact(c.ctx, core.ArtifactID(id))
		require.NoError(t, err)
		require.True(t, kept.Within(done.Origin))
		require.False(t, kept.Within(core.Origin{Root: "r-2"}))
	},
	"what a peer asks is one question at a time, and each is asked once": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		o := core.Origin{Route: c.route, SessionKey: c.key, Session: c.session, Person: "ada", Role: core.Partner}
		task, err := c.s.CreateTask(c.ctx, o, to("the question", "oracle"), "")
		require.NoError(t, err)
		_, err = c.s.BeginPeerWork(c.ctx, task.ID, "oracle")
		require.NoError(t, err)
		asks := func(word, text string, state core.TaskState) {
			t.Helper()
			work, _, err := c.s.KeepPeerAsks(c.ctx, task.ID, "oracle", store.PeerAsks{
				Status:   core.PeerTask{ID: "p-1", State: core.InputRequired, Text: text, Word: word},
				Question: store.NewQuestion{ID: core.NewQuestionID(), Text: text, Shown: text, Pace: store.DefaultQuestionPace()},
			})
			require.NoError(t, err)
			require.Equal(t, state, work.State)
		}
		opened := func(want ...string) (list []core.Question) {
			t.Helper()
			list, err := c.s.Questions(c.ctx, store.QuestionFilter{Tasks: []core.TaskID{task.ID}, Open: true})
			require.NoError(t, err)
			var texts []string
			for _, q := range list {
				texts = append(texts, q.Text)
			}
			require.Equal(t, want, texts)
			return list
		}
		asks("1", "Which day?", core.InputRequired)
		asks("1", "Which day?", core.InputRequired)
		asks("2", "Which day?", core.InputRequired) // the same, by a peer that counts anew
		require.Equal(t, core.InputRequired, c.task(task.ID).State)
		opened("Which day?")
		asks("3", "Which week?", core.InputRequired)
		week := opened("Which week?")[0]
		_, _, _, err = c.s.CloseQuestion(c.ctx, store.CloseQuestion{ID: week.ID, State: core.QuestionAnswered, Answer: "this", By: "ada"})
		require.NoError(t, err)
		asks("4", "Which month?", core.InputRequired) // the answer is on its way
		opened()
		answer, err := c.s.AnswerForPeer(c.ctx, week.Call.Owner)
		require.NoError(t, err)
		require.Equal(t, week.ID, answer.ID)
		require.NoError(t, c.s.NotePeerAnswered(c.ctx, answer))
		_, err = c.s.AnswerForPeer(c.ctx, week.Call.Owner)
		require.ErrorIs(t, err, store.ErrNotFound)
		asks("3", "Which week?", core.Working) // what it said before it had the answer
		opened()
		require.Equal(t, core.Working, c.task(task.ID).State)
		asks("5", "Which week?", core.InputRequired)
		opened("Which week?")
		_, err = c.s.KeepPeerTask(c.ctx, task.ID, "oracle", core.PeerTask{ID: "p-1", State: core.Completed, Text: "42"})
		require.NoError(t, err)
		opened()
		require.Equal(t, core.Working, c.task(task.ID).State)
	},
}
