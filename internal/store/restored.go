package store

import (
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"errand/internal/core"
)

const (
	// restoredKey is the time of the last restoration. Everything older comes from the backup: it may
	// have been finished after the backup, and told to people, but the store does not know.
	restoredKey     = "restored"
	installationKey = "installation" // the first id of a store that was restored
	// idGap is more than what could have been made after a backup: no id stands for two things,
	// neither in a page that is open nor on a platform.
	idGap = 1_000_000
)

// serverMicros is PostgreSQL's clock in SQL.
const serverMicros = `CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)`

// restoredStatements mark a copy as restored now, an expression in SQL. Deliveries that were open may
// have arrived meanwhile. The store gets another id, so that it does not share the workflows of the
// old one, nor its Temporal namespace. The audit log says that by restored it.
func restoredStatements(now string, c Copy, by core.PersonID) []string {
	// The clock of the old machine may have been ahead.
	made := micros(c.Made)
	at := fmt.Sprintf(`CASE WHEN %s > %d THEN %s ELSE %d END`, now, made, now, made)
	return []string{
		`UPDATE outbox SET state = 'unknown', sending_until = 0 WHERE state IN ('pending', 'sending')`,
		`UPDATE inbox SET signalled = 0 WHERE signalled > 0`,
		`UPDATE tasks SET signalled = 0, deadline_signalled = 0 WHERE signalled > 0 OR deadline_signalled > 0`,
		`UPDATE task_messages SET signalled = 0 WHERE signalled > 0`,
		`UPDATE questions SET signalled = 0 WHERE signalled > 0`,
		`UPDATE connections SET ` + unheld + `, since = 0`,
		`DELETE FROM workers`,
		`DELETE FROM meta WHERE key IN ('` + placeKey + `', '` + restoredKey + `')`,
		`INSERT INTO meta (key, value) SELECT '` + installationKey + `', value FROM meta WHERE key = 'id' ON CONFLICT (key) DO NOTHING`,
		`UPDATE meta SET value = '` + uuid.NewString() + `' WHERE key = 'id'`,
		`INSERT INTO meta (key, value) VALUES ('` + restoredKey + `', CAST(` + at + ` AS TEXT))`,
		fmt.Sprintf(`INSERT INTO audit (at, person, door, what, kind, subject, detail) VALUES (%s, '%s', '%s', '%s', 'installation', '', '%s')`,
			at, by, doorCLI, core.DeedRestore, c.Moment()),
	}
}

func (t *tx) markRestored(c Copy, by core.PersonID) error {
	list := restoredStatements(strconv.FormatInt(t.now, 10), c, by)
	for _, query := range append([]string{fmt.Sprintf(`UPDATE sqlite_sequence SET seq = seq + %d`, idGap)}, list...) {
		if _, err := t.Exec(query); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) readRestored() error {
	_, err := t.Value(&t.s.restored, `SELECT CAST(value AS BIGINT) FROM meta WHERE key = '`+restoredKey+`'`)
	return err
}

// wasTold reports whether n, made by a turn, may tell what was told already after the backup: its
// turn, task, question or message is in the backup, or its reminder was due before the restoration.
func (t *tx) wasTold(n core.Notification, owner core.Owner, turn int) (bool, error) {
	if t.s.restored == 0 {
		return false, nil
	}
	var one int
	at := t.s.restored
	return t.Value(&one, `SELECT 1 FROM turns WHERE owner = ? AND turn = ? AND created < ?
		UNION ALL SELECT 1 FROM inbox WHERE owner = ? AND turn = ? AND created < ?
		UNION ALL SELECT 1 FROM tasks WHERE id = ? AND created < ?
		UNION ALL SELECT 1 FROM tasks WHERE told_by = ? AND told_by <> '' AND created < ?
		UNION ALL SELECT 1 FROM questions WHERE id = ? AND created < ?
		UNION ALL SELECT 1 FROM inbox i JOIN reminders r ON i.message_id LIKE '`+reminderSlot+`' || r.id || '/%'
			WHERE i.owner = ? AND i.turn = ? AND i.cause = 'reminder' AND r.last < ?
		LIMIT 1`, owner, turn, at, owner, turn, at, n.Task, at, n.Key, at, n.Question, at, owner, turn, at)
}
