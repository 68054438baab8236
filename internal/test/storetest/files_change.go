package storetest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

var fileChanges = map[string]func(*testing.T, Opener){
	"of several changes those that a limit refuses leave nothing behind": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{Limits: store.Limits{Workspaces: store.WorkspaceLimits{Person: 100}}})
		k := c.fileCalls(1, 1)
		first := strings.Repeat("a", 60)
		results, err := c.s.ChangeFiles(c.ctx, k[0], []store.FileChange{
			text("a.txt", 0, first), text("b.txt", 0, strings.Repeat("b", 41)), text("a.txt", 1, strings.Repeat("c", 41)),
			text("big.txt", 0, strings.Repeat("d", core.MaxFile+1)), text("e.txt", 0, strings.Repeat("e", 40)),
		})
		require.NoError(t, err)
		for i, refused := range []bool{false, true, true, true, false} {
			require.Equal(t, refused, results[i].Refused != "", "%s: %s", results[i].Path, results[i].Refused)
		}
		require.Equal(t, []string{"a.txt", "e.txt"}, c.paths())
		require.Equal(t, first, c.fileHas("a.txt", 0))
		w := c.workspace()
		require.Equal(t, []any{2, int64(100)}, []any{w.Files, w.Bytes})
		_, err = c.s.RemoveFile(c.ctx, c.place(), "e.txt")
		require.NoError(t, err)
		_, err = c.s.PutFile(c.ctx, c.place(), c.session, "ada", "f.txt", make([]byte, 40))
		require.NoError(t, err, "what was refused does not count")
	},
}
