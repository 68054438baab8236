package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestHistoryIsKept proves that what was sent is found at the next start, by nobody else,
// in bounds, and without what is secret.
func TestHistoryIsKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "errand", "history")
	h, err := OpenHistory(file)
	require.NoError(t, err)
	secret := "errand_" + strings.Repeat("a", 43)
	for _, text := range []string{"first", "two\nlines", " not this", "use " + secret, "sk-abcdefghijklmnopqrst is it", strings.Repeat("M", 24) + ".Gabcde." + strings.Repeat("x", 30), "ghp_" + strings.Repeat("c", 36), "12345678:" + strings.Repeat("b", 35), "first", " ", strings.Repeat("long", mostLine)} {
		require.NoError(t, h.Keep(text))
	}
	assert.Equal(t, "first", h.At(0))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, "-rw-------", info.Mode().String())
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "\"first\"\n\"two\\nlines\"\n\"first\"\n", string(raw))
	again, err := OpenHistory(file)
	require.NoError(t, err)
	assert.Equal(t, []string{"two\nlines", "first"}, again.lines)
	again.Add("of another chat")
	assert.Equal(t, "of another chat", again.At(0))

	require.NoError(t, os.Chmod(file, 0o644))
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	for i := range 2*mostLines + 1 {
		fmt.Fprintf(f, "\"number %d\"\n", i)
	}
	fmt.Fprintf(f, "broken\n\"\\u001b[2Jclears\"\n")
	require.NoError(t, f.Close())
	again, err = OpenHistory(file)
	require.NoError(t, err)
	assert.Equal(t, mostLines, again.Len())
	assert.Equal(t, "[2Jclears", again.At(0), "what steers a terminal is left out")
	raw, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, mostLines, strings.Count(string(raw), "\n"), "shortened")
	info, err = os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, "-rw-------", info.Mode().String())
	left, err := os.ReadDir(filepath.Dir(file))
	require.NoError(t, err)
	assert.Len(t, left, 1)
}

// TestHistoryThatCannotBeKept proves that one can write all the same, and is told.
func TestHistoryThatCannotBeKept(t *testing.T) {
	dir := t.TempDir()
	h, err := OpenHistory(os.DevNull)
	require.NoError(t, err)
	assert.NoError(t, h.Keep("text"))
	assert.Empty(t, h.file, "it would be closed to everybody else")
	h, err = OpenHistory(dir)
	assert.ErrorContains(t, err, "is a directory")
	assert.NoError(t, h.Keep("text"))
	assert.Equal(t, "text", h.At(0))
	file := filepath.Join(dir, "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	h = &History{file: filepath.Join(file, "history")}
	assert.ErrorContains(t, h.Keep("text"), "not a directory")
	assert.Equal(t, "text", h.At(0))
}
