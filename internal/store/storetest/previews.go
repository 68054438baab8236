package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

type writing struct {
	*chat
	now time.Time
	b   *store.StepInput
}

func newWriting(t *testing.T, open Opener) *writing {
	w := &writing{now: time.Now()}
	w.chat = chatOn(t, open(t, store.Options{Now: func() time.Time { return w.now }}), errand.Route{Channel: "telegram", Account: "main", Chat: "-42"})
	w.write("how do I get to Oslo?")
	w.b = w.begin(1, 1)
	return w
}

func (w *writing) claim() (p store.Preview, claimed, open bool) {
	w.t.Helper()
	p, claimed, open, err := w.s.ClaimPreview(w.ctx, w.session, 1, w.route, 5*time.Second)
	require.NoError(w.t, err)
	return p, claimed, open
}

func (w *writing) shown(id string) store.Preview {
	w.t.Helper()
	p, claimed, _ := w.claim()
	require.True(w.t, claimed)
	require.NoError(w.t, w.s.NotePreview(w.ctx, p.ID, id))
	return p
}

// replies commits the reply, and returns its row.
func (w *writing) replies() errand.Notification {
	w.t.Helper()
	n, err := w.s.Notification(w.ctx, w.commit(reply(w.b, "by train")).Outbox[0])
	require.NoError(w.t, err)
	return n
}

func (w *writing) take(n errand.Notification) (string, time.Duration) {
	w.t.Helper()
	message, wait, err := w.s.TakePreview(w.ctx, n)
	require.NoError(w.t, err)
	return message, wait
}

func (w *writing) left() (ids []string, later bool) {
	w.t.Helper()
	list, later, err := w.s.LeftPreviews(w.ctx)
	require.NoError(w.t, err)
	for _, p := range list {
		require.Equal(w.t, w.route, p.Route)
		ids = append(ids, p.Message)
	}
	return ids, later
}

