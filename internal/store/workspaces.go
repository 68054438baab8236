package store

import (
	"context"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// Limits of a workspace.
const (
	MaxWorkspace    = 200_000_000 // bytes of all files with all their versions
	MaxFiles        = 10_000
	MaxFileVersions = 20
)

type workspaceRow struct {
	ID          int64
	Place       string
	Session     string
	Files       int
	Bytes       int64
	LastVersion int
	Changed     int64
}

const workspaceColumns = `id, place, session, files, bytes, last_version, changed`

func workspaceAt(q sqldb.Querier, place string) (workspaceRow, bool, error) {
	var row workspaceRow
	if place == "" {
		return row, false, nil
	}
	found, err := q.Row(&row, `SELECT `+workspaceColumns+` FROM workspaces WHERE place = ? AND place <> ''`, place)
	return row, found, err
}

// openWorkspace returns the workspace of a place. If the place has none yet, it creates one for the
// current session, or for the session asks if none is current.
func (t *tx) openWorkspace(place string, asks core.SessionID) (workspaceRow, error) {
	row, found, err := workspaceAt(t, place)
	if err != nil || found {
		return row, err
	}
	session, found, err := current(t, core.SessionKey(place))
	if err != nil {
		return row, err
	}
	if found {
		asks = core.SessionID(session.ID)
	}
	row = workspaceRow{Place: place, Session: string(asks), Changed: t.now}
	_, err = t.Value(&row.ID, `INSERT INTO workspaces (place, session, created, changed) VALUES (?, ?, ?, ?) RETURNING id`, place, asks, t.now, t.now)
	return row, err
}

func (t *tx) adoptWorkspace(key core.SessionKey, session core.SessionID) error {
	_, err := t.Exec(`UPDATE workspaces SET session = ? WHERE place = ? AND place <> ''`, session, key)
	return err
}

// detachWorkspace separates the files of a session that is being deleted from its conversation.
// Later files go into a new workspace.
func (t *tx) detachWorkspace(id core.SessionID) error {
	_, err := t.Exec(`UPDATE workspaces SET place = '' WHERE session = ? AND session <> ''`, id)
	return err
}

// SessionPlace returns the place of a session's files.
func SessionPlace(s core.Session) string { return string(s.Key) }

// TaskPlace returns the place of a task's files: that of its conversation.
func TaskPlace(t core.Task) string { return conversation(t.Origin) }

// Workspaces returns at most limit workspaces with files, the most recently changed first:
// those of one person, or all.
func (s *Store) Workspaces(ctx context.Context, person core.PersonID, p Page) ([]core.Workspace, error) {
	where, args := `TRUE`, []any{}
	if person != "" {
		where, args = `s.person = ?`, append(args, person)
	}
	behind, values, err := fileOrder.behind(p.After)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		workspaceRow
		Channel, Account, Chat, Thread, Person string
	}
	err = s.read(ctx).All(&rows, `SELECT w.id, w.place, w.session, w.files, w.bytes, w.last_version, w.changed, s.channel, s.account, s.chat, s.thread, s.person
		FROM workspaces w JOIN sessions s ON s.id = w.session WHERE w.place <> '' AND w.files > 0 AND `+where+` AND `+behind+
		fileOrder.by()+" LIMIT ?", append(append(args, values...), orDefault(p.Limit, 100))...)
	if err != nil {
		return nil, err
	}
	list := make([]core.Workspace, len(rows))
	for i, r := range rows {
		list[i] = r.workspace()
		list[i].Person = core.PersonID(r.Person)
		list[i].Route = core.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread}
	}
	return list, nil
}

func (r workspaceRow) workspace() core.Workspace {
	return core.Workspace{ID: r.ID, Session: core.SessionID(r.Session), Files: r.Files, Bytes: r.Bytes, Changed: at(r.Changed)}
}

func (r *removal) workspaceOf(where string, args ...any) error {
	var ids []int64
	if err := r.All(&ids, `SELECT id FROM workspaces WHERE `+where, args...); err != nil {
		return err
	}
	for _, id := range ids {
		if err := r.filesOf(id); err != nil {
			return err
		}
		if err := r.from("file_calls", `workspace = ?`, id); err != nil {
			return err
		}
		if err := r.from("workspaces", `id = ?`, id); err != nil {
			return err
		}
	}
	return nil
}

func (r *removal) filesOf(workspace int64) error {
	for r.left > 0 {
		var ids []int64
		if err := r.All(&ids, `SELECT id FROM files WHERE workspace = ? LIMIT 20`, workspace); err != nil || len(ids) == 0 {
			return err
		}
		for _, id := range ids {
			if done, err := r.versions(`file = ?`, id); err != nil || !done {
				return err
			}
			if err := r.from("files", `id = ?`, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// versions deletes file versions. It returns false if there are more than the transaction may
// delete.
func (r *removal) versions(where string, args ...any) (done bool, err error) {
	for r.left > 0 {
		var list []versionRow
		if err := r.All(&list, `SELECT `+versionColumns+` FROM file_versions WHERE `+where+" LIMIT 20", args...); err != nil || len(list) == 0 {
			return true, err
		}
		for _, v := range list {
			n, err := r.dropVersion(v)
			if err != nil {
				return false, err
			}
			r.rows["file_versions"]++
			r.rows["file_chunks"] += n
			r.left -= 1 + n
		}
	}
	return false, nil
}

// oldVersions deletes a session's old versions of files that belong to another session now.
func (r *removal) oldVersions(id core.SessionID) error {
	_, err := r.versions(`session = ? AND session <> '' AND NOT latest`, id)
	return err
}

// Place returns the place of the calling agent's files: that of its conversation.
func (c Call) Place() string { return conversation(c.Origin) }
