package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// An editor is a registered agent of Ada, called zed, with its own clock.
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

func (e *editor) offered(text string) core.TaskID {
	e.t.Helper()
	o := core.Origin{Route: e.route, SessionKey: e.key, Session: e.session, Person: "ada", Role: core.Partner}
	task, err := e.s.CreateTask(e.ctx, o, to(text, "zed"), "")
	require.NoError(e.t, err)
	_, err = e.s.BeginPeerWork(e.ctx, task.ID, "zed")
	require.NoError(e.t, err)
	require.NoError(e.t, e.s.OfferRequest(e.ctx, task.ID, "zed"))
	_, err = e.s.KeepPeerTask(e.ctx, task.ID, "zed", core.PeerTask{ID: string(task.ID) + "/zed", State: core.Working})
	require.NoError(e.t, err)
	return task.ID
}

// next checks the text of the request that zed gets; empty: none.
func (e *editor) next(want string) {
	e.t.Helper()
	got, err := e.s.NextRequest(e.ctx, "ada", "zed")
	require.NoError(e.t, err)
	if want == "" {
		require.Nil(e.t, got)
		return
	}
	require.NotNil(e.t, got, "there is no request")
	require.Equal(e.t, want, got.Text)
}

var (
	renamed = core.PeerTask{State: core.Completed, Text: "renamed"}
	refused = core.PeerTask{State: core.Failed, Text: "no"}
)

var registeredAgents = map[string]func(*testing.T, Opener){
	"a registered agent gets the oldest request until it is answered, and then the next one": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		e.next("")
		id := e.offered("first")
		e.now = e.now.Add(time.Second)
		e.offered("second")
		e.next("first")
		e.next("first")
		e.now = e.now.Add(6 * 24 * time.Hour)
		require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", "zed", "edits more"))
		e.next("first")
		require.NoError(t, e.s.AnswerRequest(e.ctx, "ada", id, "zed", renamed))
		e.next("second")
	},
	"the requests of an agent are those of its person and its name": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		id := e.offered("rename it")
		_, err := e.s.NextRequest(e.ctx, "bob", "zed")
		require.ErrorIs(t, err, store.ErrNotFound)
		_, err = e.s.EnsurePerson(e.ctx, "bob", "Bob", core.Member)
		require.NoError(t, err)
		require.NoError(t, e.s.RegisterAgent(e.ctx, "bob", "zed", "edits"))
		require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", "vim", "edits"))
		for _, other := range []struct {
			person core.PersonID
			agent  core.AgentName
		}{{"bob", "zed"}, {"ada", "vim"}} {
			got, err := e.s.NextRequest(e.ctx, other.person, other.agent)
			require.NoError(t, err)
			require.Nil(t, got)
			require.ErrorIs(t, e.s.AnswerRequest(e.ctx, other.person, id, other.agent, refused), store.ErrNotFound)
		}
		require.ErrorIs(t, e.s.AnswerRequest(e.ctx, "", id, "zed", refused), store.ErrNotFound)
		e.next("rename it")
	},
	"the first answer to a request is final": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		id := e.offered("rename it")
		for range 2 {
			require.NoError(t, e.s.AnswerRequest(e.ctx, "ada", id, "zed", renamed))
		}
		require.ErrorIs(t, e.s.AnswerRequest(e.ctx, "ada", id, "zed", refused), store.ErrAnswered)
		ended, _, err := e.s.FinishTask(e.ctx, id, core.Completed, "")
		require.NoError(t, err)
		require.Equal(t, "renamed", ended.Result)
		require.NoError(t, e.s.AnswerRequest(e.ctx, "ada", id, "zed", renamed))
		e.next("")
	},
	"a request that errand waits for no more takes no answer": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		late := e.offered("rename it")
		_, err := e.s.GiveUpPeer(e.ctx, late, "zed", core.PeerTask{State: core.Working}, "too slow")
		require.NoError(t, err)
		canceled := e.offered("rename more")
		_, err = e.s.CloseTask(e.ctx, canceled, "no longer needed", true)
		require.NoError(t, err)
		e.next("")
		for _, id := range []core.TaskID{late, canceled} {
			require.ErrorIs(t, e.s.AnswerRequest(e.ctx, "ada", id, "zed", renamed), store.ErrClosed)
			require.Empty(t, e.task(id).Result)
		}
	},
	"a task of another system is no request to an agent of that name": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		o := core.Origin{Route: e.route, SessionKey: e.key, Session: e.session, Person: "ada", Role: core.Partner}
		task, err := e.s.CreateTask(e.ctx, o, to("rename it", "zed"), "")
		require.NoError(t, err)
		_, err = e.s.BeginPeerWork(e.ctx, task.ID, "zed")
		require.NoError(t, err)
		e.next("")
		require.ErrorIs(t, e.s.AnswerRequest(e.ctx, "ada", task.ID, "zed", renamed), store.ErrNotFound)
	},
	"a person has eight registered agents, and one more replaces the oldest registration": func(t *testing.T, open Opener) {
		e := newEditor(t, open)
		register := func(name core.AgentName) {
			e.now = e.now.Add(time.Second)
			require.NoError(t, e.s.RegisterAgent(e.ctx, "ada", name, "edits"))
		}
		for i := range 7 {
			register(core.AgentName(fmt.Sprintf("zed-%d", i)))
		}
		register("zed")
		register("vim")
		list, err := e.s.RegisteredAgents(e.ctx, "ada")
		require.NoError(t, err)
		var names []core.AgentName
		for _, a := range list {
			names = append(names, a.Name)
		}
		require.Equal(t, []core.AgentName{"vim", "zed", "zed-1", "zed-2", "zed-3", "zed-4", "zed-5", "zed-6"}, names)
		require.Equal(t, core.RegisteredAgent{Name: "vim", Description: "edits"}, list[0])
	},
}
