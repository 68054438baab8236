package files_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/folder"
	"errand/internal/store"
	"errand/internal/tools/files"
)

func onDisk(t *testing.T) (r *rig, notes, drafts string) {
	t.Helper()
	r, notes, drafts = newRig(t), t.TempDir(), t.TempDir()
	r.tools = files.Tools(r.store,
		files.Disk{Name: "notes", Folder: folder.Folder{Path: notes}, Role: errand.Partner},
		files.Disk{Name: "drafts", Folder: folder.Folder{Path: drafts}, Role: errand.Member, Write: true, For: func(a errand.AgentName) bool { return a == "nikki" }})
	return r, notes, drafts
}

func (r *rig) as(role errand.Role, n int) []store.Call {
	r.t.Helper()
	list := r.calls(n)
	for i := range list {
		list[i].Role = role
	}
	return list
}

func number(t *testing.T, digits string) int {
	t.Helper()
	n, err := strconv.Atoi(digits)
	require.NoError(t, err)
	return n
}

var versioned = regexp.MustCompile(`version (\d+)`)

func versionIn(t *testing.T, text string) string {
	t.Helper()
	m := versioned.FindStringSubmatch(text)
	require.NotNil(t, m, text)
	return m[1]
}

// TestReadDisk proves that the tools for files reach a folder on disk by its name, and
// nothing outside of it, and that it is read-only.
func TestReadDisk(t *testing.T) {
	r, notes, _ := onDisk(t)
	require.NoError(t, os.Mkdir(filepath.Join(notes, "2026"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(notes, "2026/may.md"), []byte("one\ntwo trains\n"), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(notes, "x.bin"), []byte("\x89PNG\r\n\x1a\n\x00"), 0o644))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(notes, "out")))
	k := r.as(errand.Partner, 1)[0]
	require.Equal(t, "The workspace is empty.\nnotes/  a folder on disk, read-only: list it by its name\ndrafts/  a folder on disk, may be written: list it by its name", r.run(k, "list_files", nil))
	require.Regexp(t, `^notes/2026/may.md  15 bytes  on disk, .* UTC\nnotes/x.bin  9 bytes  on disk, .* UTC\n$`, r.run(k, "list_files", m{"folder": "Notes"}))
	require.Regexp(t, `^notes/x.bin  [^\n]*\n$`, r.run(k, "list_files", m{"folder": "notes", "after": "notes/2026/may.md"}))
	require.Regexp(t, `^notes/2026/may.md, version \d+, 15 bytes, on disk, .* UTC:\none\ntwo trains\n$`, r.run(k, "read_file", m{"path": "./notes/2026/may.md"}))
	require.Contains(t, r.run(k, "read_file", m{"path": "notes/2026/may.md", "line": 2}), "UTC:\ntwo trains\n")
	require.Equal(t, "notes/2026/may.md:2: two trains\n", r.run(k, "find_in_files", m{"folder": "notes", "pattern": "tr.in"}))
	for _, no := range []struct {
		tool string
		args m
		want string
	}{
		{"read_file", m{"path": "notes/../../etc/passwd"}, "error: "},
		{"read_file", m{"path": "notes/out"}, "leads out"},
		{"read_file", m{"path": "notes/none.md"}, `error: there is no "notes/none.md" on disk`},
		{"read_file", m{"path": "notes/x.bin"}, "only text can be read"},
		{"read_file", m{"path": "notes"}, "is a folder"},
		{"read_file", m{"path": "notes/2026/may.md", "version": 3}, "no earlier versions"},
		{"list_files", m{"folder": "notes/none"}, "error: "},
		{"find_in_files", m{"folder": "notes/none", "pattern": "x"}, "error: "},
		{"write_file", m{"path": "notes/new.md", "content": "x"}, "error: notes is read-only"},
		{"edit_file", m{"path": "notes/2026/may.md", "version": 1, "old": "one", "new": "six"}, "error: notes is read-only"},
		{"undo_file", m{"path": "notes/2026/may.md"}, "no earlier versions"},
	} {
		require.Contains(t, r.run(k, no.tool, no.args), no.want)
	}
	_, err := os.Stat(filepath.Join(notes, "new.md"))
	require.ErrorIs(t, err, os.ErrNotExist)
	require.NoError(t, os.RemoveAll(notes))
	require.Contains(t, r.run(k, "read_file", m{"path": "notes/2026/may.md"}), "error: notes: the folder cannot be opened on this machine")
}

