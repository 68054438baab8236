package sandbox

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
)

// programFiles is the workspace in memory. Each written file goes to the parent process at once.
type programFiles struct {
	JavaScriptProgram
	texts   map[string][]byte
	written map[string]int64 // sizes
	used    int64
	out     *tar.Writer
}

// unpack reads the archive. Its first file is the program.
func (f *programFiles) unpack(in io.Reader) (source string, err error) {
	archive := tar.NewReader(in)
	for first := true; ; first = false {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			_, err = io.Copy(io.Discard, in)
			return source, err
		}
		if err != nil {
			return "", err
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			return "", err
		}
		if first {
			source = string(text)
		} else {
			f.texts[strings.TrimPrefix(h.Name, "work/")] = text
		}
	}
}

const maxProgramPath = 4096

// ask handles a request of the program: "read", "write" or "list". The answer to "list" is JSON.
func (f *programFiles) ask(what, name, text string) (string, error) {
	name = path.Clean(name)
	size := int64(len(text))
	if what == "read" {
		size = int64(len(f.texts[name]))
	}
	old, again := f.written[name]
	switch _, exists := f.texts[name]; {
	case what == "list":
		names, err := json.Marshal(append([]string{}, slices.Sorted(maps.Keys(f.texts))...))
		return string(names), err
	case !fs.ValidPath(name) || name == "." || len(name) > maxProgramPath:
		return "", fmt.Errorf("the path %.200q leads out of the workspace or is too long", name)
	case size > f.File:
		return "", fmt.Errorf("a file of %d bytes is more than the %d that there may be", size, f.File)
	case what == "read" && !exists:
		return "", fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	case what == "read":
		return strings.ToValidUTF8(string(f.texts[name]), "\uFFFD"), nil
	}
	cost := size - old
	if !again {
		cost = size + int64(len(name)) + 512
	}
	if f.used+cost > f.Files {
		return "", fmt.Errorf("its files have more than %d MB", f.Files/1e6)
	}
	if err := f.out.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size}); err != nil {
		return "", err
	}
	f.used += cost
	f.written[name], f.texts[name] = size, []byte(text)
	if _, err := io.WriteString(f.out, text); err != nil {
		return "", err
	}
	return "", f.out.Flush()
}
