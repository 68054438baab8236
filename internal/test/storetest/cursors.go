package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var cursors = map[string]func(*testing.T, Opener){
	"how far each chat of an account has come in": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		c := chatOn(t, s, core.Route{Channel: "discord", Account: "main", Chat: "10"})
		accept := func(chat, id string, revision int) {
			t.Helper()
			m := c.message("hello")
			m.Route.Chat, m.MessageID, m.Revision = chat, id, revision
			_, err := s.Accept(c.ctx, m)
			require.NoError(t, err)
		}
		for _, id := range []string{"999", "1002", "1001", "press-5000", "9x"} {
			accept("10", id, 0)
		}
		accept("10", "999", 77)
		accept("20", "press-1", 0)
		other := c.message("elsewhere")
		other.Route, other.MessageID = core.Route{Channel: "discord", Account: "finn", Chat: "30"}, "5"
		_, err := s.Accept(c.ctx, other)
		require.NoError(t, err)
		delivered, err := s.Answer(c.ctx, core.Notification{Key: "k", Route: core.Route{Channel: "discord", Account: "main", Chat: "40"}, Event: core.EventNotice, Text: "your code"})
		require.NoError(t, err)
		require.True(t, delivered)
		list, err := s.Cursors(c.ctx, "discord", "main")
		require.NoError(t, err)
		require.Len(t, list, 2)
		require.Equal(t, store.Cursor{Chat: "10", Last: "1002"}, list[0])
		require.Equal(t, "40", list[1].Chat)
		require.Empty(t, list[1].Last)
		require.False(t, list[1].Since.IsZero())
	},
}