// TestDiskIsNotForAll proves that a folder on disk is for its agents, and for people with
// its role, and that its name leads nobody else into the workspace.
func TestDiskIsNotForAll(t *testing.T) {
	r, notes, _ := onDisk(t)
	require.NoError(t, os.WriteFile(filepath.Join(notes, "a.md"), []byte("private"), 0o644))
	k := r.as(errand.Member, 1)[0]
	require.Equal(t, "The workspace is empty.\ndrafts/  a folder on disk, may be written: list it by its name", r.run(k, "list_files", nil))
	for tool, args := range map[string]m{"list_files": {"folder": "notes"}, "read_file": {"path": "notes/a.md"}, "write_file": {"path": "NOTES/a.md", "content": "x"}, "find_in_files": {"folder": "notes", "pattern": "p"}, "undo_file": {"path": "notes/a.md"}} {
		require.Contains(t, r.run(k, tool, args), "which you have not for this person", tool)
	}
	k.Role = ""
	require.Equal(t, "The workspace is empty.", r.run(k, "list_files", nil), "whose role nobody knows has none")
	k.Role, k.Agent = errand.MasterAdmin, "finn"
	require.Contains(t, r.run(k, "read_file", m{"path": "drafts/a.md"}), "which you have not")
}

// TestWriteDisk proves that a file on disk is written as a whole, never over what its
// writer has not read, and that a call that runs again does nothing twice.
func TestWriteDisk(t *testing.T) {
	r, _, drafts := onDisk(t)
	file := filepath.Join(drafts, "sub/a.md")
	k := r.as(errand.Member, 9)
	is := func(want string) {
		t.Helper()
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
		entries, err := os.ReadDir(filepath.Dir(file))
		require.NoError(t, err)
		require.Len(t, entries, 1, "nothing is left beside it")
	}
	write := m{"path": "drafts/sub/a.md", "content": "one two"}
	wrote := r.run(k[0], "write_file", write)
	require.Regexp(t, `^drafts/sub/a.md is written on disk: version \d+, 7 bytes.$`, wrote)
	require.Equal(t, wrote, r.run(k[0], "write_file", write), "as after a kill")
	is("one two")
	require.Contains(t, r.run(k[1], "write_file", m{"path": "drafts/sub/a.md", "content": "other"}), "error: drafts: it is there already")
	version := versionIn(t, r.run(k[2], "read_file", m{"path": "drafts/sub/a.md"}))
	require.Equal(t, versionIn(t, wrote), version)
	edit := m{"path": "drafts/sub/a.md", "version": number(t, version), "old": "two", "new": "six"}
	require.NoError(t, os.Chmod(file, 0o600))
	require.Contains(t, r.run(k[3], "edit_file", edit), "drafts/sub/a.md is changed on disk: version ")
	is("one six")
	info, err := os.Stat(file)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	k[3].Again = true
	require.Contains(t, r.run(k[3], "edit_file", edit), "error: drafts: outcome unknown", "of an edit that was killed nobody knows")
	require.Contains(t, r.run(k[4], "edit_file", edit), "error: drafts: it is not in that version any more")
	is("one six")
	next := m{"path": "drafts/sub/a.md", "version": number(t, versionIn(t, r.run(k[2], "read_file", write))), "old": "x", "new": "xx", "all": true}
	next["old"] = "none"
	require.Contains(t, r.run(k[5], "edit_file", next), "the old text is not in it")
	next["old"], next["content"] = "", "all"
	require.Contains(t, r.run(k[6], "write_file", next), "is written on disk")
	is("all")
	require.NoError(t, os.Symlink("sub/a.md", filepath.Join(drafts, "link.md")))
	require.NoError(t, os.Symlink(t.TempDir(), filepath.Join(drafts, "elsewhere")))
	for path, want := range map[string]string{"drafts/link.md": "or a link", "drafts/elsewhere/a.md": "leads out", "drafts/sub": "is no file", "drafts/.env": "begins with a dot", "drafts/sub/a.md/b": "error: "} {
		require.Contains(t, r.run(k[7], "write_file", m{"path": path, "content": "x"}), want)
	}
	require.Contains(t, r.run(k[8], "write_file", m{"path": "drafts/big", "content": strings.Repeat("x", store.MaxFile+1)}), "at most 20000000 are written")
	is("all")
}

type sent []string

func (s *sent) SendFileFor(_ context.Context, _ store.Call, path, _, _ string) (store.FileSent, error) {
	*s = append(*s, path)
	return store.FileSent{Path: path}, nil
}

// TestSendTellsDisks proves that send_file takes a path for one of a folder on disk where
// read_file does, however it is written, and says so instead of looking into the
// workspace.
func TestSendTellsDisks(t *testing.T) {
	r, _, _ := onDisk(t)
	var asked sent
	send := files.Send(&asked, nil, files.Disk{Name: "notes", Folder: folder.Folder{Path: t.TempDir()}, Role: errand.Partner},
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
