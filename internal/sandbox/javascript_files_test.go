package sandbox

import (
	"archive/tar"
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestProgramFiles proves which files a program may read and write, and that what it writes is
// handed out whole.
func TestProgramFiles(t *testing.T) {
	var out bytes.Buffer
	f := programFiles{JavaScriptProgram: JavaScriptProgram{Files: 3000, File: 1000}, texts: map[string][]byte{"in/a": []byte("one"), "large": make([]byte, 1001)}, written: map[string]int64{}, out: tar.NewWriter(&out)}
	for _, path := range []string{"../x", "/etc/passwd", "a/../../x", "", ".", strings.Repeat("a/", 3000) + "x"} {
		_, err := f.ask("read", path, "")
		require.Error(t, err, path)
		_, err = f.ask("write", path, "x")
		require.Error(t, err, path)
	}
	for _, tt := range []struct{ what, name, text, answer, err string }{
		{"read", "./in//a", "", "one", ""},
		{"read", "large", "", "", "a file of 1001 bytes is more than the 1000 that there may be"},
		{"read", "none", "", "", "open none: file does not exist"},
		{"write", "b", strings.Repeat("x", 1001), "", "a file of 1001 bytes is more than the 1000 that there may be"},
		{"write", "b", strings.Repeat("x", 1000), "", ""},
		{"write", "b", "two", "", ""},
		{"write", "c", strings.Repeat("x", 1000), "", ""},
		{"write", "d", strings.Repeat("x", 1000), "", "its files have more than 0 MB"},
		{"read", "b", "", "two", ""},
		{"list", "", "", `["b","c","in/a","large"]`, ""},
	} {
		answer, err := f.ask(tt.what, tt.name, tt.text)
		if tt.err != "" {
			require.ErrorContains(t, err, tt.err)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, tt.answer, answer)
	}
	var names []string
	for archive := tar.NewReader(&out); ; {
		h, err := archive.Next()
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		names = append(names, h.Name)
	}
	require.Equal(t, []string{"b", "b", "c"}, names)
}
