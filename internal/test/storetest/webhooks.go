package storetest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func (c *chat) due(before time.Time) (ids []string) {
	c.t.Helper()
	for w, err := range c.s.AllDueWebhooks(c.ctx, before) {
		require.NoError(c.t, err)
		require.EqualValues(c.t, "ada", w.Person, "whose it is")
		ids = append(ids, w.ID)
	}
	return ids
}

var webhooks = map[string]func(*testing.T, Opener){
	"a request that comes again is one task with one webhook, also at once, and a key is for one request": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		ask := func(person core.PersonID, body string) (core.Task, error) {
			n := to("x", "sasha")
			n.Webhook, n.Replay = "https://example.org/", &store.Replay{Key: "k", Body: body}
			return c.s.CreateTask(c.ctx, core.Origin{Person: person, Role: core.Member}, n, "")
		}
		tasks := make([]core.Task, 8)
		errs := make([]error, len(tasks))
		var all sync.WaitGroup
		for i := range tasks {
			all.Go(func() { tasks[i], errs[i] = ask("ada", "one") })
		}
		all.Wait()
		for i := range tasks {
			require.NoError(t, errs[i])
			require.Equal(t, tasks[0].ID, tasks[i].ID)
		}
		list, err := c.s.Webhooks(c.ctx, "ada", store.Page{})
		require.NoError(t, err)
		require.Len(t, list, 1)
		_, err = ask("ada", "two")
		require.ErrorIs(t, err, store.ErrOtherRequest)
		other, err := ask("bob", "one")
		require.NoError(t, err)
		require.NotEqual(t, tasks[0].ID, other.ID, "a key is its person's")
		everybodys, err := c.s.Webhooks(c.ctx, "", store.Page{})
		require.NoError(t, err)
		require.Len(t, everybodys, 2)
		_, err = c.s.CloseTask(c.ctx, tasks[0].ID, "", true)
		require.NoError(t, err)
		ended, err := ask("ada", "one")
		require.NoError(t, err)
		require.True(t, ended.State.Terminal(), "also when it has ended")
	},
	"a webhook is due when its task ends, ends once, and goes with its task": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		later := time.Now().Add(time.Hour)
		n := to("x", "sasha")
		n.Webhook = "https://example.org/hook"
		task, err := c.s.CreateTask(c.ctx, core.Origin{Person: "ada", Role: core.Member}, n, "")
		require.NoError(t, err)
		require.Empty(t, c.due(later))
		_, err = c.s.CloseTask(c.ctx, task.ID, "", true)
		require.NoError(t, err)
		ids := c.due(later)
		require.Len(t, ids, 1)
		require.Empty(t, c.due(time.Now().Add(-time.Hour)))
		of, err := c.s.DueWebhooks(c.ctx, task.ID)
		require.NoError(t, err)
		require.Equal(t, ids, of)

		require.NoError(t, c.s.NoteWebhookTried(c.ctx, ids[0], core.WebhookDue, "busy"))
		require.Equal(t, ids, c.due(later))
		require.NoError(t, c.s.NoteWebhookTried(c.ctx, ids[0], core.WebhookSent, ""))
		require.NoError(t, c.s.NoteWebhookTried(c.ctx, ids[0], core.WebhookFailed, "late"))
		require.NoError(t, c.s.GiveWebhookUp(c.ctx, ids[0]))
		w, err := c.s.Webhook(c.ctx, ids[0])
		require.NoError(t, err)
		require.Equal(t, []any{core.WebhookSent, 2, "", task.ID, "https://example.org/hook"}, []any{w.State, w.Attempts, w.Error, w.Task, w.URL})
		require.Empty(t, c.due(later))
		_, err = c.s.DeleteTask(c.ctx, task.ID, nil)
		require.NoError(t, err)
		_, err = c.s.Webhook(c.ctx, ids[0])
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"a person's webhooks are signed with one secret until another is drawn": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		var got []string
		for _, draw := range []struct {
			drawn string
			renew bool
		}{{"one", false}, {"two", false}, {"three", true}, {"four", false}} {
			secret, err := c.s.WebhookSecret(c.ctx, "ada", draw.drawn, draw.renew)
			require.NoError(t, err)
			got = append(got, secret)
		}
		require.True(t, slices.Equal([]string{"one", "one", "three", "three"}, got), got)
		_, err := c.s.WebhookSecret(c.ctx, "nobody", "x", false)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
}
