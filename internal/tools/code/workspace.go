package code

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Store keeps the files of conversations. [*store.Store] implements it.
type Store interface {
	tools.Files
	Files(ctx context.Context, place string, f store.FileFilter) ([]core.File, error)
	ChangeFiles(context.Context, core.CallKey, []store.FileChange) ([]store.FileResult, error)
}

// Limits of the files that one run may leave, so that a whole build folder is not kept.
const (
	maxKept      = 100
	maxKeptBytes = 40 << 20
	maxPath      = 4096 // bytes; the store's own limit is far lower
	maxNotes     = 50
)

var (
	errNoRoom = errors.New("there is no more room for its files")
	errCut    = errors.New("its content is not complete")
	errLink   = errors.New("it is a link")
)

// workspace holds the files that a program has written. Their paths, sizes and
// contents are untrusted.
type workspace struct {
	before  map[string]core.File // by path
	open    func(core.File) io.Reader
	written map[string][]byte // without unchanged files
	max     int64             // limit of used, in bytes
	used    int64
	notes   []string // files that are not kept, with the reason
}

func openWorkspace(ctx context.Context, s Store, place string, maxBytes int64) (*workspace, error) {
	w := &workspace{before: map[string]core.File{}, written: map[string][]byte{}, max: maxBytes}
	w.open = func(f core.File) io.Reader { return s.OpenFile(ctx, f) }
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

func (w *workspace) sums() map[string]string {
	sums := map[string]string{}
	for path, file := range w.before {
		sums[path] = file.SHA256
	}
	return sums
}

// write returns errNoRoom, errCut, or an error about the path or size.
func (w *workspace) write(path string, size int64, from io.Reader) error {
	clean, err := cleanPath(path)
	if err != nil {
		return err
	}
	if size > core.MaxFile {
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

func fileNote(path, why string) string {
	return core.Cut(content.Line(path[:min(len(path), maxPath)]), 200) + " (" + core.Cut(content.Line(why), 300) + ")"
}
