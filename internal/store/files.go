package store

import (
	"context"
	"fmt"
	"io"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

type versionRow struct {
	ID        int64
	Workspace int64
	File      int64
	Path      string
	Version   int
	Restores  int
	Latest    bool
	Size      int64
	Type      string
	Sha256    string
	Agent     string
	Person    string
	Owner     string
	Created   int64
}

const versionColumns = `id, workspace, file, version, restores, latest, size, type, sha256, agent, person, owner, created`

const selectFiles = `SELECT v.id, v.workspace, v.file, f.path, v.version, v.restores, v.latest, v.size, v.type, v.sha256, v.agent, v.person, v.owner, v.created
	FROM files f JOIN file_versions v ON v.file = f.id `

func (r versionRow) filed() core.File {
	return core.File{ID: r.ID, Path: r.Path, Version: r.Version, Latest: r.Latest, Restores: r.Restores, Size: r.Size, Type: r.Type, SHA256: r.Sha256,
		Agent: core.AgentName(r.Agent), Person: core.PersonID(r.Person), Owner: core.Owner(r.Owner), Created: at(r.Created), Row: r.File}
}

func filesOf(rows []versionRow) []core.File {
	list := make([]core.File, len(rows))
	for i, r := range rows {
		list[i] = r.filed()
	}
	return list
}

// A FileFilter selects files.
type FileFilter struct {
	Folder string // only files in this folder and in folders below it
	After  string // only files after this path
	Limit  int    // 0: 200
}

// Files returns the latest versions of the files of a place, ordered by path without regard to
// case.
func (s *Store) Files(ctx context.Context, place string, f FileFilter) ([]core.File, error) {
	w, found, err := workspaceAt(s.read(ctx), place)
	if err != nil || !found {
		return nil, err
	}
	where, args := `f.workspace = ?`, []any{w.ID}
	if f.Folder != "" {
		folder, err := CleanFilePath(f.Folder)
		if err != nil {
			return nil, err
		}
		where, args = where+` AND f.folded > ? AND f.folded < ?`, append(args, foldPath(folder)+"/", foldPath(folder)+"0") // 0 follows /
	}
	if f.After != "" {
		where, args = where+` AND f.folded > ?`, append(args, foldPath(f.After))
	}
	var rows []versionRow
	err = s.read(ctx).All(&rows, selectFiles+`AND v.version = f.version WHERE `+where+` ORDER BY f.folded LIMIT ?`, append(args, orDefault(f.Limit, 200))...)
	return filesOf(rows), err
}

// File returns a version of a file, or the latest for version 0. It fails with ErrNotFound, or
// with a [*FilePathError] for an invalid path.
func (s *Store) File(ctx context.Context, place, path string, version int) (core.File, error) {
	clean, err := CleanFilePath(path)
	if err != nil {
		return core.File{}, err
	}
	w, found, err := workspaceAt(s.read(ctx), place)
	if err != nil {
		return core.File{}, err
	}
	if !found {
		return core.File{}, fmt.Errorf("file %s: %w", clean, ErrNotFound)
	}
	return fileAt(s.read(ctx), w.ID, clean, version)
}

func fileAt(q sqldb.Querier, workspace int64, clean string, version int) (core.File, error) {
	which, args := `v.version = f.version`, []any{}
	if version > 0 {
		which, args = `v.version = ?`, append(args, version)
	}
	var row versionRow
	found, err := q.Row(&row, selectFiles+`AND `+which+` WHERE f.workspace = ? AND f.folded = ?`, append(args, workspace, foldPath(clean))...)
	if err == nil && !found {
		err = fmt.Errorf("file %s: %w", clean, ErrNotFound)
	}
	return row.filed(), err
}

func sessionFiles(q sqldb.Querier, id core.SessionID) ([]core.File, error) {
	var rows []versionRow
	err := q.All(&rows, selectFiles+`AND v.version = f.version JOIN workspaces w ON w.id = f.workspace WHERE w.session = ? AND w.session <> '' ORDER BY f.folded`, id)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return filesOf(rows), nil
}

// fileChunk is the size of a chunk of a file in bytes. Only the last chunk is shorter.
const fileChunk = 64 << 10

// A FileReader reads one version of a file. It has at most one chunk in memory. It is not safe
// for concurrent use.
type FileReader struct {
	q    sqldb.Querier
	f    core.File
	at   int64
	idx  int64 // of the chunk in data; -1: none
	data []byte
}

var (
	_ io.ReadSeeker = (*FileReader)(nil)
	_ io.ReaderAt   = (*FileReader)(nil)
)

// OpenFile returns a reader of one version of a file. It does not read yet.
func (s *Store) OpenFile(ctx context.Context, f core.File) *FileReader {
	return &FileReader{q: s.read(ctx), f: f, idx: -1}
}

// ReadAt reads from an offset. It fails with ErrNotFound if the version was deleted meanwhile.
func (r *FileReader) ReadAt(p []byte, offset int64) (n int, err error) {
	for n < len(p) {
		if offset >= r.f.Size {
			return n, io.EOF
		}
		if idx := offset / fileChunk; idx != r.idx {
			var data []byte
			found, err := r.q.Value(&data, `SELECT data FROM file_chunks WHERE version = ? AND idx = ?`, r.f.ID, idx)
			if err == nil && !found {
				err = fmt.Errorf("version %d of %s: %w", r.f.Version, r.f.Path, ErrNotFound)
			}
			if err != nil {
				return n, err
			}
			r.idx, r.data = idx, data
		}
		from := int(offset - r.idx*fileChunk)
		if from >= len(r.data) {
			return n, io.ErrUnexpectedEOF
		}
		got := copy(p[n:], r.data[from:])
		n, offset = n+got, offset+int64(got)
	}
	return n, nil
}

func (r *FileReader) Read(p []byte) (int, error) {
	if r.at >= r.f.Size {
		return 0, io.EOF
	}
	n, err := r.ReadAt(p[:min(int64(len(p)), r.f.Size-r.at)], r.at)
	r.at += int64(n)
	return n, err
}

func (r *FileReader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		offset += r.f.Size
	}
	if offset < 0 {
		return 0, fmt.Errorf("seek to %d in %s", offset, r.f.Path)
	}
	r.at = offset
	return offset, nil
}
