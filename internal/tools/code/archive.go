package code

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// archive writes the program and the files of its workspace to w, as a tar archive from the
// root of the sandbox. Without contents it writes the headers alone. It returns the size of
// the contents in the archive.
func (j job) archive(w io.Writer, contents bool) (size int64, err error) {
	t := tar.NewWriter(w)
	add := func(name string, bytes int64, from io.Reader) error {
		h := tar.Header{Name: name, Mode: 0o600}
		size += (bytes + 511) / 512 * 512
		if contents {
			h.Size = bytes
		}
		if err := t.WriteHeader(&h); err != nil || !contents {
			return err
		}
		_, err := io.CopyN(t, from, bytes)
		return err
	}
	if err := add(programPath(j.language)[1:], int64(len(j.source)), bytes.NewReader(j.source)); err != nil {
		return 0, err
	}
	for _, path := range slices.Sorted(maps.Keys(j.files.before)) {
		file := j.files.before[path]
		if err := add(inside[1:]+"/"+path, file.Size, j.files.open(file)); err != nil {
			return 0, fmt.Errorf("file %s: %w", path, err)
		}
	}
	return size, t.Close()
}

// archiveSize returns the size of the archive.
func (j job) archiveSize() (int64, error) {
	var headers counter
	contents, err := j.archive(&headers, false)
	return int64(headers) + contents, err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// A receiver reads what the script writes: lines that say that the program began and how it
// ended, and its files. A program can write there too: errand believes no more of it than of
// the program's files.
type receiver struct {
	progress
	exit     int
	complete bool // all files were there
}

// An archiveReader notes when something came, and whether the archive was read to its end: an
// archive that is complete says so before.
type archiveReader struct {
	io.Reader
	moved *moment
	cut   bool
}

func (r *archiveReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if n > 0 {
		r.moved.now()
	}
	r.cut = r.cut || err != nil
	return n, err
}

// receive puts the files into a workspace. Of the archive it reads at most size bytes.
func (r *receiver) receive(from io.Reader, files *workspace, size int64) {
	lines := bufio.NewReader(from)
	line, err := lines.ReadSlice('\n') // of a line without end no more is read
	if err != nil || string(line) != "began\n" {
		return
	}
	r.began.now()
	if line, err = lines.ReadSlice('\n'); err != nil {
		return
	}
	if _, err := fmt.Sscanf(string(line), "ended %d\n", &r.exit); err != nil {
		return
	}
	r.ended.now()
	in := &archiveReader{Reader: io.LimitReader(lines, size), moved: &r.moved}
	archive := tar.NewReader(in)
	for {
		h, err := archive.Next()
		if err != nil {
			r.complete = errors.Is(err, io.EOF) && !in.cut
			return
		}
		name := strings.TrimPrefix(h.Name, "./")
		if h.Typeflag != tar.TypeReg || isHidden(name) {
			continue // errand follows no link, and makes folders for files
		}
		err = errSparse
		if !isSparse(h) {
			err = files.write(name, h.Size, archive)
		}
		if errors.Is(err, errCut) {
			return
		}
		if err != nil {
			files.refuse(name, err)
		}
	}
}

var errSparse = errors.New("it is archived with holes")

// isSparse reports whether a file has holes: they have any size and take no room in the archive.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}
