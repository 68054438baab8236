package agents

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

// A SkillFolder reads files in the folder at Path and never outside it, even through
// links. Each call opens the folder again, so it may be replaced. It is safe for
// concurrent use.
type SkillFolder struct{ Path string }

// A PathError refuses a path. Its text is for the caller that gave the path, and says what to do.
type PathError struct{ Problem string }

func (e *PathError) Error() string { return e.Problem }

func refusePath(format string, args ...any) error { return &PathError{fmt.Sprintf(format, args...)} }

// A SkillFolderFile is a file in a folder.
type SkillFolderFile struct {
	Path string // relative to the folder, with slashes
	Size int64
}

const maxVisitedFiles = 100_000

// In returns a subfolder of f. It refuses a link that leads out of f.
func (f SkillFolder) In(name string) (SkillFolder, error) {
	root, name, err := f.reach(name)
	if err != nil {
		return SkillFolder{}, err
	}
	defer root.Close()
	info, err := root.Stat(name)
	switch {
	case err != nil:
		return SkillFolder{}, fileProblem(name, err)
	case !info.IsDir():
		return SkillFolder{}, refusePath("%s is no folder", name)
	}
	return SkillFolder{filepath.Join(f.Path, filepath.FromSlash(name))}, nil
}

// reach opens the folder and cleans a path in it. If the folder cannot be opened, the
// error is not fs.ErrNotExist, which is only for the file.
func (f SkillFolder) reach(name string) (*os.Root, string, error) {
	name, err := cleanPath(name)
	if err != nil {
		return nil, "", err
	}
	root, err := os.OpenRoot(f.Path)
	if err != nil {
		return nil, "", fmt.Errorf("the folder cannot be opened on this machine: %v", fileReason(err))
	}
	return root, name, nil
}

// cleanPath returns a clean path relative to the folder, with slashes. The error is a
// [*PathError].
func cleanPath(name string) (string, error) {
	switch {
	case !utf8.ValidString(name):
		return "", refusePath("the path is not valid UTF-8")
	case strings.HasPrefix(name, "/") || strings.Contains(name, `\`):
		return "", refusePath("the path %q is not one from the folder on, with /", name)
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "", refusePath("the path %q leaves the folder with ..", name)
	}
	for _, r := range name {
		if r != ' ' && !unicode.IsPrint(r) {
			return "", refusePath("the path has the character %U, which cannot be seen", r)
		}
	}
	name = path.Clean(name)
	if isHiddenPath(name) {
		return "", refusePath("%q: files whose name begins with a dot are not reached", name)
	}
	return name, nil
}

// isHiddenPath reports whether a part of a clean path begins with a dot, such as .git.
// Such files are for programs, or secret.
func isHiddenPath(name string) bool {
	return name != "." && (strings.HasPrefix(name, ".") || strings.Contains(name, "/."))
}

// fileProblem explains an error of the file system. It returns a [*PathError] if
// another path may help.
func fileProblem(name string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", name, fs.ErrNotExist)
	case strings.Contains(err.Error(), "escapes"): // package os has no error value for it
		return refusePath("%s is a link that leads out of the folder: it is not followed", name)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EISDIR):
		return refusePath("%s: %v", name, fileReason(err))
	}
	return fmt.Errorf("%s: %w", name, fileReason(err))
}

// fileReason returns an error without the folder's path on this machine.
func fileReason(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}

// Read returns a file of at most limit bytes. The error is fs.ErrNotExist if the file does
// not exist, and a [*PathError] if the path or the file is not allowed.
func (f SkillFolder) Read(name string, limit int64) ([]byte, error) {
	root, name, err := f.reach(name)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Without O_NONBLOCK, opening a named pipe would wait for a writer.
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fileProblem(name, err)
	}
	defer file.Close()
	switch info, err := file.Stat(); {
	case err != nil:
		return nil, fileProblem(name, err)
	case info.IsDir():
		return nil, refusePath("%s is a folder", name)
	case !info.Mode().IsRegular():
		return nil, refusePath("%s is no file: only files are read", name)
	case info.Size() > limit:
		return nil, refusePath("%s has %d bytes; at most %d are read", name, info.Size(), limit)
	}
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	switch {
	case err != nil:
		return nil, fileProblem(name, err)
	case int64(len(data)) > limit: // it has grown meanwhile
		return nil, refusePath("%s has more than %d bytes", name, limit)
	}
	return data, nil
}

// Walk calls visit for the files in a folder of f, or for the one file under, in the order
// of fs.WalkDir, until visit returns false. It skips what Read would refuse: hidden files,
// invisible names, links that lead out, pipes and devices.
func (f SkillFolder) Walk(under string, visit func(SkillFolderFile) bool) error {
	root, under, err := f.reach(under)
	if err != nil {
		return err
	}
	defer root.Close()
	visited := 0
	return fs.WalkDir(root.FS(), under, func(name string, d fs.DirEntry, err error) error {
		if visited++; visited > maxVisitedFiles {
			return refusePath("the folder has more than %d files: name one of the folders in it", maxVisitedFiles)
		}
		if err != nil {
			if name == under {
				return fileProblem(under, err)
			}
			return nil // removed meanwhile, or not readable
		}
		switch _, unseen := cleanPath(name); {
		case unseen != nil && d.IsDir():
			return fs.SkipDir
		case unseen != nil, d.IsDir():
			return nil
		}
		info, err := root.Stat(name) // the target, if it is a link
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if !visit(SkillFolderFile{name, info.Size()}) {
			return fs.SkipAll
		}
		return nil
	})
}
