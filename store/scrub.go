package store

import (
	"context"
	"errors"
)

// Deleted words are overwritten in the rows that had them (secure_delete), but
// two places keep them: SQLite's index of words, which only marks what is gone
// until it is merged, and the write-ahead log, which has earlier states of pages.
// Scrub clears both. On PostgreSQL the rows go when the database vacuums.

// scrubPages is how many pages of the index of words one transaction of Scrub
// writes: a turn that waits for it does not notice.
const scrubPages = "64"

// unscrubbed is the key in meta that says that words were deleted since the last
// Scrub.
const unscrubbed = "unscrubbed"

// noteDeleted notes that words were deleted.
func (t *tx) noteDeleted() error {
	if t.s.postgres {
		return nil
	}
	_, err := t.exec(`INSERT INTO meta (key, value) VALUES ('` + unscrubbed + `', '1') ON CONFLICT (key) DO UPDATE SET value = '1'`)
	return err
}

// Scrub makes what was deleted unreadable in the files of the store, in short
// transactions. between, if set, is called after each; its error ends Scrub, which
// may be begun again. Where nothing was deleted it only shortens the log.
func (s *Store) Scrub(ctx context.Context, between func() error) error {
	if s.postgres {
		return nil
	}
	var dirty string
	if _, err := s.read(ctx).value(&dirty, `SELECT value FROM meta WHERE key = '`+unscrubbed+`'`); err != nil {
		return err
	}
	if dirty == "1" {
		if err := s.scrubWords(ctx, between); err != nil {
			return err
		}
	}
	return s.truncateLog(ctx)
}

// scrubWords rewrites the index of words as a whole, part by part: only a merge
// leaves out what was deleted (https://www.sqlite.org/fts5.html#the_merge_command).
func (s *Store) scrubWords(ctx context.Context, between func() error) error {
	// What is deleted from now on is for the next time.
	if err := s.write(ctx, "", func(t *tx) error {
		_, err := t.exec(`UPDATE meta SET value = '0' WHERE key = '` + unscrubbed + `'`)
		return err
	}); err != nil {
		return err
	}
	pages := "-" + scrubPages // begins a merge of everything
	for {
		more, err := s.mergePart(ctx, pages)
		if err == nil && more && between != nil {
			err = between()
		}
		if err != nil {
			// Not done: the next Scrub begins again.
			return errors.Join(err, s.write(context.WithoutCancel(ctx), "", func(t *tx) error { return t.noteDeleted() }))
		}
		if !more {
			return nil
		}
		pages = scrubPages
	}
}

// truncateLog moves the write-ahead log into the file and empties it. It waits
// 200 ms for those that read, for writers wait meanwhile. While somebody reads for
// longer it is left to the next Scrub.
func (s *Store) truncateLog(ctx context.Context) error {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout(200)`); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if _, again := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA busy_timeout(5000)`); err == nil {
		err = again
	}
	return err
}
