package agents_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/agents"
)

func skillFolder(t *testing.T) (agents.SkillFolder, string) {
	t.Helper()
	above := t.TempDir()
	at := filepath.Join(above, "notes")
	for name, text := range map[string]string{
		"../secret": "hidden", "a.md": "A", "a/x.md": "X", "a/deep/y.md": "Y", "a-b.md": "AB", "b.md": "B", ".env": "KEY=1", ".git/config": "g", "a/.x": "x", "new\nline": "n",
	} {
		path := filepath.Join(at, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	require.NoError(t, os.Symlink("../secret", filepath.Join(at, "out")))
	require.NoError(t, os.Symlink(filepath.Join(above, "secret"), filepath.Join(at, "absolute")))
	require.NoError(t, os.Symlink("..", filepath.Join(at, "above")))
	require.NoError(t, os.Symlink("a.md", filepath.Join(at, "c.md")))
	require.NoError(t, os.Symlink("loop", filepath.Join(at, "loop")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(at, "pipe"), 0o644))
	socket, err := net.Listen("unix", filepath.Join(at, "socket"))
	require.NoError(t, err)
	t.Cleanup(func() { socket.Close() })
	return agents.SkillFolder{Path: at}, above
}

// TestNothingOutside proves that no path, link, pipe or device leads out of a folder, or
// is waited for.
func TestNothingOutside(t *testing.T) {
	f, above := skillFolder(t)
	for name, want := range map[string]string{
		"../secret": "leaves the folder", "a/../../secret": "leaves the folder", "/etc/passwd": "from the folder on", above + "/secret": "from the folder on",
		`..\secret`: "from the folder on", "out": "leads out", "absolute": "leads out", "above/secret": "leads out", "loop": "too many", "a.md/x": "not a directory",
		"pipe": "no file", "a": "is a folder", "": "is a folder", ".": "is a folder", ".env": "begins with a dot", "a/.x": "begins with a dot", ".git/config": "begins with a dot",
		"new\nline": "cannot be seen", "a\x00b": "cannot be seen", "\xff": "UTF-8", "socket": "",
	} {
		_, err := f.Read(name, 100)
		var refused *agents.PathError
		require.ErrorAs(t, err, &refused, name)
		require.Contains(t, err.Error(), want, name)
		require.NotContains(t, err.Error(), f.Path, "where the folder is, is nobody's business")
	}
	_, err := f.Read("no.md", 100)
	require.ErrorIs(t, err, fs.ErrNotExist)
	data, err := f.Read("c.md", 100)
	require.NoError(t, err)
	require.Equal(t, "A", string(data), "a link within the folder is followed")
	_, err = f.Read("a/deep/y.md", 0)
	require.ErrorContains(t, err, "at most 0")
	_, err = f.In("above")
	require.ErrorContains(t, err, "leads out")
}

// TestWalk proves that a walk visits the files of a folder, or one file, and leaves out what
// would not be opened.
func TestWalk(t *testing.T) {
	f, _ := skillFolder(t)
	walk := func(under string, most int) string {
		var got []string
		require.NoError(t, f.Walk(under, func(e agents.SkillFolderFile) bool {
			got = append(got, e.Path)
			return len(got) < most
		}))
		return strings.Join(got, " ")
	}
	require.Equal(t, "a/deep/y.md a/x.md a-b.md a.md b.md c.md", walk("", 100))
	require.Equal(t, "a/deep/y.md a/x.md", walk("a", 100))
	require.Equal(t, "a/deep/y.md", walk("", 1))
	require.Equal(t, "a/x.md", walk("a/x.md", 100))
	require.ErrorIs(t, f.Walk("none", nil), fs.ErrNotExist)
	require.Error(t, f.Walk("above", func(agents.SkillFolderFile) bool { t.Error("it walks out"); return false }))
}

// TestNoFolder proves that a folder that is not there is told from a file that is not.
func TestNoFolder(t *testing.T) {
	f := agents.SkillFolder{Path: filepath.Join(t.TempDir(), "none")}
	_, err := f.Read("a.md", 1)
	require.ErrorContains(t, err, "cannot be opened on this machine")
	require.False(t, errors.As(err, new(*agents.PathError)))
}
