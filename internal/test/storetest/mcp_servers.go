package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
)

var mcpServers = map[string]func(*testing.T, Opener){
	"a server is known with whether its worker is alive, gone, or has ended": func(t *testing.T, open Opener) {
		now := monday
		s := open(t, store.Options{Now: func() time.Time { return now }})
		is := func(alive bool, until time.Time) {
			t.Helper()
			list, err := s.MCPServers(t.Context())
			require.NoError(t, err)
			require.Len(t, list, 1)
			require.JSONEq(t, `[{"name":"files.read"}]`, string(list[0].Tools), "a worker that has none to tell leaves those that are known")
			require.Equal(t, alive, list[0].Alive)
			require.True(t, until.Equal(list[0].AliveUntil), "%s, want %s", list[0].AliveUntil, until)
		}
		_, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		note := func(state, tools string) {
			t.Helper()
			require.NoError(t, s.NoteMCPServer(t.Context(), store.MCPServer{Name: "files", Worker: "a", Queue: "errand-mcp-files", State: state, Tools: []byte(tools)}))
		}
		note("connected", `[{"name":"files.read"}]`)
		note("down", "")
		is(true, now.Add(30*time.Second))
		until := now.Add(30 * time.Second)
		now = now.Add(time.Minute)
		is(false, until)
		renew(t, s, "a")
		is(true, now.Add(30*time.Second))
		require.NoError(t, s.DeregisterWorker(t.Context(), "a"))
		is(false, time.Time{})
	},
}
