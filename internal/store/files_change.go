package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"errand/internal/core"
)

// ErrNoSpace refuses a file for which the workspace has no room.
var ErrNoSpace = errors.New("the workspace is full")

// A FileConflictError refuses a change that was not made from the latest version of a file:
// another writer changed the file meanwhile, or the writer never read it.
type FileConflictError struct {
	Path   string
	Base   int       // the version that the change was made from; 0: not given
	Latest core.File // the current version
}

func (e *FileConflictError) Error() string {
	return fmt.Sprintf("%s is in version %d by now", e.Path, e.Latest.Version)
}

// Overwrite is the base of a change that replaces any version.
const Overwrite = -1

// A FileChange is one change of a file: a write, an edit or an undo.
type FileChange struct {
	Path string
	// Base is the version that the change was made from. 0 means that the file is new, or that
	// the same agent wrote its latest version in the same session or task.
	Base int
	// Content is the whole new content of a write.
	Content []byte
	// Edit replaces a text, unless it is nil.
	Edit *FileEdit
	// Undo restores an earlier version.
	Undo bool
	To   int // the version that Undo restores; 0: the previous one
}

// A FileEdit replaces Old with New. Old must occur exactly once, or at least once if All is set.
type FileEdit struct {
	Old, New string
	All      bool
}

// A FileEditError refuses an edit because Old does not occur, or occurs more than once.
type FileEditError struct {
	Found int // how many times Old occurs
	Path  string
}

func (e *FileEditError) Error() string {
	if e.Found == 0 {
		return "the old text is not in " + e.Path
	}
	return fmt.Sprintf("the old text is %d times in %s", e.Found, e.Path)
}

// ChangeFile makes a change for a tool call, once per key: a second call changes nothing and
// returns the same result. It fails with ErrClosed after the turn or a task above it has ended.
func (s *Store) ChangeFile(ctx context.Context, key core.CallKey, c FileChange) (core.FileChanged, error) {
	clean, err := CleanFilePath(c.Path)
	if err != nil {
		return core.FileChanged{}, err
	}
	c.Path = clean
	return onceForCall(ctx, s, key, func(t *tx, w *workspaceRow, by fileWriter) (core.FileChanged, error) {
		return t.changeFile(w, by, c)
	})
}

// onceForCall runs change and stores its result under key. A second run only reads the stored
// result.
func onceForCall[T any](ctx context.Context, s *Store, key core.CallKey, change func(*tx, *workspaceRow, fileWriter) (T, error)) (result T, err error) {
	call, err := s.Call(ctx, key)
	if err != nil {
		return result, err
	}
	err = s.writeOwner(ctx, key.Owner, func(t *tx) error {
		var none T
		result = none // a rolled-back attempt may have set it
		done, err := t.fileCall(key, &result)
		if err != nil || done {
			return err
		}
		place, err := t.callPlace(key)
		if err != nil {
			return err
		}
		w, err := t.openWorkspace(place, call.Session)
		if err != nil {
			return err
		}
		by := fileWriter{agent: call.Agent, person: call.Person, owner: key.Owner, session: call.Session}
		if result, err = change(t, &w, by); err != nil {
			return err
		}
		return t.noteFileCall(key, w.ID, result)
	})
	return result, err
}

// A FileResult is the result of one of several changes.
type FileResult struct {
	core.FileChanged
	Refused string `json:"refused,omitempty"` // why the change was refused; empty: it was made
}

// ChangeFiles makes several changes for a tool call in one transaction, once per key. If the
// workspace refuses one change, the others are still made.
func (s *Store) ChangeFiles(ctx context.Context, key core.CallKey, changes []FileChange) ([]FileResult, error) {
	return onceForCall(ctx, s, key, func(t *tx, w *workspaceRow, by fileWriter) (results []FileResult, err error) {
		for _, c := range changes {
			r, err := t.tryChange(w, by, c)
			if err != nil {
				return nil, err
			}
			results = append(results, r)
		}
		return results, nil
	})
}

func (t *tx) tryChange(w *workspaceRow, by fileWriter, c FileChange) (FileResult, error) {
	before := *w
	if _, err := t.Exec(`SAVEPOINT change`); err != nil {
		return FileResult{}, err
	}
	clean, err := CleanFilePath(c.Path)
	if err == nil {
		c.Path = clean
		var changed core.FileChanged
		if changed, err = t.changeFile(w, by, c); err == nil {
			_, err = t.Exec(`RELEASE SAVEPOINT change`)
			return FileResult{FileChanged: changed}, err
		}
	}
	r := FileResult{Refused: err.Error()}
	r.Path = c.Path
	var path *FilePathError
	var conflict *FileConflictError
	if errors.As(err, &path) || errors.As(err, &conflict) || errors.Is(err, ErrNoSpace) || errors.Is(err, ErrTooLarge) || errors.Is(err, ErrNotFound) {
		*w = before
		if _, err = t.Exec(`ROLLBACK TO SAVEPOINT change`); err == nil {
			_, err = t.Exec(`RELEASE SAVEPOINT change`)
		}
	}
	return r, err
}

