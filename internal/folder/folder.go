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
	"time"
	"unicode"
	"unicode/utf8"
)

// A Folder is one by its path. It is opened anew for each call, so it may be moved away
// and put back. It is safe for concurrent use.
type Folder struct{ Path string }

// A RefusedError refuses a path. It is for whoever gave it, and says what to do.
type RefusedError struct{ Problem string }

func (e *RefusedError) Error() string { return e.Problem }

func refused(format string, args ...any) error { return &RefusedError{fmt.Sprintf(format, args...)} }

// An Entry is a file in a folder.
type Entry struct {
	Path     string // from the folder on, with slashes
	Size     int64
	Modified time.Time
}

// maxVisited bounds how much of a folder one walk looks at.
const maxVisited = 100_000

// In returns a folder that is in f, and no link out of it.
func (f Folder) In(name string) (Folder, error) {
	clean, err := Clean(name)
	if err != nil {
		return Folder{}, err
	}
	root, err := f.root()
	if err != nil {
		return Folder{}, err
	}
	defer root.Close()
	info, err := root.Stat(clean)
	switch {
	case err != nil:
		return Folder{}, problem(clean, err)
	case !info.IsDir():
		return Folder{}, refused("%s is no folder", clean)
	}
	return Folder{filepath.Join(f.Path, filepath.FromSlash(clean))}, nil
}

// root opens the folder. That it is not there is no fault of whoever named a path in it.
func (f Folder) root() (*os.Root, error) {
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return nil, fmt.Errorf("the folder cannot be opened on this machine: %v", reason(err)) // not ErrNotExist: that is a file's
	}
	return root, nil
}

// Check reports why the folder cannot be read; nil if it can.
func (f Folder) Check() error {
	root, err := f.root()
	if err != nil {
		return err
	}
	defer root.Close()
	dir, err := root.Open(".")
	if err != nil {
		return reason(err)
	}
	defer dir.Close()
	if _, err := dir.ReadDir(1); err != nil && !errors.Is(err, io.EOF) {
		return reason(err)
	}
	return nil
}

// Clean returns the path of a file as it is kept: relative, with slashes. The error is a
// [*RefusedError].
func Clean(name string) (string, error) {
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
	clean := path.Clean(name)
	if hidden(clean) {
		return "", refused("%q: files whose name begins with a dot are not reached", name)
	}
	return clean, nil
}

// hidden reports whether a part of a clean path begins with a dot, such as .git: what is
// in there is for programs, or secret.
func hidden(clean string) bool {
	return clean != "." && (strings.HasPrefix(clean, ".") || strings.Contains(clean, "/."))
}

// Open opens a file for reading. What is wrong with the path, or with what is there, is a
// [*RefusedError]; a file that is not there is fs.ErrNotExist.
func (f Folder) Open(name string) (*os.File, Entry, error) {
	clean, err := Clean(name)
	if err != nil {
		return nil, Entry{}, err
	}
	root, err := f.root()
	if err != nil {
		return nil, Entry{}, err
	}
	defer root.Close()
	return openIn(root, clean)
}

func openIn(root *os.Root, clean string) (*os.File, Entry, error) {
	// Without O_NONBLOCK a pipe that nobody writes to would be waited for.
	file, err := root.OpenFile(clean, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, Entry{}, problem(clean, err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = refused("%s is a folder", clean)
	case !info.Mode().IsRegular():
		err = refused("%s is no file: only files are read", clean)
	default:
		return file, Entry{clean, info.Size(), info.ModTime()}, nil
	}
	file.Close()
	return nil, Entry{}, err
}

// problem is an error about a path, for whoever gave it where it is about that.
func problem(clean string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", clean, fs.ErrNotExist)
	case strings.Contains(err.Error(), "escapes"): // os has no name for it
		return refused("%s is a link that leads out of the folder: it is not followed", clean)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EISDIR):
		return refused("%s: %v", clean, reason(err))
	}
	return fmt.Errorf("%s: %w", clean, reason(err))
}

// reason is an error without the path on this machine, which is nobody's business.
func reason(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}

// Read returns the whole of a file of at most most bytes.
func (f Folder) Read(name string, most int64) ([]byte, Entry, error) {
	file, entry, err := f.Open(name)
	if err != nil {
		return nil, entry, err
	}
	defer file.Close()
	data, err := readAll(file, entry, most)
	return data, entry, err
}

func readAll(file *os.File, entry Entry, most int64) ([]byte, error) {
	if entry.Size > most {
		return nil, refused("%s has %d bytes; at most %d are read", entry.Path, entry.Size, most)
	}
	data, err := io.ReadAll(io.LimitReader(file, most+1))
	if err != nil {
		return nil, problem(entry.Path, err)
	}
	if int64(len(data)) > most { // it has grown meanwhile
		return nil, refused("%s has more than %d bytes", entry.Path, most)
	}
	return data, nil
}

// Walk visits the files of the folder, or of a folder in it, in the order of their paths
// and behind the path after, until visit returns false. It leaves out what it would not
// open: hidden files, names that cannot be seen, links out, pipes and devices.
func (f Folder) Walk(under, after string, visit func(Entry) bool) error {
	clean, err := Clean(under)
	if err != nil {
		return err
	}
	root, err := f.root()
	if err != nil {
		return err
	}
	defer root.Close()
	last, visited := strings.Split(after, "/"), 0
	return fs.WalkDir(root.FS(), clean, func(name string, d fs.DirEntry, err error) error {
		if visited++; visited > maxVisited {
			return refused("the folder has more than %d files: name one of the folders in it", maxVisited)
		}
		if err != nil {
			if name == clean {
				return problem(clean, err)
			}
			return nil // removed meanwhile, or not for us to read
		}
		parts := strings.Split(name, "/")
		_, unseen := Clean(name)
		switch before := after != "" && name != "." && slices.Compare(parts, last) <= 0; {
		case name == ".":
			return nil
		case unseen != nil && d.IsDir(), d.IsDir() && before && !slices.Equal(parts, last[:min(len(parts), len(last))]):
			return fs.SkipDir
		case unseen != nil, d.IsDir(), before:
			return nil
		}
		info, err := root.Stat(name) // of what a link leads to
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if !visit(Entry{name, info.Size(), info.ModTime()}) {
			return fs.SkipAll
		}
		return nil
	})
}
