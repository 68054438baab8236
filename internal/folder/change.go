package folder

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
)

// Change puts what change makes of a file of at most most bytes in its place, as a whole:
// who reads it meanwhile has the one or the other. there is false where there is none
// yet; its folders are made. An error of change leaves everything as it is. Of two at the
// same time one may be lost: callers have one at a time.
func (f Folder) Change(name string, most int64, change func(now []byte, there bool) ([]byte, error)) error {
	clean, err := Clean(name)
	if err != nil {
		return err
	}
	root, err := f.root()
	if err != nil {
		return err
	}
	defer root.Close()
	mode := fs.FileMode(0o644)
	var now []byte
	info, err := root.Lstat(clean)
	switch there := err == nil; {
	case there && !info.Mode().IsRegular():
		return refused("%s is no file, or a link: only files are written", clean)
	case there:
		mode = info.Mode().Perm()
		file, entry, err := openIn(root, clean)
		if err != nil {
			return err
		}
		now, err = readAll(file, entry, most)
		file.Close()
		if err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return problem(clean, err)
	}
	next, err := change(now, info != nil)
	if err != nil {
		return err
	}
	if int64(len(next)) > most {
		return refused("%s would have %d bytes; at most %d are written", clean, len(next), most)
	}
	if err := root.MkdirAll(path.Dir(clean), 0o755); err != nil {
		return problem(path.Dir(clean), err)
	}
	return replace(root, clean, next, mode)
}

func replace(root *os.Root, clean string, data []byte, mode fs.FileMode) (err error) {
	aside := path.Join(path.Dir(clean), ".errand-"+rand.Text())
	file, err := root.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return problem(clean, err)
	}
	defer func() {
		if err != nil {
			err = problem(clean, errors.Join(err, root.Remove(aside)))
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("it is not written: %w", reason(err))
	}
	return root.Rename(aside, clean)
}
