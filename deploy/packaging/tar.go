package main

import (
	"archive/tar"
	"bytes"
	"cmp"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

// A file is a file or folder of an archive, a package or an image.
type file struct {
	name string // without a slash at the front
	mode fs.FileMode
	user int // the id of the owner and of the group
	data []byte
}

// tarOf returns an archive that depends only on its arguments. Missing parents are added.
func tarOf(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range withParents(files) {
		h := &tar.Header{
			Name: f.name, Mode: int64(f.mode.Perm()), Uid: f.user, Gid: f.user, Size: int64(len(f.data)),
			ModTime: at, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR,
		}
		if f.mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if f.mode.IsDir() {
			h.Typeflag = tar.TypeDir
			h.Name += "/"
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// withParents sorts files, with each folder before what it has.
func withParents(files []file) []file {
	all := map[string]file{}
	for _, f := range files {
		all[f.name] = f
		for dir := path.Dir(f.name); dir != "."; dir = path.Dir(dir) {
			if _, ok := all[dir]; !ok {
				all[dir] = file{name: dir, mode: fs.ModeDir | 0o755}
			}
		}
	}
	sorted := make([]file, 0, len(all))
	for _, f := range all {
		sorted = append(sorted, f)
	}
	slices.SortFunc(sorted, func(a, b file) int { return cmp.Compare(a.name, b.name) })
	return sorted
}

// under returns the files in a folder dir.
func under(dir string, files []file) []file {
	moved := slices.Clone(files)
	for i := range moved {
		moved[i].name = path.Join(dir, moved[i].name)
	}
	return moved
}

func writeCompressed(name string, data []byte) error {
	var out bytes.Buffer
	w := gzip.NewWriter(&out) // its header has no time and no name
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(name, out.Bytes(), 0o644)
}

func text(name string, lines ...string) file {
	return file{name: name, mode: 0o644, data: []byte(strings.Join(lines, "\n") + "\n")}
}
