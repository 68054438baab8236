package store

import (
	"context"
	"fmt"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// A Note is an entry of an agent's working memory.
type Note struct {
	Key     string         `json:"key"`
	Value   string         `json:"value"`
	Session core.SessionID `json:"session_id,omitempty"` // the note is deleted with it
	Expires time.Time      `json:"expires,omitzero"`     // zero: never
	Updated time.Time      `json:"updated"`
}

// Limits of working memory. It is for short notes, not for documents.
const (
	maxNoteKey   = 200
	maxNoteValue = 16 << 10
	maxNotes     = 500 // of one agent about one person or one shared chat
)

type noteRow struct {
	Key, Value, Session string
	Expires, Updated    int64
}

const noteColumns = `key, value, session, expires, updated`

func (r noteRow) note() Note {
	return Note{Key: r.Key, Value: r.Value, Session: core.SessionID(r.Session), Expires: at(r.Expires), Updated: at(r.Updated)}
}

// Remember stores n in an agent's memory about person and replaces a note with the same key.
// [Call.NotedFor] returns the person. It fails with ErrTooLarge if the note is too long or
// there are too many notes.
func (s *Store) Remember(ctx context.Context, person core.PersonID, agent core.AgentName, n Note) error {
	switch {
	case n.Key == "":
		return fmt.Errorf("a note needs a key: %w", ErrNotFound)
	case len(n.Key) > maxNoteKey:
		return fmt.Errorf("the key of a note may have %d bytes, this one has %d: %w", maxNoteKey, len(n.Key), ErrTooLarge)
	case len(n.Value) > maxNoteValue:
		return fmt.Errorf("a note may have %d bytes, %q has %d: %w", maxNoteValue, n.Key, len(n.Value), ErrTooLarge)
	}
	return s.write(ctx, "", func(t *tx) error {
		if _, err := t.Exec(`DELETE FROM memory WHERE person = ? AND agent = ? AND expires > 0 AND expires <= ?`, person, agent, t.now); err != nil {
			return err
		}
		var others int
		if _, err := t.Value(&others, `SELECT COUNT(*) FROM memory WHERE person = ? AND agent = ? AND key <> ?`, person, agent, n.Key); err != nil {
			return err
		}
		if others >= maxNotes {
			return fmt.Errorf("%d notes are kept already, the most there can be: %w", others, ErrTooLarge)
		}
		_, err := t.Exec(`INSERT INTO memory (person, agent, key, value, session, expires, updated) VALUES (?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (person, agent, key) DO UPDATE
			SET value = excluded.value, session = excluded.session, expires = excluded.expires, updated = excluded.updated`,
			person, agent, n.Key, n.Value, n.Session, micros(n.Expires), t.now)
		return err
	})
}

// Recall returns a note, or ErrNotFound if it does not exist or has expired.
func (s *Store) Recall(ctx context.Context, person core.PersonID, agent core.AgentName, key string) (Note, error) {
	var row noteRow
	found, err := s.read(ctx).Row(&row, `SELECT `+noteColumns+` FROM memory
		WHERE person = ? AND agent = ? AND key = ? AND (expires = 0 OR expires > ?)`, person, agent, key, micros(s.clock()))
	if err == nil && !found {
		err = fmt.Errorf("note %q: %w", key, ErrNotFound)
	}
	return row.note(), err
}

// NotificationsPrefix is the key prefix of unread results in working memory. They are a view of
// the tasks, not notes.
const NotificationsPrefix = "notifications/"

const maxShown = 20

func (b *stepBegin) readMemory() error {
	var rows []struct {
		Key     string
		Updated int64
	}
	// A row without a key, which no note has, means that there are unread results. It sorts
	// first and is usually missing. The + keeps SQLite from testing whether the time allows an
	// index: it would parse the query again for each value.
	from := b.out.origin()
	whose, arg := unreadBy(from)
	err := b.All(&rows, `SELECT key, updated FROM memory WHERE person = ? AND agent = ? AND (expires = 0 OR +expires > ?)
		UNION ALL SELECT '', 9223372036854775807 WHERE EXISTS (SELECT 1 FROM tasks WHERE `+whose+`)
		ORDER BY updated DESC LIMIT ?`, notedFor(from), b.out.Agent, b.now, arg, maxShown+1)
	if err != nil {
		return err
	}
	if len(rows) > 0 && rows[0].Key == "" {
		rows = rows[1:]
		if b.out.Unread, err = unreadOf(b, from); err != nil {
			return err
		}
	}
	for _, r := range rows[:min(len(rows), maxShown)] {
		b.out.Notes = append(b.out.Notes, r.Key)
	}
	return nil
}

// unread selects results that were delivered without the agent and that it has not read.
const unread = ` AND read = 0 AND way IN ('notification', 'none') AND state IN ('completed', 'failed', 'canceled', 'rejected') AND depth <= 1`

func unreadBy(o core.Origin) (string, any) {
	if o.InGroup() {
		return `session_key = ?` + unread, o.SessionKey
	}
	return `person = ?` + unread, o.Person
}

func unreadOf(q sqldb.Querier, o core.Origin) ([]core.Task, error) {
	whose, arg := unreadBy(o)
	return tasksWhere(q, whose+` ORDER BY finished DESC LIMIT ?`, arg, maxShown)
}

// Unread returns the results that were delivered without the calling agent and that it has not
// read, newest first: those of the person, or of a shared conversation.
func (s *Store) Unread(ctx context.Context, c Call) ([]core.Task, error) {
	return unreadOf(s.read(ctx), c.Origin)
}

// MarkRead records that the agent has read the outcome of a task. A second call changes nothing.
func (s *Store) MarkRead(ctx context.Context, id core.TaskID) error {
	return s.writeTask(ctx, id, func(t *tx) error {
		_, err := t.Exec(`UPDATE tasks SET read = ? WHERE id = ? AND read = 0 AND finished > 0`, t.now, id)
		return err
	})
}
