package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// A writing is a turn on a platform whose reply a message shows while the model writes it.
type writing struct {
	*chat
	b     *store.StepInput
	reply store.GrowingReply // as it was read last
}

func newWriting(t *testing.T, open Opener) *writing {
	w := &writing{chat: chatOn(t, open(t, store.Options{}), core.Route{Channel: "telegram", Account: "main", Chat: "-42"})}
	w.write("how do I get to Oslo?")
	w.b = w.begin(1, 1)
	w.message()
	return w
}

// grows keeps a message that was begun when the reply was read last.
func (w *writing) grows(id string) {
	w.t.Helper()
	r := w.reply
	r.Message = id
	require.NoError(w.t, w.s.KeepGrowing(w.ctx, w.session, 1, r))
}

// message is the one in which the reply grows.
func (w *writing) message() string {
	w.t.Helper()
	r, isOpen, err := w.s.GrowingReply(w.ctx, w.session, 1)
	require.NoError(w.t, err)
	require.True(w.t, isOpen)
	w.reply = r
	return r.Message
}

// replies commits the reply, and returns its row.
func (w *writing) replies() core.Notification {
	w.t.Helper()
	return w.row(w.commit(reply(w.b, "by train")).Outbox[0])
}

func (w *writing) row(id int64) core.Notification {
	w.t.Helper()
	n, err := w.s.Notification(w.ctx, id)
	require.NoError(w.t, err)
	return n
}

// deleted are the messages that are to be deleted.
func (w *writing) deleted() (ids []string) {
	w.t.Helper()
	rows, err := w.s.Deliveries(w.ctx, []core.OutboxState{core.Pending}, store.Page{})
	require.NoError(w.t, err)
	for _, n := range rows {
		if n.Deletes() {
			require.Equal(w.t, w.route, n.Route)
			ids = append(ids, n.Replaces)
		}
	}
	return ids
}

