package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// notes is the part of the suite about working memory as people see it.
var notes = map[string]func(*testing.T, Opener){
	"people see what is noted about them, and have it forgotten": func(t *testing.T, open Opener) {
		now := time.Now()
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		remember := func(person core.PersonID, agent core.AgentName, key string, expires time.Time) {
			require.NoError(t, c.s.Remember(c.ctx, person, agent, store.Note{Key: key, Value: "v", Expires: expires}))
		}
		remember("ada", "nikki", "home/city", time.Time{})
		remember("ada", "nikki", "home%", time.Time{})
		remember("ada", "sasha", "home/city", now.Add(time.Hour))
		remember("bob", "nikki", "home/city", time.Time{})
		seen := func(f store.NoteFilter) (out []string) {
			t.Helper()
			list, err := c.s.Notes(c.ctx, f)
			require.NoError(t, err)
			for _, n := range list {
				out = append(out, string(n.Person)+" "+string(n.Agent)+" "+n.Key)
			}
			return out
		}
		require.Equal(t, []string{"ada nikki home%", "ada nikki home/city", "ada sasha home/city"}, seen(store.NoteFilter{Person: "ada"}))
		require.Equal(t, []string{"ada nikki home%"}, seen(store.NoteFilter{Person: "ada", Prefix: "home%"}))
		require.Equal(t, []string{"ada sasha home/city"}, seen(store.NoteFilter{Person: "ada", Agent: "sasha"}))
		require.Len(t, seen(store.NoteFilter{}), 4)
		require.Len(t, seen(store.NoteFilter{Limit: 1}), 1)
		require.Empty(t, seen(store.NoteFilter{Person: "ada", Prefix: "\x00\xff"}))

		require.NoError(t, c.s.ForgetNote(c.ctx, "ada", "nikki", "home/city"))
		require.ErrorIs(t, c.s.ForgetNote(c.ctx, "ada", "nikki", "home/city"), store.ErrNotFound)
		require.ErrorIs(t, c.s.ForgetNote(c.ctx, "ada", "nikki", "home"), store.ErrNotFound)
		_, err := c.s.Recall(c.ctx, "bob", "nikki", "home/city")
		require.NoError(t, err, "somebody else's was forgotten too")
		now = now.Add(2 * time.Hour)
		require.Equal(t, []string{"ada nikki home%"}, seen(store.NoteFilter{Person: "ada"}))
	},
}
