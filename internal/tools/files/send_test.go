package files_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/folder"
	"errand/internal/store"
	"errand/internal/tools/files"
)

// sent keeps the paths that are sent.
type sent []string

func (s *sent) SendFileFor(_ context.Context, _ store.Call, path, _ string) (store.FileSent, error) {
	*s = append(*s, path)
	return store.FileSent{Path: path}, nil
}

// TestSendTellsDisks proves that send_file takes a path for one of a folder on disk where
// read_file does, however it is written, and says so instead of looking into the
// workspace.
func TestSendTellsDisks(t *testing.T) {
	r, _, _ := onDisk(t)
	var asked sent
	send := files.Send(&asked, files.Disk{Name: "notes", Folder: folder.Folder{Path: t.TempDir()}, Role: errand.Partner},
		files.Disk{Name: "drafts", Folder: folder.Folder{Path: t.TempDir()}, Role: errand.Member})
	list := r.as(errand.Partner, 2)
	const onDisk, closed = "is a folder on disk, and only files of the workspace are sent", "is a folder on disk, which you have not for this person"
	for path, want := range map[string]string{
		"notes": onDisk, "notes/a.md": onDisk, "./notes/a.md": onDisk, "Notes/a.md": onDisk, "NOTES//a.md": onDisk, "x/../notes/a.md": onDisk, "drafts/a.md": onDisk,
		"notes.md": "", "my/notes/a.md": "", "notesy/a.md": "", "a.md": "",
	} {
		asked = nil
		raw, err := json.Marshal(map[string]string{"path": path})
		require.NoError(t, err)
		text, err := send.Run(t.Context(), list[0], raw)
		require.NoError(t, err)
		read := r.run(list[1], "read_file", map[string]any{"path": path})
		if want == "" {
			require.Equal(t, sent{path}, asked, text)
			require.NotContains(t, read, "on disk", path)
			continue
		}
		require.Contains(t, text, want, path)
		require.Empty(t, asked, path)
		if path != "notes" { // which is no file
			require.Contains(t, read, "on disk", path)
		}
	}
	asked = nil
	member := r.as(errand.Member, 1)[0]
	text, err := send.Run(t.Context(), member, json.RawMessage(`{"path": "./Notes/a.md"}`))
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(text, "error: ") && strings.Contains(text, closed), text)
	require.Empty(t, asked)
}
