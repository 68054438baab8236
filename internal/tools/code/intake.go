package code

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"errand"
	"errand/internal/content"
	"errand/internal/store"
)

// What a file and a folder take of a disk, however little is in them.
const (
	inodeBytes = 512
	blockBytes = 4096
)

// longestPath is that of a path which is looked at, in bytes: the store keeps far shorter
// ones, and a program can make one as long as its memory.
const longestPath = 4096

var errNoRoom = errors.New("there is no more room for its files")

// An intake puts files of a program into a folder on the worker's disk. Their paths and
// sizes are the program's word: both have bounds, whatever was bound before.
type intake struct {
	root *os.Root
	left int64 // bytes of the disk that they may take yet
}

// create makes the file path for size bytes, and its folders. The error is errNoRoom, or
// what is wrong with the path.
func (i *intake) create(path string, size int64) (*os.File, error) {
	name, err := cleanPath(path)
	if err != nil {
		return nil, err
	}
	takes := int64(inodeBytes)
	for folder := filepath.Dir(name); folder != "."; folder = filepath.Dir(folder) {
		if _, err := i.root.Lstat(folder); err == nil {
			break
		}
		takes += blockBytes
	}
	if size < 0 || size > i.left || takes+(size+blockBytes-1)/blockBytes*blockBytes > i.left {
		return nil, errNoRoom
	}
	i.left -= takes + (size+blockBytes-1)/blockBytes*blockBytes
	if err := i.root.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, errors.New("its folder could not be made: is there a file of that name?")
	}
	return i.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
}

var errCut = errors.New("the archive ends in it")

// take puts a file of an archive into the folder. The holes of a sparse file are of any
// size, and are nowhere in the archive: whoever reads it makes them.
func (i *intake) take(path string, h *tar.Header, archive io.Reader) error {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return errors.New("it is archived with holes")
		}
	}
	to, err := i.create(path, h.Size)
	if err != nil {
		return err
	}
	_, err = io.CopyN(to, archive, h.Size)
	if err := errors.Join(err, to.Close()); err != nil {
		return errCut
	}
	return nil
}

// remove deletes a file of the folder.
func (i *intake) remove(path string) error {
	name, err := cleanPath(path)
	if err != nil {
		return err
	}
	return i.root.Remove(name)
}

func cleanPath(path string) (string, error) {
	if len(path) > longestPath {
		return "", fmt.Errorf("the path has %d bytes; at most %d are looked at", len(path), longestPath)
	}
	clean, err := store.CleanFilePath(path)
	return filepath.FromSlash(clean), err
}

// fileNote is a file and what is said of it, in one line. A program chooses the names of its
// files, which may be whole letters.
func fileNote(path, why string) string {
	return errand.Cut(content.Line(path[:min(len(path), longestPath)]), 200) + " (" + errand.Cut(content.Line(why), 300) + ")"
}
