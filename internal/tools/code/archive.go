package code

import (
	"archive/tar"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/sandbox"
)

func (j job) archive(w io.Writer, open func(core.File) io.Reader) error {
	t := tar.NewWriter(w)
	add := func(name string, size int64, from io.Reader) error {
		if err := t.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: size}); err != nil {
			return err
		}
		_, err := io.CopyN(t, from, size)
		return err
	}
	if err := add(programPath(j.language)[1:], int64(len(j.source)), bytes.NewReader(j.source)); err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(j.files.before)) {
		file := j.files.before[path]
		if err := add(inside[1:]+"/"+path, file.Size, open(file)); err != nil {
			return fmt.Errorf("file %s: %w", path, err)
		}
	}
	return t.Close()
}

func (j job) archiveSize() (int64, error) {
	var size counter
	err := j.archive(&size, func(core.File) io.Reader { return zeros{} })
	return int64(size), err
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

type zeros struct{}

// Read leaves p as it is, because any bytes will do.
func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// A receiver reads the output of a sandbox: the start of the program, its end unless the
// process itself reports it, and its files. The program can write there too, so errand
// trusts nothing else in it.
type receiver struct {
	progress
	ends     bool // the output reports the program's end
	exit     int
	slow     bool // the program is interpreted
	complete bool // all files were read
}

// An archiveReader records progress, and whether the archive was cut off.
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

// receive reads at most size bytes after the end of the program.
func (r *receiver) receive(from io.Reader, files *workspace, size int64) {
	lines := bufio.NewReader(from)
	line, err := lines.ReadSlice('\n') // reads no more than one buffer
	r.slow = string(line) == sandbox.JavaScriptBeganSlowly
	if err != nil || string(line) != sandbox.JavaScriptBegan && !r.slow {
		return
	}
	r.began.now()
	if r.ends {
		if line, err = lines.ReadSlice('\n'); err != nil {
			return
		}
		if _, err := fmt.Sscanf(string(line), "ended %d\n", &r.exit); err != nil {
			return
		}
		r.ended.now()
	} else {
		size = math.MaxInt64 // the time limit of the program applies
	}
	in := &archiveReader{Reader: io.LimitReader(lines, size), moved: &r.moved}
	archive := tar.NewReader(in)
	for {
		h, err := archive.Next()
		if err != nil {
			r.complete = errors.Is(err, io.EOF) && (!in.cut || !r.ends)
			return
		}
		name := strings.TrimPrefix(h.Name, "./")
		switch {
		case isHidden(name):
		case h.Typeflag == tar.TypeReg:
			err = files.write(name, h.Size, archive)
		case h.Typeflag == tar.TypeLink || h.Typeflag == tar.TypeSymlink:
			err = errLink
		}
		if errors.Is(err, errCut) {
			return
		}
		if err != nil {
			files.refuse(name, err)
		}
	}
}
