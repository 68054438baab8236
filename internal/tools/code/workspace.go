package code

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"errand"
	"errand/internal/content"
	"errand/internal/quickjs"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Store keeps the files of conversations; [*store.Store] does.
type Store interface {
	tools.Files
	Files(ctx context.Context, place string, f store.FileFilter) ([]store.File, error)
	ChangeFiles(context.Context, errand.CallKey, []store.FileChange) ([]store.FileResult, error)
}

// Limits of what one run leaves: a build folder is not a result.
const (
	maxKept      = 100
	maxKeptBytes = 40 << 20
	maxPath      = 4096 // bytes; the store keeps far shorter ones
	maxNotes     = 50
)

var (
	errNoRoom = errors.New("there is no more room for its files")
	errCut    = errors.New("its content is not complete")
)

// A workspace is the files of a conversation as a program finds them, and those that it has
// written. Paths, sizes and contents are the program's word.
type workspace struct {
	before  map[string]store.File // by path
	open    func(store.File) io.Reader
	written map[string][]byte // without those that are as before
	max     int64             // bytes of written
	used    int64
	notes   []string // what is not kept, and why
}

func openWorkspace(ctx context.Context, s Store, place string, maxBytes int64) (*workspace, error) {
	w := &workspace{before: map[string]store.File{}, written: map[string][]byte{}, max: maxBytes}
	w.open = func(f store.File) io.Reader { return s.OpenFile(ctx, f) }
	const page = 200
	for after := ""; ; {
		list, err := s.Files(ctx, place, store.FileFilter{After: after, Limit: page})
		if err != nil {
			return nil, err
		}
		for _, file := range list {
			w.before[file.Path] = file
			after = file.Path
		}
		if len(list) < page {
			return w, nil
		}
	}
}

// sums are the SHA-256 of the files as they were, by path.
func (w *workspace) sums() map[string]string {
	sums := map[string]string{}
	for path, file := range w.before {
		sums[path] = file.SHA256
	}
	return sums
}

func (w *workspace) read(path string, most int64) ([]byte, error) {
	clean, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	if data, ok := w.written[clean]; ok {
		return data, nil
	}
	file, ok := w.before[clean]
	if !ok {
		return nil, fmt.Errorf("open %s: %w", clean, fs.ErrNotExist)
	}
	if file.Size > most {
		return nil, quickjs.TooLarge(file.Size, most)
	}
	return io.ReadAll(w.open(file))
}

// write stores a file of size bytes. The error is errNoRoom, errCut, or a fault of the path or
// the size.
func (w *workspace) write(path string, size int64, from io.Reader) error {
	clean, err := cleanPath(path)
	if err != nil {
		return err
	}
	if size > store.MaxFile {
		return errors.New(content.Size(size) + " is more than a file may have")
	}
	cost := func(size int64) int64 { return int64(len(clean)) + 512 + size }
	used := w.used
	if old, ok := w.written[clean]; ok {
		used -= cost(int64(len(old)))
	}
	if size < 0 || used+cost(size) > w.max {
		return errNoRoom
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(from, data); err != nil {
		return errCut
	}
	if before, ok := w.before[clean]; ok && before.SHA256 == fmt.Sprintf("%x", sha256.Sum256(data)) {
		w.used = used
		delete(w.written, clean)
		return nil
	}
	w.used = used + cost(size)
	w.written[clean] = data
	return nil
}

func (w *workspace) list() (paths []string) {
	all := maps.Clone(w.written)
	for path := range w.before {
		all[path] = nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), isHidden)
}

// changes are the files to keep.
func (w *workspace) changes() (list []store.FileChange) {
	for _, path := range slices.Sorted(maps.Keys(w.written)) {
		if isHidden(path) {
			continue
		}
		if len(list) == maxKept {
			w.refuse("", errNoRoom)
			break
		}
		list = append(list, store.FileChange{Path: path, Base: w.before[path].Version, Content: w.written[path]})
	}
	return list
}

func (w *workspace) refuse(path string, why error) {
	note := "more than these (one run keeps 100 files and 40 MB)"
	switch {
	case errors.Is(why, errNoRoom):
	case len(w.notes) < maxNotes:
		note = fileNote(path, why.Error())
	default:
		note = "more than these"
	}
	if len(w.notes) == 0 || w.notes[len(w.notes)-1] != note {
		w.notes = append(w.notes, note)
	}
}

// isHidden reports whether a path leads through a hidden folder or a cache.
func isHidden(path string) bool {
	folders := strings.Split(path, "/")
	return slices.ContainsFunc(folders[:len(folders)-1], func(name string) bool {
		return strings.HasPrefix(name, ".") && name != "." || name == "__pycache__" || name == "node_modules"
	})
}

func cleanPath(path string) (string, error) {
	if len(path) > maxPath {
		return "", fmt.Errorf("the path has %d bytes; at most %d are looked at", len(path), maxPath)
	}
	return store.CleanFilePath(path)
}

// fileNote is one line about a file, whose name is the program's.
func fileNote(path, why string) string {
	return errand.Cut(content.Line(path[:min(len(path), maxPath)]), 200) + " (" + errand.Cut(content.Line(why), 300) + ")"
}

// scriptFiles are the workspace for JavaScript in WebAssembly, which reads and writes texts.
type scriptFiles struct {
	*workspace
	text int64 // bytes of one
}

func (f scriptFiles) Read(path string) ([]byte, error) {
	data, err := f.read(path, f.text)
	return bytes.ToValidUTF8(data, []byte("\uFFFD")), err
}

func (f scriptFiles) Write(path string, text []byte) error {
	err := f.write(path, int64(len(text)), bytes.NewReader(text))
	if errors.Is(err, errNoRoom) {
		return fmt.Errorf("its files have more than %s", content.Size(f.max))
	}
	return err
}

func (f scriptFiles) List() ([]string, error) { return f.list(), nil }