var previews = map[string]func(*testing.T, Opener){
	"of several that would show a reply while it is written, one does": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		p, claimed, going := w.claim()
		require.True(t, claimed && going && p.New)
		require.Equal(t, "m1", p.ReplyTo)
		_, claimed, going = w.claim()
		require.False(t, claimed, "somebody is at it")
		require.True(t, going)
		require.NoError(t, w.s.NotePreview(w.ctx, p.ID, "7"))
		p, claimed, _ = w.claim()
		require.True(t, claimed && !p.New && p.Message == "7" && !p.Passed)
		w.now = w.now.Add(6 * time.Second) // whoever was at it is gone
		_, claimed, _ = w.claim()
		require.True(t, claimed)
		require.NoError(t, w.s.DropPreview(w.ctx, p.ID))
		p, claimed, _ = w.claim()
		require.True(t, claimed && p.New)
	},
	"a reply is told in the place of the message that shows it": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		p := w.shown("7")
		n := w.replies()
		require.Equal(t, p.Key, n.Key)
		_, _, going := w.claim()
		require.False(t, going, "the turn is over")
		left, later := w.left()
		require.Empty(t, left)
		require.True(t, later)
		for range 2 { // as after a crash
			message, wait := w.take(n)
			require.Equal(t, "7", message)
			require.Zero(t, wait)
			n.Attempts = 1
		}
		require.NoError(t, w.s.MarkSent(w.ctx, n.ID, "", []string{"7", "8"}))
		left, later = w.left()
		require.Empty(t, left)
		require.False(t, later)
	},
	"a reply that was told in another message leaves the one that showed it": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.shown("7")
		n := w.replies()
		w.take(n)
		require.NoError(t, w.s.MarkSent(w.ctx, n.ID, "", []string{"8"}))
		left, later := w.left()
		require.Equal(t, []string{"7"}, left)
		require.False(t, later)
	},
	"messages that wait for their replies hide none that waits for nothing": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		const waiting = 205
		for turn := 1; turn <= waiting+1; turn++ {
			if turn > 1 {
				w.write("and then?")
				w.b = w.begin(turn, 1)
			}
			p, claimed, _, err := w.s.ClaimPreview(w.ctx, w.session, turn, w.route, 5*time.Second)
			require.NoError(t, err)
			require.True(t, claimed)
			require.NoError(t, w.s.NotePreview(w.ctx, p.ID, fmt.Sprint(turn)))
			if turn <= waiting {
				w.replies()
			}
		}
		require.NoError(t, w.s.CloseTurn(w.ctx, w.owner(), waiting+1, store.StoppedTurn))
		left, later := w.left()
		require.Equal(t, []string{fmt.Sprint(waiting + 1)}, left)
		require.True(t, later)
	},
	"a reply waits for who is just changing the message, and may have been sent without it then": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.shown("7")
		_, claimed, _ := w.claim()
		require.True(t, claimed)
		n := w.replies()
		message, wait := w.take(n)
		require.Empty(t, message)
		require.InDelta(t, 5*time.Second, wait, float64(time.Second))
		n.Attempts = 1
		w.now = w.now.Add(6 * time.Second)
		message, wait = w.take(n)
		require.Empty(t, message)
		require.Zero(t, wait)
	},
	"nothing takes the place of a message that is not known": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.claim()
		n := w.replies()
		w.now = w.now.Add(6 * time.Second)
		message, wait := w.take(n)
		require.Empty(t, message)
		require.Zero(t, wait)
		require.NoError(t, w.s.MarkSent(w.ctx, n.ID, "", []string{"8"}))
		left, _ := w.left()
		require.Equal(t, []string{""}, left)
	},
	"nothing takes the place of a message above what was told since": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.shown("7")
		_, err := w.s.Answer(w.ctx, errand.Notification{Key: "asks", Route: w.route, Session: w.key, Event: errand.EventQuestion, Text: "Which day?"})
		require.NoError(t, err)
		p, claimed, _ := w.claim()
		require.True(t, claimed && p.Passed)
		require.NoError(t, w.s.NotePreview(w.ctx, p.ID, "7"))
		message, _ := w.take(w.replies())
		require.Empty(t, message)
	},
	"a reply that is sent again does not take the place of a message that is just taken away": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		p := w.shown("7")
		n := w.replies()
		require.NoError(t, w.s.Dismiss(w.ctx, n.ID))
		left, _ := w.left()
		require.Equal(t, []string{"7"}, left)
		claimed, err := w.s.ClaimLeftPreview(w.ctx, p.ID, 5*time.Second)
		require.NoError(t, err)
		require.True(t, claimed)
		again, err := w.s.ClaimLeftPreview(w.ctx, p.ID, 5*time.Second)
		require.NoError(t, err)
		require.False(t, again, "somebody is at it")
		require.NoError(t, w.s.RetryOutbox(w.ctx, n.ID))
		message, wait := w.take(n)
		require.Empty(t, message)
		require.InDelta(t, 5*time.Second, wait, float64(time.Second))
		w.now = w.now.Add(6 * time.Second) // whoever was at it is gone
		claimed, err = w.s.ClaimLeftPreview(w.ctx, p.ID, 5*time.Second)
		require.NoError(t, err)
		require.False(t, claimed, "its reply is sent after all")
		message, _ = w.take(n)
		require.Equal(t, "7", message)
	},
	"what was shown of a turn that was stopped is left, and of a session that was deleted": func(t *testing.T, open Opener) {
		w := newWriting(t, open)
		w.shown("7")
		left, _ := w.left()
		require.Empty(t, left, "it is being written")
		require.NoError(t, w.s.CloseTurn(w.ctx, w.owner(), 1, store.StoppedTurn))
		left, _ = w.left()
		require.Equal(t, []string{"7"}, left)
		_, err := w.s.MarkForDeletion(w.ctx, w.session, true)
		require.NoError(t, err)
		_, err = w.s.DeleteSession(w.ctx, w.session, nil)
		require.NoError(t, err)
		list, _, err := w.s.LeftPreviews(w.ctx)
		require.NoError(t, err)
		require.Len(t, list, 1)
		require.Equal(t, "7", list[0].Message)
		require.Empty(t, list[0].Key)
	},
}
