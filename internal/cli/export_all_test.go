package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestExportAll proves that every session becomes a file of its own, with an index,
// that nobody else may read; and that one that is deleted meanwhile is left out.
func TestExportAll(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions", 200, `[{"id":"0b7e","route":{"channel":"web","chat":"oslo"},"active":"2026-01-02T12:00:00Z"},{"id":"1c8f","active":"2026-01-01T12:00:00Z"}]`)
	f.On("GET /api/sessions/0b7e/export", 200, `{"version":1,"messages":[{"text":"night trains"}]}`)
	f.On("GET /api/sessions/1c8f/export", 404, `{"error":{"code":"not_found","message":"it is gone"}}`)
	dir := filepath.Join(t.TempDir(), "backup")
	got := f.Errand(t, "sessions", "export", "--all", dir)
	require.Equal(t, 0, got.Code, got.Err)
	assert.Contains(t, got.Out, "1 session written to ")
	raw, err := os.ReadFile(filepath.Join(dir, "0b7e.json"))
	require.NoError(t, err)
	assert.Contains(t, string(raw), "night trains")
	raw, err = os.ReadFile(filepath.Join(dir, "sessions.json"))
	require.NoError(t, err)
	var index []fileOf
	require.NoError(t, json.Unmarshal(raw, &index))
	require.Len(t, index, 1)
	assert.Equal(t, "0b7e.json", index[0].File)
	info, err := os.Stat(filepath.Join(dir, "0b7e.json"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	list, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	assert.Len(t, list, 2)
	assert.Equal(t, 2, f.Errand(t, "sessions", "export").Code)
	assert.Equal(t, 2, f.Errand(t, "sessions", "export", "0b7e", "--all", dir).Code)
}

// TestExportAllTakesNoPath proves that an id that is a path writes nothing elsewhere.
func TestExportAllTakesNoPath(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions", 200, `[{"id":"../evil","active":"2026-01-02T12:00:00Z"}]`)
	dir := filepath.Join(t.TempDir(), "backup")
	assert.Equal(t, 1, f.Errand(t, "sessions", "export", "--all", dir).Code)
	_, err := os.Stat(filepath.Join(dir, "..", "evil.json"))
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// TestSessionIsShownWithNotices proves that role, tools and account are shown, and
// what errand itself said at its place.
func TestSessionIsShownWithNotices(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions/0b7e", 200, `{"session":{"id":"0b7e","route":{"channel":"telegram","account":"main","chat":"7"},"agent":"finn","state":"ended"},
		"name":"Ann","role":"member","tools":["recall","remember"],
		"messages":[{"speaker":"user","text":"hello","created":"2026-01-01T12:00:00Z"},{"speaker":"assistant","agent":"finn","text":"hi","created":"2026-01-01T12:02:00Z"}],
		"notices":[{"event":"notice","text":"Finn takes over.","created":"2026-01-01T12:01:00Z"},{"event":"late","text":"Sasha here: done.","created":"2026-01-01T12:03:00Z"}]}`)
	got := f.Errand(t, "sessions", "show", "0b7e")
	require.Equal(t, 0, got.Code, got.Err)
	for _, want := range []string{"chat       telegram/main 7\n", "role now   member\n", "tools      recall, remember\n",
		"Ann: hello\n\nerrand: Finn takes over.\n\nFinn: hi\n\nerrand: Sasha here: done.\n"} {
		assert.Contains(t, got.Out, want)
	}
}
