package store

import (
	"context"
)

const mergePages = "4"

// A wordIndex is the full-text index of SQLite (FTS5).
type wordIndex struct{ *Store }

// merge merges a part of the index. Each transaction adds a piece to the index, and many pieces
// make searches slow. FTS5's automatic merge would delay a turn by a tenth of a second in a
// large index.
func (w wordIndex) merge(ctx context.Context, pages string) (more bool, err error) {
	var before, after int
	err = w.write(ctx, "", func(t *tx) error {
		if _, err := t.Value(&before, `SELECT total_changes()`); err != nil {
			return err
		}
		if _, err := t.Exec(`INSERT INTO words (words, rank) VALUES ('merge', ` + pages + `)`); err != nil {
			return err
		}
		_, err := t.Value(&after, `SELECT total_changes()`)
		return err
	})
	// The statement itself counts as one change. Without a second one there was nothing to
	// merge (https://www.sqlite.org/fts5.html#the_merge_command).
	return err == nil && after-before >= 2, err
}

// SQLite overwrites deleted words in their rows (secure_delete), but two places keep them: the
// word index, which only marks them until a merge, and the write-ahead log, which has earlier
// versions of pages. Scrub clears both. On PostgreSQL, vacuum removes deleted rows.

// scrubPages limits a transaction of Scrub, so that it does not delay turns noticeably.
const scrubPages = "64"

const unscrubbed = "unscrubbed"

func (t *tx) noteDeleted() error {
	if t.s.db.Postgres() {
		return nil
	}
	_, err := t.Exec(`INSERT INTO meta (key, value) VALUES ('` + unscrubbed + `', '1') ON CONFLICT (key) DO UPDATE SET value = '1'`)
	return err
}

// Scrub makes deleted text unreadable in the store's files, in short transactions. between, if
// set, is called after each transaction; its error ends Scrub. Scrub may be repeated.
func (s *Store) Scrub(ctx context.Context, between func() error) error {
	if s.db.Postgres() {
		return nil
	}
	var dirty string
	if _, err := s.read(ctx).Value(&dirty, `SELECT value FROM meta WHERE key = '`+unscrubbed+`'`); err != nil {
		return err
	}
	if dirty != "" && dirty != "0" {
		if err := (wordIndex{s}).scrub(ctx, between); err != nil {
			return err
		}
	}
	return s.db.TruncateLog(ctx)
}

// scrub rewrites the whole index, part by part, because only a merge removes deleted words
// (https://www.sqlite.org/fts5.html#the_merge_command).
func (w wordIndex) scrub(ctx context.Context, between func() error) error {
	// The next Scrub handles what is deleted from now on. If this one does not finish, the next
	// one starts again.
	if err := w.noteScrub(ctx, "2", "1"); err != nil {
		return err
	}
	pages := "-" + scrubPages // a negative number starts a merge of everything
	for {
		more, err := w.merge(ctx, pages)
		if err == nil && more && between != nil {
			err = between()
		}
		if err != nil {
			return err
		}
		if !more {
			return w.noteScrub(ctx, "0", "2")
		}
		pages = scrubPages
	}
}

func (w wordIndex) noteScrub(ctx context.Context, now, before string) error {
	return w.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE meta SET value = ? WHERE key = '`+unscrubbed+`' AND value = ?`, now, before)
		return err
	})
}
