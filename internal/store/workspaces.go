package store

import (
	"context"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// Bounds of a workspace.
const (
	MaxFile         = 20_000_000  // bytes of a file
	MaxWorkspace    = 200_000_000 // bytes of all files with their versions
	MaxFiles        = 10_000
	MaxFileVersions = 20
)

// A Workspace is the files of one conversation: its session and everything that was
// delegated from it share them. The next session of the same chat has them too; they are
// deleted with the last one that had them.
type Workspace struct {
	ID      int64            `json:"-"`
	Session errand.SessionID `json:"session_id,omitempty"`
	Task    errand.TaskID    `json:"task_id,omitempty" description:"the root of a tree of tasks that was asked for in no chat"`
	Route   errand.Route     `json:"route,omitzero"`
	Person  errand.PersonID  `json:"person"`
	Files   int              `json:"files"`
	Bytes   int64            `json:"bytes" description:"of all versions"`
	Changed time.Time        `json:"changed"`
}

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

// workspaceAt returns the workspace of a conversation; false if nobody has written a
// file there.
func workspaceAt(q sqldb.Querier, place string) (workspaceRow, bool, error) {
	var row workspaceRow
	if place == "" {
		return row, false, nil
	}
	found, err := q.Row(&row, `SELECT `+workspaceColumns+` FROM workspaces WHERE place = ? AND place <> ''`, place)
	return row, found, err
}

// openWorkspace returns the workspace of a conversation, and makes one if there is none:
// that of its current session, or of the session that asks.
func (t *tx) openWorkspace(place string, asks errand.SessionID) (workspaceRow, error) {
	row, found, err := workspaceAt(t, place)
	if err != nil || found {
		return row, err
	}
	session, found, err := current(t, errand.SessionKey(place))
	if err != nil {
		return row, err
	}
	if found {
		asks = errand.SessionID(session.ID)
	}
	row = workspaceRow{Place: place, Session: string(asks), Changed: t.now}
	_, err = t.Value(&row.ID, `INSERT INTO workspaces (place, session, created, changed) VALUES (?, ?, ?, ?) RETURNING id`, place, asks, t.now, t.now)
	return row, err
}

func (t *tx) adoptWorkspace(key errand.SessionKey, session errand.SessionID) error {
	_, err := t.Exec(`UPDATE workspaces SET session = ? WHERE place = ? AND place <> ''`, session, key)
	return err
}

// detachWorkspace takes the files of a session that is being deleted away from its
// conversation: what is written there from now on is in a workspace of its own.
func (t *tx) detachWorkspace(id errand.SessionID) error {
	_, err := t.Exec(`UPDATE workspaces SET place = '' WHERE session = ? AND session <> ''`, id)
	return err
}

// SessionPlace returns where the files of a session are.
func SessionPlace(s Session) string { return string(s.Key) }

// TaskPlace returns where the files of a task are: those of the conversation that it
// was asked for in.
func TaskPlace(t errand.Task) string { return conversation(t.Origin) }

// WorkspaceAt returns the workspace at a place; ErrNotFound if nobody has written a file
// there.
func (s *Store) WorkspaceAt(ctx context.Context, place string) (Workspace, error) {
	row, found, err := workspaceAt(s.read(ctx), place)
	if err == nil && !found {
		err = ErrNotFound
	}
	if err != nil {
		return Workspace{}, err
	}
	return row.workspace(), nil
}

// Workspaces returns the workspaces of sessions that have files, those that were changed
// last first, and at most limit: of one person, or with an empty one of all.
func (s *Store) Workspaces(ctx context.Context, person errand.PersonID, p Page) ([]Workspace, error) {
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
	list := make([]Workspace, len(rows))
	for i, r := range rows {
		list[i] = r.workspace()
		list[i].Person = errand.PersonID(r.Person)
		list[i].Route = errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread}
	}
	return list, nil
}

func (r workspaceRow) workspace() Workspace {
	return Workspace{ID: r.ID, Session: errand.SessionID(r.Session), Files: r.Files, Bytes: r.Bytes, Changed: at(r.Changed)}
}

// workspaceOf deletes the files of a session, or of a tree of tasks.
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

// filesOf deletes the files of a workspace with their versions.
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

// versions deletes versions as long as there is room in the transaction; false if there
// are more.
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

// oldVersions deletes the versions that a session wrote and that are not the latest: its
// files are another session's by now.
func (r *removal) oldVersions(id errand.SessionID) error {
	_, err := r.versions(`session = ? AND session <> '' AND NOT latest`, id)
	return err
}

// Place names the conversation whose files the agent that makes the call has.
func (c Call) Place() string { return conversation(c.Origin) }
