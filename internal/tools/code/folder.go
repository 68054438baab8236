package code

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand"
	"errand/internal/content"
	"errand/internal/store"
	"errand/internal/tools"
)

// A Store keeps the files of conversations; [*store.Store] does.
type Store interface {
	tools.Files
	Files(ctx context.Context, place string, f store.FileFilter) ([]store.File, error)
	ChangeFiles(context.Context, errand.CallKey, []store.FileChange) ([]store.FileResult, error)
}

// What a program leaves behind is kept up to these: a build folder is not a result.
const (
	mostKept      = 100
	mostKeptBytes = 40 << 20
)

// A folder is where a program works: a copy of the files of its conversation.
type folder struct {
	path  string
	files map[string]sum // by path, as they were before
}

type sum struct {
	version int
	hash    [sha256.Size]byte
}

// fill copies the files of a place, which are not written by anybody else meanwhile:
// the folder is this call's alone.
func (f *folder) fill(ctx context.Context, s Store, place string) error {
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return err
	}
	defer root.Close()
	f.files = map[string]sum{}
	return eachFile(ctx, s, place, func(file store.File) error { return f.copy(ctx, s, root, file) })
}

// eachFile calls do with the latest version of each file of a place.
func eachFile(ctx context.Context, s Store, place string, do func(store.File) error) error {
	const page = 200
	for after := ""; ; {
		list, err := s.Files(ctx, place, store.FileFilter{After: after, Limit: page})
		if err != nil {
			return err
		}
		for _, file := range list {
			if err := do(file); err != nil {
				return err
			}
			after = file.Path
		}
		if len(list) < page {
			return nil
		}
	}
}

func (f *folder) copy(ctx context.Context, s Store, root *os.Root, file store.File) error {
	name := filepath.FromSlash(file.Path)
	if err := root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return err
	}
	to, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, hash), s.OpenFile(ctx, file))
	if closed := to.Close(); err == nil {
		err = closed
	}
	f.files[file.Path] = sum{file.Version, [sha256.Size]byte(hash.Sum(nil))}
	return err
}

// A foundFile is one that a program left behind.
type foundFile struct {
	path string
	size int64
}

// filesIn are the regular files of a folder, but those of hidden folders and caches. A
// link leads nowhere.
func filesIn(root *os.Root) iter.Seq2[foundFile, error] {
	return func(yield func(foundFile, error) bool) {
		err := fs.WalkDir(root.FS(), ".", func(path string, e fs.DirEntry, err error) error {
			if err != nil {
				return nil // a program may make what nobody can read
			}
			if e.IsDir() && skipped(path+"/") {
				return fs.SkipDir
			}
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() {
				return nil
			}
			if !yield(foundFile{path, info.Size()}, nil) {
				return fs.SkipAll
			}
			return nil
		})
		if err != nil {
			yield(foundFile{}, err)
		}
	}
}

// skipped reports whether a path leads through a hidden folder or a cache.
func skipped(path string) bool {
	folders := strings.Split(path, "/")
	for _, name := range folders[:len(folders)-1] {
		if strings.HasPrefix(name, ".") && name != "." || name == "__pycache__" || name == "node_modules" {
			return true
		}
	}
	return false
}

// changes are what a program has changed of the files, which are in left now, and in
// words what of it is not kept.
func (f *folder) changes(left string) (list []store.FileChange, not []string, err error) {
	root, err := os.OpenRoot(left)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	room := int64(mostKeptBytes)
	for file, err := range filesIn(root) {
		if err != nil {
			return nil, nil, err
		}
		before, known := f.files[file.path]
		if file.size > store.MaxFile {
			not = append(not, fileNote(file.path, content.Size(file.size)+" is more than a file may have"))
			continue
		}
		data, err := root.ReadFile(filepath.FromSlash(file.path))
		if err != nil {
			not = append(not, fileNote(file.path, "it cannot be read"))
			continue
		}
		if known && sha256.Sum256(data) == before.hash {
			continue
		}
		if len(list) == mostKept || room < int64(len(data)) {
			not = append(not, "more than these (one run keeps 100 files and 40 MB)")
			break
		}
		room -= int64(len(data))
		list = append(list, store.FileChange{Path: file.path, Base: before.version, Content: data})
	}
	return list, not, nil
}

// folderName is how the folders of programs begin; newName, before they are locked.
const (
	folderName = "errand-code-"
	newName    = "errand-new-code-"
)

// newFolder makes a folder of a program, and locks it for as long as this process lives:
// whoever can lock it finds it left behind.
func newFolder() (path string, release func(), err error) {
	made, err := os.MkdirTemp("", newName)
	if err != nil {
		return "", nil, err
	}
	unlock, err := lock(made)
	if errors.Is(err, errors.ErrUnsupported) {
		unlock = func() {}
	} else if err != nil {
		remove(made)
		return "", nil, err
	}
	path = filepath.Join(filepath.Dir(made), folderName+strings.TrimPrefix(filepath.Base(made), newName))
	if err := os.Rename(made, path); err != nil {
		unlock()
		remove(made)
		return "", nil, err
	}
	return path, unlock, nil
}

// remove deletes a folder of a program, which may have made folders that nobody can read.
func remove(base string) {
	if os.RemoveAll(base) == nil {
		return
	}
	_ = filepath.WalkDir(base, func(path string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	_ = os.RemoveAll(base) // sweep tries again
}

// sweep deletes the folders of programs whose worker was killed: nobody has locked them,
// or, where there are no locks, they are older than any run.
func sweep(now time.Time) {
	for _, name := range []string{folderName, newName} {
		left, _ := filepath.Glob(filepath.Join(os.TempDir(), name+"*")) // the pattern is right
		for _, path := range left {
			info, err := os.Lstat(path)
			if err != nil || !info.IsDir() {
				continue
			}
			old := now.Sub(info.ModTime()) > 2*time.Hour
			if name == newName && !old {
				continue // it is about to be locked
			}
			unlock, err := lock(path)
			switch {
			case errors.Is(err, errors.ErrUnsupported):
				if old {
					remove(path)
				}
			case err == nil:
				remove(path)
				unlock()
			}
		}
	}
}

// give makes a user of its own the owner of a program's folder, if errand is root: other users,
// and so other programs, cannot read it.
func give(base string) (uid int, err error) {
	if os.Getuid() != 0 {
		return os.Getuid(), nil
	}
	uid = firstUser + rand.IntN(users)
	if os.Lchown(base, uid, uid) != nil {
		uid = nobody // errand is in a namespace that has few users
	}
	return uid, filepath.WalkDir(base, func(path string, _ fs.DirEntry, err error) error {
		return cmp.Or(err, os.Lchown(path, uid, uid))
	})
}

// The users of programs: no system gives these to others.
const (
	firstUser = 0x70000000
	users     = 0x0fff0000
)

func jsonOf(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return "null" // strings always can be written
	}
	return string(text)
}