// PutFile writes a file for a person and replaces any version.
func (s *Store) PutFile(ctx context.Context, place string, session core.SessionID, person core.PersonID, path string, data []byte) (core.FileChanged, error) {
	clean, err := CleanFilePath(path)
	if err != nil {
		return core.FileChanged{}, err
	}
	var changed core.FileChanged
	err = s.write(ctx, place, func(t *tx) error {
		w, err := t.openWorkspace(place, session)
		if err != nil {
			return err
		}
		changed, err = t.changeFile(&w, fileWriter{person: person, session: session}, FileChange{Path: clean, Base: Overwrite, Content: data})
		return err
	})
	return changed, err
}

// RemoveFile deletes a file with all its versions. It fails with ErrNotFound.
func (s *Store) RemoveFile(ctx context.Context, place, path string) (core.File, error) {
	clean, err := CleanFilePath(path)
	if err != nil {
		return core.File{}, err
	}
	var removed core.File
	err = s.write(ctx, place, func(t *tx) error {
		w, found, err := workspaceAt(t, place)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("file %s: %w", clean, ErrNotFound)
		}
		if removed, err = fileAt(t, w.ID, clean, 0); err != nil {
			return err
		}
		var versions []versionRow
		if err := t.All(&versions, `SELECT `+versionColumns+` FROM file_versions WHERE file = ?`, removed.Row); err != nil {
			return err
		}
		for _, v := range versions {
			if _, err := t.dropVersion(v); err != nil {
				return err
			}
		}
		if _, err := t.Exec(`DELETE FROM files WHERE id = ?`, removed.Row); err != nil {
			return err
		}
		_, err = t.Exec(`UPDATE workspaces SET files = files - 1, changed = ?, last_version = CASE WHEN last_version < ? THEN ? ELSE last_version END WHERE id = ?`,
			t.now, removed.Version, removed.Version, w.ID)
		return err
	})
	return removed, err
}

func (t *tx) fileCall(key core.CallKey, result any) (bool, error) {
	var text string
	found, err := t.Value(&text, `SELECT result FROM file_calls WHERE call = ?`, key.String())
	if err == nil && found {
		err = json.Unmarshal([]byte(text), result)
	}
	return found, err
}

