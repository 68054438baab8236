package store

import (
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"errand/internal/core"
)

// A restoration says that the store was restored from a backup. What the backup contains may have
// been finished after it, and told to people, but the store does not know.
type restoration struct {
	At int64 `json:"at"` // everything older comes from the backup; 0: the store was not restored
}

const (
	restoredKey     = "restored"
	installationKey = "installation" // the first id of a store that was restored
	// idGap is more than what could have been made after a backup: no id stands for two things,
	// neither in a page that is open nor on a platform.
	idGap = 1_000_000
)

// restoredStatements mark a copy as restored. Deliveries that were open may have arrived meanwhile.
// The store gets another id, so that it does not share the workflows of the old one, nor
// its Temporal namespace.
func restoredStatements(at int64) ([]string, error) {
	raw, err := json.Marshal(restoration{At: at})
	if err != nil {
		return nil, err
	}
	return []string{
		`UPDATE outbox SET state = 'unknown', sending_until = 0 WHERE state IN ('pending', 'sending')`,
		`UPDATE inbox SET signalled = 0 WHERE signalled > 0`,
		`UPDATE tasks SET signalled = 0, deadline_signalled = 0 WHERE signalled > 0 OR deadline_signalled > 0`,
		`UPDATE task_messages SET signalled = 0 WHERE signalled > 0`,
		`UPDATE questions SET signalled = 0 WHERE signalled > 0`,
		`UPDATE connections SET ` + unheld + `, since = 0`,
		`DELETE FROM workers`,
		`DELETE FROM meta WHERE key = '` + placeKey + `'`,
		`INSERT INTO meta (key, value) SELECT '` + installationKey + `', value FROM meta WHERE key = 'id' ON CONFLICT (key) DO NOTHING`,
		`UPDATE meta SET value = '` + uuid.NewString() + `' WHERE key = 'id'`,
		`INSERT INTO meta (key, value) VALUES ('` + restoredKey + `', '` + string(raw) + `') ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
	}, nil
}

func (t *tx) markRestored() error {
	list, err := restoredStatements(t.now)
	if err != nil {
		return err
	}
	for _, query := range append(list, fmt.Sprintf(`UPDATE sqlite_sequence SET seq = seq + %d`, idGap)) {
		if _, err := t.Exec(query); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) readRestored() error {
	var raw string
	if found, err := t.Value(&raw, `SELECT value FROM meta WHERE key = '`+restoredKey+`'`); err != nil || !found {
		return err
	}
	if err := json.Unmarshal([]byte(raw), &t.s.restored); err != nil {
		return fmt.Errorf("read when the store was restored: %w", err)
	}
	return nil
}

// wasTold reports whether n, made by a turn, may tell what was told already after the backup: its
// turn, task, question or message is in the backup, or its reminder was due before the restoration.
func (t *tx) wasTold(n core.Notification, owner core.Owner, turn int) (bool, error) {
	if t.s.restored.At == 0 {
		return false, nil
	}
	var one int
	at := t.s.restored.At
	return t.Value(&one, `SELECT 1 FROM turns WHERE owner = ? AND turn = ? AND created < ?
		UNION ALL SELECT 1 FROM inbox WHERE owner = ? AND turn = ? AND created < ?
		UNION ALL SELECT 1 FROM tasks WHERE id = ? AND created < ?
		UNION ALL SELECT 1 FROM tasks WHERE told_by = ? AND told_by <> '' AND created < ?
		UNION ALL SELECT 1 FROM questions WHERE id = ? AND created < ?
		UNION ALL SELECT 1 FROM inbox i JOIN reminders r ON i.message_id LIKE '`+reminderSlot+`' || r.id || '/%'
			WHERE i.owner = ? AND i.turn = ? AND i.cause = 'reminder' AND r.last < ?
		LIMIT 1`, owner, turn, at, owner, turn, at, n.Task, at, n.Key, at, n.Question, at, owner, turn, at)
}
