package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"errand/internal/store/sqldb"
)

// A BackupNote says how the latest scheduled backup ended.
type BackupNote struct {
	File  string    `json:"file"`            // the latest one that was written; empty: none
	Made  time.Time `json:"made,omitzero"`   // when
	Error string    `json:"error,omitempty"` // why the latest attempt failed; empty: it did not
}

const backupKey = "backup"

// NoteBackup records an attempt to write a backup: the file, or why it failed.
func NoteBackup(ctx context.Context, s *Store, file string, failed error) error {
	return s.write(ctx, "", func(t *tx) error {
		note, err := backupNoteOf(t)
		if err != nil {
			return err
		}
		if failed != nil {
			note.Error = failed.Error()
		} else {
			note = BackupNote{File: file, Made: at(t.now)}
		}
		raw, err := json.Marshal(note)
		if err != nil {
			return err
		}
		return t.putMeta(backupKey, string(raw))
	})
}

// LastBackup returns how the latest scheduled backup ended; the zero note: there was none.
func LastBackup(ctx context.Context, s *Store) (BackupNote, error) {
	return backupNoteOf(s.read(ctx))
}

func backupNoteOf(q sqldb.Querier) (note BackupNote, err error) {
	var raw string
	found, err := q.Value(&raw, `SELECT value FROM meta WHERE key = ?`, backupKey)
	if err != nil || !found {
		return note, err
	}
	if err := json.Unmarshal([]byte(raw), &note); err != nil {
		return note, fmt.Errorf("read how the latest backup ended: %w", err)
	}
	return note, nil
}