func (t *tx) noteFileCall(key core.CallKey, workspace int64, result any) error {
	text, err := json.Marshal(result)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO file_calls (call, workspace, result, created) VALUES (?, ?, ?, ?)`, key.String(), workspace, string(text), t.now)
	return err
}

func (t *tx) callPlace(key core.CallKey) (string, error) {
	turn, found, err := turnOf(t, key.Owner, key.Turn)
	if err != nil {
		return "", err
	}
	if !found || !turn.Open {
		return "", fmt.Errorf("turn %d of %s: %w", key.Turn, key.Owner, ErrClosed)
	}
	task, err := ownTask(t, key.Owner)
	if err != nil {
		return "", err
	}
	return turn.Conversation, t.alive(task)
}

type fileWriter struct {
	agent   core.AgentName
	person  core.PersonID
	owner   core.Owner
	session core.SessionID
}

func (t *tx) changeFile(w *workspaceRow, by fileWriter, c FileChange) (core.FileChanged, error) {
	latest, err := fileAt(t, w.ID, c.Path, 0)
	exists := err == nil
	if err != nil && (!errors.Is(err, ErrNotFound) || c.Edit != nil || c.Undo) {
		return core.FileChanged{}, err
	}
	own := c.Base == 0 && exists && latest.Owner != "" && latest.Owner == by.owner && latest.Agent == by.agent
	switch {
	case !exists && c.Base > 0:
		return core.FileChanged{}, fmt.Errorf("file %s: %w", c.Path, ErrNotFound)
	case exists && !c.Undo && !own && c.Base != Overwrite && c.Base != latest.Version:
		return core.FileChanged{}, &FileConflictError{latest.Path, c.Base, latest}
	case c.Undo:
		return t.undoFile(w, by, latest, c.To)
	case c.Edit != nil:
		return t.editFile(w, by, latest, *c.Edit)
	}
	changed := core.FileChanged{Before: latest.Version}
	if !exists {
		if latest, err = t.newFile(w, c.Path); err != nil {
			return changed, err
		}
	}
	changed.File, err = t.putVersion(w, by, latest, bytes.NewReader(c.Content), int64(len(c.Content)), 0)
	return changed, err
}

// newFile creates a file. It refuses a path that is also a folder or has a file as a folder. A
// folder keeps its first spelling.
func (t *tx) newFile(w *workspaceRow, clean string) (core.File, error) {
	if w.Files >= MaxFiles {
		return core.File{}, fmt.Errorf("%w: it has %d files, which is as many as it takes. A person can remove some with `errand files rm`", ErrNoSpace, w.Files)
	}
	folded := foldPath(clean)
	var inside string
	found, err := t.Value(&inside, `SELECT path FROM files WHERE workspace = ? AND folded > ? AND folded < ? LIMIT 1`, w.ID, folded+"/", folded+"0") // 0 follows /
	if err != nil {
		return core.File{}, err
	}
	if found {
		return core.File{}, badPath("%s is a folder, with %s in it: choose another name", clean, inside)
	}
	for end := strings.LastIndexByte(clean, '/'); end > 0; end = strings.LastIndexByte(clean[:end], '/') {
		above := foldPath(clean[:end])
		var path string
		if found, err = t.Value(&path, `SELECT path FROM files WHERE workspace = ? AND folded = ?`, w.ID, above); err != nil {
			return core.File{}, err
		}
		if found {
			return core.File{}, badPath("%s is a file and no folder: choose another path", path)
		}
		found, err = t.Value(&path, `SELECT path FROM files WHERE workspace = ? AND folded > ? AND folded < ? ORDER BY folded LIMIT 1`, w.ID, above+"/", above+"0")
		if err != nil {
			return core.File{}, err
		}
		if found {
			parts, own := strings.Split(path, "/"), strings.Split(clean, "/")
			copy(own, parts[:strings.Count(clean[:end], "/")+1])
			clean = strings.Join(own, "/")
			break
		}
	}
	f := core.File{Path: clean, Version: w.LastVersion}
	if _, err := t.Value(&f.Row, `INSERT INTO files (workspace, path, folded, version) VALUES (?, ?, ?, ?) RETURNING id`, w.ID, clean, folded, f.Version); err != nil {
		return f, err
	}
	w.Files++
	_, err = t.Exec(`UPDATE workspaces SET files = files + 1 WHERE id = ?`, w.ID)
	return f, err
}

// undoFile restores an earlier version as a new version. Repeated undos go back step by step.
func (t *tx) undoFile(w *workspaceRow, by fileWriter, latest core.File, to int) (core.FileChanged, error) {
	which, args := `v.version = ?`, []any{latest.Row, to}
	if to == 0 {
		content := latest.Restores
		if content == 0 {
			content = latest.Version
		}
		which, args = `v.version < ?`, []any{latest.Row, content}
	}
	var row versionRow
	found, err := t.Row(&row, selectFiles+`WHERE f.id = ? AND `+which+` ORDER BY v.version DESC LIMIT 1`, args...)
	switch {
	case err != nil:
		return core.FileChanged{}, err
	case !found && to > 0:
		return core.FileChanged{}, fmt.Errorf("version %d of %s: %w", to, latest.Path, ErrNotFound)
	case !found:
		return core.FileChanged{}, fmt.Errorf("an earlier version of %s: %w", latest.Path, ErrNotFound)
	}
	from := row.filed()
	restores := from.Restores
	if restores == 0 {
		restores = from.Version
	}
	changed := core.FileChanged{Before: latest.Version, Undone: latest.Version}
	changed.File, err = t.putVersion(w, by, latest, &FileReader{q: t, f: from, idx: -1}, from.Size, restores)
	return changed, err
}

// editFile replaces a text of a file. It never has the whole file in memory.
func (t *tx) editFile(w *workspaceRow, by fileWriter, latest core.File, e FileEdit) (core.FileChanged, error) {
	r := &FileReader{q: t, f: latest, idx: -1}
	places, err := occurrences(r, []byte(e.Old), maxReplaced+1)
	if err != nil {
		return core.FileChanged{}, err
	}
	switch n := len(places); {
	case n == 0 || n > 1 && !e.All:
		return core.FileChanged{}, &FileEditError{n, latest.Path}
	case n > maxReplaced:
		return core.FileChanged{}, fmt.Errorf("%w: the old text is more than %d times in %s: write the file anew", ErrTooLarge, maxReplaced, latest.Path)
	}
	var parts []io.Reader
	at := int64(0)
	for _, p := range places {
		parts = append(parts, io.NewSectionReader(r, at, p-at), strings.NewReader(e.New))
		at = p + int64(len(e.Old))
	}
	parts = append(parts, io.NewSectionReader(r, at, latest.Size-at))
	size := latest.Size + int64(len(places))*int64(len(e.New)-len(e.Old))
	changed := core.FileChanged{Before: latest.Version, Replaced: len(places)}
	changed.File, err = t.putVersion(w, by, latest, io.MultiReader(parts...), size, 0)
	return changed, err
}

const maxReplaced = 10_000

func occurrences(r io.Reader, text []byte, most int) ([]int64, error) {
	var places []int64
	var window []byte // begins at offset
	offset := int64(0)
	buf := make([]byte, fileChunk)
	for {
		n, err := r.Read(buf)
		window = append(window, buf[:n]...)
		for len(places) < most {
			i := bytes.Index(window, text)
			if i < 0 {
				break
			}
			places = append(places, offset+int64(i))
			window, offset = window[i+len(text):], offset+int64(i+len(text))
		}
		if keep := len(text) - 1; len(window) > keep {
			offset += int64(len(window) - keep)
			window = append(buf[:0:0], window[len(window)-keep:]...)
		}
		if err == io.EOF || len(places) == most {
			return places, nil
		}
		if err != nil {
			return nil, err
		}
	}
}
