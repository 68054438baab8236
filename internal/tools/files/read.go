package files

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"errand/internal/content"
	"errand/internal/core"
	"errand/internal/store"
)

// pageSize is how many bytes of a file one call reads.
const pageSize = 16_000

func (w workspace) read(ctx context.Context, call store.Call, raw json.RawMessage) (string, error) {
	in, err := parse(raw)
	if err != nil {
		return "error: " + err.Error(), nil
	}
	f, err := w.store.File(ctx, call.Place(), in.Path, in.Version)
	switch {
	case errors.Is(err, store.ErrNotFound) && in.Version > 0:
		return w.noVersion(ctx, call, in)
	case errors.Is(err, store.ErrNotFound):
		return missing(in.Path), nil
	case err != nil:
		return refused(err)
	case !content.IsText(f.Type):
		return fmt.Sprintf("error: %s is %s, %s: only text can be read", f.Path, f.Type, content.Size(f.Size)), nil
	}
	text, err := w.page(ctx, f, in)
	if errors.Is(err, store.ErrNotFound) { // the version or the file was removed meanwhile
		return missing(in.Path), nil
	}
	return text, err
}

func (w workspace) noVersion(ctx context.Context, call store.Call, in args) (string, error) {
	f, err := w.store.File(ctx, call.Place(), in.Path, 0)
	if errors.Is(err, store.ErrNotFound) {
		return missing(in.Path), nil
	}
	if err != nil {
		return refused(err)
	}
	return fmt.Sprintf("error: version %d of %s is not there: the latest is %d, and the %d before it are kept", in.Version, f.Path, f.Version, store.MaxFileVersions-1), nil
}

func (w workspace) page(ctx context.Context, f core.File, in args) (string, error) {
	title := fmt.Sprintf("%s, version %d, %s, by %s", f.Path, f.Version, content.Size(f.Size), by(f))
	if !f.Latest {
		title += ", not the latest version"
	}
	return page(title, f.Path, f.Size, w.store.OpenFile(ctx, f), in)
}

type source interface {
	io.Reader
	io.ReaderAt
}

func page(title, name string, size int64, r source, in args) (string, error) {
	if size == 0 {
		return title + ": the file is empty", nil
	}
	line, offset := max(in.Line, 1), int64(0)
	if in.Offset != nil {
		line, offset = 0, *in.Offset
		if offset < 0 || offset >= size {
			return fmt.Sprintf("error: %s has %d bytes; offset %d is not in it", name, size, offset), nil
		}
	} else {
		var lines int
		var err error
		if offset, lines, err = lineOffset(r, line); err != nil {
			return "", err
		}
		if offset < 0 {
			return fmt.Sprintf("error: %s has %d lines; line %d is not in it", name, lines, line), nil
		}
	}
	piece := make([]byte, min(pageSize, size-offset))
	if _, err := r.ReadAt(piece, offset); err != nil && err != io.EOF {
		return "", err
	}
	head := make([]byte, min(3, size)) // the byte order mark
	if _, err := r.ReadAt(head, 0); err != nil && err != io.EOF {
		return "", err
	}
	end := offset + int64(len(piece))
	if whole := bytes.LastIndexByte(piece, '\n') + 1; line > 0 && end < size && whole > 0 && !wide(head) {
		piece = piece[:whole]
		text, _ := content.Part(head, piece, offset, true)
		return fmt.Sprintf("%s:\n%s(lines %d to %d; continue with line %d)", title, text, line, line+bytes.Count(piece, []byte("\n"))-1, line+bytes.Count(piece, []byte("\n"))), nil
	}
	text, used := content.Part(head, piece, offset, end >= size)
	if end = offset + int64(used); end < size {
		text += fmt.Sprintf("\n(bytes %d to %d of %d; continue with offset %d)", offset, end, size, end)
	}
	return title + ":\n" + text, nil
}

// wide reports whether the text is UTF-16, in which a line break byte may be half of a character.
func wide(head []byte) bool {
	return bytes.HasPrefix(head, []byte{0xff, 0xfe}) || bytes.HasPrefix(head, []byte{0xfe, 0xff})
}

// lineOffset returns the offset of a line, or -1 and the number of lines if the file has fewer.
func lineOffset(r io.Reader, line int) (offset int64, lines int, err error) {
	if line == 1 {
		return 0, 1, nil
	}
	in, last := bufio.NewReaderSize(r, pageSize), byte('\n')
	for lines = 1; ; {
		piece, err := in.ReadSlice('\n')
		offset += int64(len(piece))
		if n := len(piece); n > 0 {
			last = piece[n-1]
		}
		switch {
		case err == io.EOF:
			if last == '\n' {
				lines--
			}
			return -1, lines, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil:
			return 0, 0, err
		}
		if lines++; lines == line {
			if _, err := in.Peek(1); err == io.EOF {
				return -1, lines - 1, nil
			}
			return offset, lines, nil
		}
	}
}
