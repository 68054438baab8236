package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

// An editor is a registered agent of Ada's, called zed, on a clock of its own.
type editor struct {
	*chat
	now time.Time
}

func newEditor(t *testing.T, open Opener) *editor {
	e := &editor{now: time.Now()}
	e.chat = newChat(t, open, store.Options{Now: func() time.Time { return e.now }})
	require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", "zed", "edits"))
	return e
}

func (e *editor) offered(text string) errand.TaskID {
	e.t.Helper()
	o := errand.Origin{Route: e.route, SessionKey: e.key, Session: e.session, Person: "ada", Role: errand.Partner}
	task, err := e.s.CreateTask(e.ctx, o, to(text, "zed"), "")
	require.NoError(e.t, err)
	_, err = e.s.BeginPeerWork(e.ctx, task.ID, "zed")
	require.NoError(e.t, err)
	require.NoError(e.t, e.s.OfferRequest(e.ctx, task.ID, "zed"))
	_, err = e.s.KeepPeerTask(e.ctx, task.ID, "zed", errand.PeerTask{ID: string(task.ID) + "/zed", State: errand.Working})
	require.NoError(e.t, err)
	return task.ID
}

// takes is what zed is given: the text of the next request, and of those that it has.
func (e *editor) takes(next string, unanswered ...string) store.Requests {
	e.t.Helper()
	got, err := e.s.TakeRequest(e.ctx, "ada", "zed")
	require.NoError(e.t, err)
	if next == "" {
		require.Nil(e.t, got.Next)
	} else {
		require.NotNil(e.t, got.Next, "there is no request")
		require.Equal(e.t, next, got.Next.Task.Text)
	}
	var texts []string
	for _, r := range got.Unanswered {
		texts = append(texts, r.Task.Text)
	}
	require.Equal(e.t, unanswered, texts)
	return got
}

func (e *editor) isThere(want bool) {
	e.t.Helper()
	got, err := e.s.RegisteredAgent(e.ctx, "ada", "zed")
	require.NoError(e.t, err)
	require.Equal(e.t, want, got.Connected)
}

