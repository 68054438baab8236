package store

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"errand/internal/content"
	"errand/internal/core"
)

func (t *tx) putVersion(w *workspaceRow, by fileWriter, f core.File, from io.Reader, size int64, restores int) (core.File, error) {
	if size > core.MaxFile {
		return f, fmt.Errorf("%w: %s would have %s, and a file has at most %s", ErrTooLarge, f.Path, content.Size(size), content.Size(core.MaxFile))
	}
	next := f
	next.Version, next.Latest, next.Restores, next.Size, next.Created = f.Version+1, true, restores, size, at(t.now)
	next.Agent, next.Person, next.Owner = by.agent, by.person, by.owner
	if _, err := t.Exec(`UPDATE file_versions SET latest = FALSE WHERE file = ? AND version = ?`, f.Row, f.Version); err != nil {
		return f, err
	}
	_, err := t.Value(&next.ID, `INSERT INTO file_versions (workspace, file, version, restores, latest, size, type, sha256, agent, person, owner, session, created)
		VALUES (?, ?, ?, ?, TRUE, ?, '', '', ?, ?, ?, ?, ?) RETURNING id`,
		w.ID, f.Row, next.Version, restores, size, by.agent, by.person, by.owner, by.session, t.now)
	if err != nil {
		return f, err
	}
	if next.Type, next.SHA256, err = t.putChunks(next.ID, from, size); err != nil {
		return f, err
	}
	if _, err := t.Exec(`UPDATE file_versions SET type = ?, sha256 = ? WHERE id = ?`, next.Type, next.SHA256, next.ID); err != nil {
		return f, err
	}
	if _, err := t.Exec(`UPDATE files SET version = ? WHERE id = ?`, next.Version, f.Row); err != nil {
		return f, err
	}
	if _, err := t.Exec(`UPDATE workspaces SET bytes = bytes + ?, changed = ? WHERE id = ?`, size, t.now, w.ID); err != nil {
		return f, err
	}
	w.Bytes += size
	if err := t.makeRoom(w, next); err != nil {
		return f, err
	}
	return next, t.bookWorkspaces(string(by.person), size)
}

func (t *tx) bookWorkspaces(person string, size int64) error {
	const all = "workspaces"
	own := all + ":" + person
	rows, err := t.book([]budgetRow{{Key: all, Tokens: int(size)}, {Key: own, Tokens: int(size)}})
	if err != nil || size <= 0 {
		return err
	}
	l := t.s.limits.Workspaces
	for _, r := range rows {
		most, whose := l.Person, "the files of this person in all conversations"
		if r.Key == all {
			most, whose = l.All, "the files of all people"
		}
		if most > 0 && int64(r.Tokens) > most {
			return fmt.Errorf("%w: %s would have %s, and at most %s fit. A person can remove some with `errand files rm`",
				ErrNoSpace, whose, content.Size(int64(r.Tokens)), content.Size(most))
		}
	}
	return nil
}

func (t *tx) putChunks(version int64, from io.Reader, size int64) (typ, sum string, err error) {
	hash := sha256.New()
	typ = content.TypeOf(nil)
	for idx := int64(0); size > 0; idx++ {
		data := make([]byte, min(fileChunk, size)) // a new slice, because the driver may keep it
		if _, err := io.ReadFull(from, data); err != nil {
			return "", "", fmt.Errorf("content of a file: %w", err)
		}
		if idx == 0 {
			typ = content.TypeOf(data)
		}
		hash.Write(data)
		if _, err := t.Exec(`INSERT INTO file_chunks (version, idx, data) VALUES (?, ?, ?)`, version, idx, data); err != nil {
			return "", "", err
		}
		size -= int64(len(data))
	}
	return typ, hex.EncodeToString(hash.Sum(nil)), nil
}

// unpinned selects versions that no delivery sends. Delivered versions must not change.
const unpinned = `NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.sends = file_versions.id AND outbox.sends <> 0)`

// makeRoom deletes old versions of f, then the oldest versions of any file. It keeps the latest
// version of each file.
func (t *tx) makeRoom(w *workspaceRow, f core.File) error {
	var old []versionRow
	err := t.All(&old, `SELECT `+versionColumns+` FROM file_versions WHERE file = ? AND version <= ? AND NOT latest AND `+unpinned, f.Row, f.Version-MaxFileVersions)
	if err != nil {
		return err
	}
	for _, v := range old {
		if err := t.drop(w, v); err != nil {
			return err
		}
	}
	for w.Bytes > MaxWorkspace {
		old = nil
		err := t.All(&old, `SELECT `+versionColumns+` FROM file_versions WHERE workspace = ? AND NOT latest AND `+unpinned+` ORDER BY id LIMIT 20`, w.ID)
		if err != nil {
			return err
		}
		if len(old) == 0 {
			return fmt.Errorf("%w: its files would have %s, and at most %s fit. Make files shorter; a person can remove some with `errand files rm`",
				ErrNoSpace, content.Size(w.Bytes), content.Size(MaxWorkspace))
		}
		for _, v := range old {
			if w.Bytes <= MaxWorkspace {
				break
			}
			if err := t.drop(w, v); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tx) drop(w *workspaceRow, v versionRow) error {
	_, err := t.dropVersion(v)
	w.Bytes -= v.Size
	return err
}

func (t *tx) dropVersion(v versionRow) (pieces int, err error) {
	n, err := t.Exec(`DELETE FROM file_chunks WHERE version = ?`, v.ID)
	if err != nil {
		return 0, err
	}
	if _, err := t.Exec(`DELETE FROM file_versions WHERE id = ?`, v.ID); err != nil {
		return 0, err
	}
	if _, err = t.Exec(`UPDATE workspaces SET bytes = bytes - ? WHERE id = ?`, v.Size, v.Workspace); err != nil {
		return 0, err
	}
	return int(n), t.bookWorkspaces(v.Person, -v.Size)
}
