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

	"errand/internal/store"
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
	u := unpacker{files: files, hidden: &workspace{written: map[string][]byte{}}, sources: map[string]*workspace{}, room: files.max}
	for {
		h, err := archive.Next()
		if err != nil {
			r.complete = errors.Is(err, io.EOF) && !in.cut
			return
		}
		name := strings.TrimPrefix(h.Name, "./")
		err = u.add(name, h, archive)
		if errors.Is(err, errCut) {
			return
		}
		if err != nil {
			files.refuse(name, err)
		}
	}
}

var (
	errSparse = errors.New("it is archived with holes")
	errLink   = errors.New("it is a link")
)

// An unpacker puts the entries of an archive into a workspace. The archive has the content of a
// file with several names once, under the first name. The others are hard links to it.
type unpacker struct {
	files   *workspace
	hidden  *workspace            // files that are not kept, in case a hard link names them
	sources map[string]*workspace // where the content of a name of the archive is
	room    int64                 // bytes that hard links may still copy
}

// add adds one entry. It follows no symbolic link. The workspace makes folders for files.
func (u *unpacker) add(name string, h *tar.Header, from io.Reader) (err error) {
	to := u.files
	if isHidden(name) {
		to = u.hidden
	}
	switch {
	case h.Typeflag == tar.TypeReg && isSparse(h):
		err = errSparse
	case h.Typeflag == tar.TypeReg:
		if err = u.write(to, name, h.Size, from); err == nil {
			u.sources[name] = to
		}
	case h.Typeflag == tar.TypeLink && to == u.files:
		err = u.link(name, strings.TrimPrefix(h.Linkname, "./"))
	case h.Typeflag == tar.TypeSymlink:
		err = errLink
	}
	if to == u.hidden && !errors.Is(err, errCut) {
		return nil
	}
	return err
}

// link gives a name the content of an earlier entry.
func (u *unpacker) link(name, target string) error {
	source, ok := u.sources[target]
	if !ok {
		return errLink
	}
	if u.room <= 0 {
		return errNoRoom
	}
	data, err := source.read(target, store.MaxFile)
	if err != nil {
		return errLink
	}
	u.room -= int64(len(data)) + 512
	return u.write(u.files, name, int64(len(data)), bytes.NewReader(data))
}

// write writes a file. Hidden ones have the room that the others leave.
func (u *unpacker) write(to *workspace, name string, size int64, from io.Reader) error {
	if to == u.hidden {
		to.max = u.files.max - u.files.used
	} else if u.files.used+u.hidden.used+size > u.files.max {
		u.hidden.written, u.hidden.used = map[string][]byte{}, 0
	}
	return to.write(name, size, from)
}

// isSparse reports whether a file has holes: they have any size and take no room in the archive.
func isSparse(h *tar.Header) bool {
	for key := range h.PAXRecords {
		if strings.HasPrefix(key, "GNU.sparse.") {
			return true
		}
	}
	return false
}