var registeredAgents = map[string]func(*testing.T, Opener){
	"a registered agent is there for a minute after it has shown up, and while it works": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		e.isThere(true)
		e.now = e.now.Add(61 * time.Second)
		e.isThere(false)
		e.takes("")
		e.isThere(true)
		e.offered("rename it")
		e.takes("rename it")
		e.now = e.now.Add(29 * time.Minute)
		e.isThere(true)
		e.now = e.now.Add(2 * time.Minute)
		e.isThere(false)
		_, err := e.s.RegisteredAgent(e.ctx, "bob", "zed")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = e.s.TakeRequest(e.ctx, "bob", "zed")
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"a request is taken by one, and offered again when that has come back or is silent": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		waits := func(want bool) {
			t.Helper()
			got, err := e.s.RequestWaits(e.ctx, "ada", "zed")
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		waits(false)
		e.offered("first")
		e.now = e.now.Add(time.Second)
		e.offered("second")
		waits(true)
		require.False(t, e.takes("first").Next.Again)
		e.takes("second", "first")
		waits(false)
		e.takes("", "first", "second")
		require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", "zed", "edits more"))
		require.False(t, e.takes("first").Next.Again) // it may not have read it
		e.takes("second", "first")
		e.now = e.now.Add(31 * time.Minute)
		waits(true)
		require.True(t, e.takes("first", "second").Next.Again)
	},
	"an agent that says so stays at work on a request": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		id := e.offered("rename it")
		e.takes("rename it")
		for range 3 {
			e.now = e.now.Add(29 * time.Minute)
			require.NoError(t, e.s.KeepRequest(e.ctx, "ada", id, "zed"))
		}
		e.now = e.now.Add(29 * time.Minute)
		e.isThere(true)
		e.takes("", "rename it")
		require.ErrorIs(t, e.s.KeepRequest(e.ctx, "bob", id, "zed"), store.ErrNotFound)
		_, err := e.s.AnswerRequest(e.ctx, "ada", id, "zed", errand.PeerTask{State: errand.Completed, Text: "renamed"})
		require.NoError(t, err)
		require.ErrorIs(t, e.s.KeepRequest(e.ctx, "ada", id, "zed"), store.ErrAnswered)
		other := e.offered("rename more")
		e.takes("rename more")
		_, err = e.s.CloseTask(e.ctx, other, "no longer needed", true)
		require.NoError(t, err)
		require.ErrorIs(t, e.s.KeepRequest(e.ctx, "ada", other, "zed"), store.ErrClosed)
	},
	"the first answer to a request is final, and is its person's": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		id := e.offered("rename it")
		e.takes("rename it")
		done, no := errand.PeerTask{State: errand.Completed, Text: "renamed"}, errand.PeerTask{State: errand.Failed, Text: "no"}
		_, err := e.s.AnswerRequest(e.ctx, "bob", id, "zed", no)
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = e.s.AnswerRequest(e.ctx, "", id, "zed", no)
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = e.s.AnswerRequest(e.ctx, "ada", id, "vim", no)
		require.ErrorIs(t, err, store.ErrNotFound)
		for _, before := range []bool{false, true} {
			got, err := e.s.AnswerRequest(e.ctx, "ada", id, "zed", done)
			require.NoError(t, err)
			require.Equal(t, []any{before, errand.Completed}, []any{got.Before, got.Work.State})
		}
		_, err = e.s.AnswerRequest(e.ctx, "ada", id, "zed", no)
		require.ErrorIs(t, err, store.ErrAnswered)
		ended, _, err := e.s.FinishTask(e.ctx, id, errand.Completed, "")
		require.NoError(t, err)
		require.Equal(t, "renamed", ended.Result)
		e.takes("")
	},
	"an agent that asks often is noted once in a while, and asks for nothing else": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		began := e.now
		e.now = began.Add(14 * time.Second)
		e.takes("")
		seen := func() time.Time {
			got, err := e.s.RegisteredAgent(e.ctx, "ada", "zed")
			require.NoError(t, err)
			return got.Seen
		}
		require.WithinDuration(t, began, seen(), time.Millisecond)
		e.now = began.Add(15 * time.Second)
		e.takes("")
		require.WithinDuration(t, e.now, seen(), time.Millisecond)
		id := e.offered("rename it")
		e.takes("rename it")
		taken := e.now
		e.now = taken.Add(14 * time.Second)
		require.NoError(t, e.s.KeepRequest(e.ctx, "ada", id, "zed"))
		require.WithinDuration(t, taken, seen(), time.Millisecond)
		e.now = taken.Add(16 * time.Second)
		require.NoError(t, e.s.KeepRequest(e.ctx, "ada", id, "zed"))
		require.WithinDuration(t, e.now, seen(), time.Millisecond)
		e.takes("", "rename it")
	},
	"a late answer that is given again is the same one": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		id := e.offered("rename it")
		e.takes("rename it")
		_, err := e.s.GiveUpPeer(e.ctx, id, "zed", errand.PeerTask{State: errand.Working}, "too slow")
		require.NoError(t, err)
		_, _, err = e.s.FinishTask(e.ctx, id, errand.Failed, "too slow")
		require.NoError(t, err)
		done := errand.PeerTask{State: errand.Completed, Text: "renamed"}
		got, err := e.s.AnswerRequest(e.ctx, "ada", id, "zed", done)
		require.NoError(t, err)
		require.True(t, got.Late)
		late, first, err := e.s.KeepLateAnswer(e.ctx, id, "zed", done)
		require.NoError(t, err)
		require.True(t, first)
		require.Equal(t, "renamed", late.Result)
		got, err = e.s.AnswerRequest(e.ctx, "ada", id, "zed", done)
		require.NoError(t, err)
		require.True(t, got.Before)
		done.Text = "something else"
		_, err = e.s.AnswerRequest(e.ctx, "ada", id, "zed", done)
		require.ErrorIs(t, err, store.ErrAnswered)
	},
	"what was sent to another system takes no answer of an agent of that name": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		o := errand.Origin{Route: e.route, SessionKey: e.key, Session: e.session, Person: "ada", Role: errand.Partner}
		task, err := e.s.CreateTask(e.ctx, o, to("rename it", "zed"), "")
		require.NoError(t, err)
		_, err = e.s.BeginPeerWork(e.ctx, task.ID, "zed")
		require.NoError(t, err)
		e.takes("")
		_, err = e.s.AnswerRequest(e.ctx, "ada", task.ID, "zed", errand.PeerTask{State: errand.Completed, Text: "renamed"})
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"an agent is told once that what it has taken is canceled, and its answer is refused": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		id := e.offered("rename it")
		e.now = e.now.Add(time.Second)
		other := e.offered("not taken")
		e.takes("rename it")
		for _, id := range []errand.TaskID{id, other} {
			_, err := e.s.CloseTask(e.ctx, id, "no longer needed", true)
			require.NoError(t, err)
		}
		require.Equal(t, []errand.TaskID{id}, e.takes("").Canceled)
		require.Empty(t, e.takes("").Canceled)
		_, err := e.s.AnswerRequest(e.ctx, "ada", id, "zed", errand.PeerTask{State: errand.Completed, Text: "renamed"})
		require.ErrorIs(t, err, store.ErrClosed)
		require.Empty(t, e.task(id).Result)
	},
	"a person has few registered agents, and those that are there stay": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		refused := 0
		for i := range 1000 {
			if err := e.s.RegisterAgent(e.ctx, "ada", errand.AgentName(fmt.Sprintf("zed-%d", i)), "edits"); err != nil {
				require.ErrorIs(t, err, store.ErrTooManyAgents)
				refused++
			}
		}
		require.Equal(t, 993, refused)
		e.isThere(true)
		// The one that was seen longest ago is at work: another one makes room.
		e.offered("rename it")
		e.takes("rename it")
		e.now = e.now.Add(time.Second)
		for i := range 7 {
			require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", errand.AgentName(fmt.Sprintf("zed-%d", i)), "edits"))
		}
		e.now = e.now.Add(10 * time.Minute)
		require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", "emacs", "edits"))
		e.isThere(true)
		e.now = e.now.Add(time.Hour)
		require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", "vim", "edits"))
		list, err := e.s.RegisteredAgents(e.ctx, "ada")
		require.NoError(t, err)
		require.Len(t, list, 8)
		require.Equal(t, store.RegisteredAgent{Name: "vim", Description: "edits", Seen: list[0].Seen, Connected: true}, list[0])
	},
}