var growing = map[string]func(*testing.T, Opener){
	"the row of a reply takes over the message in which it grew": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		r, isOpen, err := w.s.GrowingReply(w.ctx, w.session, 1)
		require.NoError(t, err)
		require.True(t, isOpen)
		require.Empty(t, r.Message)
		require.Equal(t, "m1", r.ReplyTo)
		w.grows("7")
		w.grows("7") // as after a commit of which the caller did not hear
		require.Equal(t, "7", w.message())
		n := w.replies()
		require.NotEqual(t, r.Key, n.Key, "a platform does not take the one for the other")
		require.Equal(t, "7", n.Replaces)
		w.grows("7") // likewise
		require.Empty(t, w.deleted())
		_, isOpen, err = w.s.GrowingReply(w.ctx, w.session, 1)
		require.NoError(t, err)
		require.False(t, isOpen)
		require.NoError(t, w.s.MarkSent(w.ctx, n.ID, "", []string{"7", "8"}))
		require.Empty(t, w.deleted())
	},
	"of several messages in which a reply grows one is kept": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.grows("7")
		w.grows("8")
		require.Equal(t, "7", w.message())
		require.Equal(t, []string{"8"}, w.deleted())
	},
	"a message that comes with the end of its turn is left to the reply until that is sent": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		n := w.replies()
		w.grows("7")
		require.Equal(t, "7", w.row(n.ID).Replaces)
		w.grows("8")
		require.Equal(t, []string{"8"}, w.deleted())
	},
	"a message that comes after the reply was sent is deleted": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		n := w.replies()
		_, err := w.s.MarkSending(w.ctx, n.ID, 0)
		require.NoError(t, err)
		w.grows("7")
		require.Empty(t, w.row(n.ID).Replaces)
		require.Equal(t, []string{"7"}, w.deleted())
	},
	"a message that its reply was not put in place of is deleted, once": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.grows("7")
		n := w.replies()
		for range 2 {
			require.NoError(t, w.s.MarkSent(w.ctx, n.ID, "", []string{"8"}))
			require.Equal(t, []string{"7"}, w.deleted())
		}
		rows, err := w.s.Deliveries(w.ctx, []core.OutboxState{core.Pending}, store.Page{})
		require.NoError(t, err)
		require.NoError(t, w.s.MarkSent(w.ctx, rows[0].ID, "", nil))
		require.Empty(t, w.deleted())
	},
	"the reply grows anew below what its conversation is told otherwise": func(t *testing.T, open Opener) {
		for name, tell := range map[string]func(*writing){
			"the answer to a command": func(w *writing) { w.tells(core.Notification{Event: core.EventNotice}) },
			"a late result":           func(w *writing) { w.tells(core.Notification{Event: core.EventLate}) },
			"a file": func(w *writing) {
				w.tells(core.Notification{Event: core.EventFile, File: &core.SentFile{ID: 1, Name: "a.txt"}})
			},
			"a question": func(w *writing) {
				w.ask(w.commit(asks(w.b, to("book a train", "sasha"))).Calls[0].Task, 1, store.NewQuestion{Text: "Which day?", Shown: "Which day?"})
				w.b = w.begin(1, 2)
			},
		} {
			t.Run(name, func(t *testing.T) {
				w := newWriting(t, open)
				first := w.reply.Key
				w.grows("7")
				tell(w)
				rows, err := w.s.Deliveries(w.ctx, nil, store.Page{})
				require.NoError(t, err)
				require.Len(t, rows, 2)
				require.Empty(t, rows[1].Replaces)
				require.Equal(t, []string{"7"}, w.deleted())
				w.grows("7") // as by somebody who did not hear of it
				require.Empty(t, w.message())
				require.NotEqual(t, first, w.reply.Key, "a platform takes it for a new message")
				w.grows("9")
				require.Equal(t, "9", w.replies().Replaces)
				require.Equal(t, []string{"7"}, w.deleted())
			})
		}
	},
	"a message that comes after something below it is deleted": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.tells(core.Notification{Event: core.EventLate})
		w.grows("7")
		require.Equal(t, []string{"7"}, w.deleted())
		require.Empty(t, w.message())
		require.Empty(t, w.replies().Replaces)
	},
	"what a transaction of another conversation tells changes nothing": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.grows("7")
		_, err := w.s.EnsurePerson(w.ctx, "bob", "Bob", core.Partner)
		require.NoError(t, err)
		other := chatOn(t, w.s, core.Route{Channel: "telegram", Account: "main", Chat: "-43"})
		other.write("pay")
		in := paying(other.runs(1, 1), core.ApproveAlways, `{"euros":5}`)
		ask := in.Approvals[1]
		ask.Deciders = []store.Decider{{Person: "bob", Route: w.route, Key: w.key, Text: "May it?", Options: []string{"Yes", "No"}, Lapsed: "Nobody decided."}}
		in.Approvals[1] = ask
		q := other.commit(in).Calls[0].Question
		n, err := w.s.NextOutbox(w.ctx, w.route)
		require.NoError(t, err)
		require.Equal(t, "May it?", n.Text)
		require.NoError(t, w.s.MarkSent(w.ctx, n.ID, "", []string{"8"}))
		_, first := other.close(store.CloseQuestion{ID: q, State: core.QuestionAnswered, Answer: core.ApprovedOnce, By: "ada", Notices: map[core.PersonID]string{"bob": "Ada has."}})
		require.True(t, first)
		require.Equal(t, "7", w.message())
		require.Equal(t, "7", w.replies().Replaces)
		require.Empty(t, w.deleted())
	},
	"the message of a turn that has no reply is deleted, also when its session was": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.grows("7")
		require.NoError(t, w.s.CloseTurn(w.ctx, w.owner(), 1, store.StoppedTurn))
		require.Equal(t, []string{"7"}, w.deleted())
		w.deletesSession()
		require.Equal(t, []string{"7"}, w.deleted())
	},
	"the message of a reply that is dismissed, or deleted before it is sent, is deleted": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.grows("7")
		n := w.replies()
		require.NoError(t, w.s.Dismiss(w.ctx, n.ID))
		require.Equal(t, []string{"7"}, w.deleted())
		require.Empty(t, w.row(n.ID).Replaces, "sent again after all, it is a message of its own")

		w = newWriting(t, open)
		w.grows("7")
		n = w.replies()
		_, err := w.s.MarkSending(w.ctx, n.ID, 0)
		require.NoError(t, err)
		require.NoError(t, w.s.Dismiss(w.ctx, n.ID))
		require.Empty(t, w.deleted(), "it may have the reply")

		w = newWriting(t, open)
		w.grows("7")
		n = w.replies()
		w.deletesSession()
		require.Equal(t, []string{"7"}, w.deleted())
		require.Equal(t, "7", w.row(n.ID).Replaces)
	},
}

// tells queues something else for the conversation.
func (w *writing) tells(n core.Notification) {
	w.t.Helper()
	n.Key, n.Route, n.Session, n.Text = "told", w.route, w.key, "All is well."
	_, err := w.s.Answer(w.ctx, n)
	require.NoError(w.t, err)
}

func (w *writing) deletesSession() {
	w.t.Helper()
	_, err := w.s.MarkForDeletion(w.ctx, w.session, true)
	require.NoError(w.t, err)
	_, err = w.s.DeleteSession(w.ctx, w.session, nil)
	require.NoError(w.t, err)
}
