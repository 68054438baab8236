// Package folder reaches the files in one folder of this machine's disk, and nothing
// outside of it: no link, no device and no path leads out.
package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// A Folder reads the folder at Path. Each call opens it anew, so it may be moved away and put
// back. It is safe for concurrent use.
type Folder struct{ Path string }

// A RefusedError refuses a path. Its text is for the caller that gave the path, and says what
// to do.
type RefusedError struct{ Problem string }

func (e *RefusedError) Error() string { return e.Problem }

func refused(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// An Entry is a file in a folder.
type Entry struct {
	Path string // from the folder on, with slashes
	Size int64
}

// maxVisited bounds how much of a folder one walk looks at.
const maxVisited = 100_000

// In returns a folder in f. A link out of f is refused.
func (f Folder) In(name string) (Folder, error) {
	root, name, err := f.reach(name)
	if err != nil {
		return Folder{}, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return Folder{}, problem(name, err)
	case !info.IsDir():
		return Folder{}, refused("%s is no folder", name)
	}
	return Folder{filepath.Join(f.Path, filepath.FromSlash(name))}, nil
}

// reach opens the folder, and cleans a path in it. If the folder cannot be opened, the error
// is not fs.ErrNotExist, which stands for the file.
func (f Folder) reach(name string) (*os.Root, string, error) {
	name, err := clean(name)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return nil, "", fmt.Errorf("the folder cannot be opened on this machine: %v", reason(err))
	}
	return root, name, nil
}

// clean returns the path of a file relative to the folder, with slashes. The error is a
// [*RefusedError].
func clean(name string) (string, error) {
	switch {
	case !utf8.ValidString(name):
		return "", refused("the path is not valid UTF-8")
	case strings.HasPrefix(name, "/") || strings.Contains(name, `\`):
		return "", refused("the path %q is not one from the folder on, with /", name)
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "", refused("the path %q leaves the folder with ..", name)
	}
	for _, r := range name {
		if r != ' ' && !unicode.IsPrint(r) {
			return "", refused("the path has the character %U, which cannot be seen", r)
		}
	}
	name = path.Clean(name)
	if hidden(name) {
		return "", refused("%q: files whose name begins with a dot are not reached", name)
	}
	return name, nil
}

// hidden reports whether a part of a clean path begins with a dot, such as .git: what is
// in there is for programs, or secret.
func hidden(name string) bool {
	return name != "." && (strings.HasPrefix(name, ".") || strings.Contains(name, "/."))
}

// problem explains an error of the file system. It is a [*RefusedError] if another path helps.
func problem(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case strings.Contains(err.Error(), "escapes"): // os has no name for it
		return refused("%s is a link that leads out of the folder: it is not followed", name)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EISDIR):
		return refused("%s: %v", name, reason(err))
	}
	return fmt.Errorf("%s: %w", name, reason(err))
}

// reason returns an error without the path of the folder on this machine.
func reason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// Read returns a file of at most limit bytes. The error is a [*RefusedError] if the path, or
// what is there, cannot be read, and fs.ErrNotExist if no file is there.
func (f Folder) Read(name string, limit int64) ([]byte, error) {
	root, name, err := f.reach(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Without O_NONBLOCK the call would wait for a program that writes to the pipe.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, problem(name, err)
	}
	defer file.Close()
	switch info, err := file.Stat(); {
	case err != nil:
		return nil, problem(name, err)
	case info.IsDir():
		return nil, refused("%s is a folder", name)
	case !info.Mode().IsRegular():
		return nil, refused("%s is no file: only files are read", name)
	case info.Size() > limit:
		return nil, refused("%s has %d bytes; at most %d are read", name, info.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return nil, problem(name, err)
	case int64(len(data)) > limit: // it has grown since
		return nil, refused("%s has more than %d bytes", name, limit)
	}
	return data, nil
}

// Walk visits the files of a folder in f, or the one file under names, in the order of
// fs.WalkDir, until visit returns false. It leaves out what Read would refuse: hidden files,
// invisible names, links out, pipes and devices.
func (f Folder) Walk(under string, visit func(Entry) bool) error {
	root, under, err := f.reach(under)
	if err != nil {
		return err
	}
	defer root.Close()
	visited := 0
	return fs.WalkDir(root.FS(), under, func(name string, d fs.DirEntry, err error) error {
		if visited++; visited > maxVisited {
			return refused("the folder has more than %d files: name one of the folders in it", maxVisited)
		}
		if err != nil {
			if name == under {
				return problem(under, err)
			}
			return nil // it was removed since, or we may not read it
		}
		switch _, unseen := clean(name); {
		case unseen != nil && d.IsDir():
			return fs.SkipDir
		case unseen != nil, d.IsDir():
			return nil
		}
		info, err := root.Stat(name) // of the file that a link leads to
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if !visit(Entry{name, info.Size()}) {
			return fs.SkipAll
		}
		return nil
	})
}
