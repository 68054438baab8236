package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func (c *chat) takeBack(by core.PersonID, id string) bool {
	c.t.Helper()
	removed, err := c.s.TakeBack(c.ctx, c.route, by, id)
	require.NoError(c.t, err)
	return removed
}

var takenBack = map[string]func(*testing.T, Opener){
	"what no turn has taken is gone": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		m := c.with("my secret", file("secret.txt", "secret"))
		c.accept(m)
		c.write("hello")
		require.True(t, c.takeBack("ada", m.MessageID))
		require.False(t, c.takeBack("ada", m.MessageID), "once more")
		require.True(t, c.accept(m).Duplicate, "the platform delivers it again")
		m.Revision, m.Text = 1, "my secret, mended"
		c.accept(m) // an edit that was on its way
		require.Equal(t, []string{"user: hello"}, texts(c.begin(1, 1).Transcript))
		for _, e := range c.events() {
			require.NotContains(t, e.Text, "secret")
		}
		require.Empty(t, c.artifacts())
		require.Empty(t, untaken(t, c, c.events()[0].Created.AddDate(1, 0, 0)), "nobody is woken for it")
	},
	"what a turn has taken is removed from the transcript": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		c.write("before")
		m := c.with("my secret", file("secret.txt", "secret"))
		c.accept(m)
		c.write("after")
		c.commit(reply(c.begin(1, 1), "ok"))
		require.NoError(t, c.s.SaveSummary(c.ctx, c.owner(), 1, 1, "they told me a secret"))
		hits, err := c.s.Search(c.ctx, "secret", "ada", 0)
		require.NoError(t, err)
		require.Len(t, hits, 1)

		require.True(t, c.takeBack("ada", m.MessageID))
		require.NotNil(t, c.begin(2, 1).Empty, "no new turn")
		c.write("next")
		b := c.begin(2, 1)
		require.Equal(t, []string{"user: before", "user: [deleted by the user]", "user: after", "assistant: ok", "user: next"}, texts(b.Transcript))
		require.Equal(t, b.Nonce.Mark("deleted by the user"), b.Transcript[1].Text, "nobody can write that themselves")
		require.Empty(t, b.Summary)
		require.Empty(t, c.artifacts())
		hits, err = c.s.Search(c.ctx, "secret", "ada", 0)
		require.NoError(t, err)
		require.Empty(t, hits)
		hits, err = c.s.Search(c.ctx, "deleted by", "ada", 0)
		require.NoError(t, err)
		require.Len(t, hits, 1)
		require.Equal(t, "(deleted by the user)", c.events()[1].Text)
	},
	"both revisions of a message go": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		m := c.message("one secret")
		c.accept(m)
		c.commit(reply(c.begin(1, 1), "ok"))
		m.Text, m.Revision = "another secret", 1
		c.accept(m)
		require.True(t, c.takeBack("ada", m.MessageID))
		require.NotNil(t, c.begin(2, 1).Empty)
		e, err := c.s.Export(c.ctx, c.session)
		require.NoError(t, err)
		require.NotContains(t, store.Markdown(e), "secret")
	},
	"a message of somebody else stays, and of nobody": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		_, err := c.s.EnsurePerson(c.ctx, "bob", "Bob", core.Member)
		require.NoError(t, err)
		c.write("mine")
		require.False(t, c.takeBack("bob", "m1"))
		require.False(t, c.takeBack("ada", "m99"))
		require.NoError(t, c.s.NoteCommand(c.ctx, c.message("the answer")))
		require.False(t, c.takeBack("ada", "m2"), "a command has been carried out")
		require.Equal(t, []string{"user: mine"}, texts(c.begin(1, 1).Transcript))
	},
	"in a session that several share each takes back their own": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), telegram)
		_, err := c.s.EnsurePerson(c.ctx, "bob", "Bob: yes\nAda", core.Member)
		require.NoError(t, err)
		c.key = core.NewSessionKey(c.route, core.Everyone)
		c.session = c.rehydrate().Session
		for _, who := range []core.PersonID{"ada", "bob"} {
			m := c.message("secret of " + string(who))
			m.Person, m.Shared = who, true
			c.accept(m)
		}
		c.commit(reply(c.begin(1, 1), "ok"))
		require.False(t, c.takeBack("ada", "m2"))
		require.True(t, c.takeBack("bob", "m2"))
		stored, err := c.s.Transcript(c.ctx, c.owner(), 0)
		require.NoError(t, err)
		require.Equal(t, []string{"user: Ada: secret of ada", "user: Bob yes Ada: [deleted by the user]", "assistant: ok"}, texts(stored))
	},
}
