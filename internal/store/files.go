package store

import (
	"context"
	"fmt"
	"io"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A File is one file of a workspace, in one of its versions. A version never changes.
type File struct {
	ID       int64            `json:"-"` // of the version
	Path     string           `json:"path"`
	Version  int              `json:"version"`
	Latest   bool             `json:"latest"`
	Restores int              `json:"restores,omitempty" description:"the version whose content it has again"`
	Size     int64            `json:"size" description:"bytes"`
	Type     string           `json:"type"`
	SHA256   string           `json:"sha256"`
	Agent    errand.AgentName `json:"agent,omitempty" description:"who wrote it; empty: the person did"`
	Person   errand.PersonID  `json:"person,omitempty" description:"who wrote it, or for whom"`
	Owner    errand.Owner     `json:"-"` // of the turn that wrote it; empty: a person did
	Created  time.Time        `json:"created" description:"of the version"`
	file     int64
}

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

// versionColumns are those of a version by itself, without its path.
const versionColumns = `id, workspace, file, version, restores, latest, size, type, sha256, agent, person, owner, created`

const selectFiles = `SELECT v.id, v.workspace, v.file, f.path, v.version, v.restores, v.latest, v.size, v.type, v.sha256, v.agent, v.person, v.owner, v.created
	FROM files f JOIN file_versions v ON v.file = f.id `

func (r versionRow) filed() File {
	return File{ID: r.ID, Path: r.Path, Version: r.Version, Latest: r.Latest, Restores: r.Restores, Size: r.Size, Type: r.Type, SHA256: r.Sha256,
		Agent: errand.AgentName(r.Agent), Person: errand.PersonID(r.Person), Owner: errand.Owner(r.Owner), Created: at(r.Created), file: r.File}
}

func filesOf(rows []versionRow) []File {
	list := make([]File, len(rows))
	for i, r := range rows {
		list[i] = r.filed()
	}
	return list
}

// A FileFilter says which files are listed.
type FileFilter struct {
	Folder string // only those in it, and in folders in it
	After  string // only those behind this path
	Limit  int    // 0: 200
}

// Files returns files of a place in their latest versions, by path without regard to
// case.
func (s *Store) Files(ctx context.Context, place string, f FileFilter) ([]File, error) {
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

// File returns a file of a place, in a version or with 0 in the latest, or ErrNotFound.
// What is wrong with the path is a [*FilePathError].
func (s *Store) File(ctx context.Context, place, path string, version int) (File, error) {
	clean, err := CleanFilePath(path)
	if err != nil {
		return File{}, err
	}
	w, found, err := workspaceAt(s.read(ctx), place)
	if err != nil {
		return File{}, err
	}
	if !found {
		return File{}, fmt.Errorf("file %s: %w", clean, ErrNotFound)
	}
	return fileAt(s.read(ctx), w.ID, clean, version)
}

func fileAt(q sqldb.Querier, workspace int64, clean string, version int) (File, error) {
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

func sessionFiles(q sqldb.Querier, id errand.SessionID) ([]File, error) {
	var rows []versionRow
	err := q.All(&rows, selectFiles+`AND v.version = f.version JOIN workspaces w ON w.id = f.workspace WHERE w.session = ? AND w.session <> '' ORDER BY f.folded`, id)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return filesOf(rows), nil
}

// FileVersions returns the versions of a file that are still there, the newest first.
func (s *Store) FileVersions(ctx context.Context, f File) ([]File, error) {
	var rows []versionRow
	err := s.read(ctx).All(&rows, selectFiles+`WHERE f.id = ? ORDER BY v.version DESC`, f.file)
	return filesOf(rows), err
}

// fileChunk is how long a piece of a file is in its row, in bytes: only the last one is
// shorter.
const fileChunk = 64 << 10

// A FileReader reads the content of one version piece by piece: it never has more than
// one in memory. It is for one goroutine.
type FileReader struct {
	q    sqldb.Querier
	f    File
	at   int64
	idx  int64 // of piece; -1: none
	data []byte
}

var (
	_ io.ReadSeeker = (*FileReader)(nil)
	_ io.ReaderAt   = (*FileReader)(nil)
)

// OpenFile returns what reads a version.
func (s *Store) OpenFile(ctx context.Context, f File) *FileReader {
	return &FileReader{q: s.read(ctx), f: f, idx: -1}
}

// ReadAt reads from an offset on. A version that is gone meanwhile is ErrNotFound.
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

// Read reads on.
func (r *FileReader) Read(p []byte) (int, error) {
	if r.at >= r.f.Size {
		return 0, io.EOF
	}
	n, err := r.ReadAt(p[:min(int64(len(p)), r.f.Size-r.at)], r.at)
	r.at += int64(n)
	return n, err
}

// Seek says where Read goes on.
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
