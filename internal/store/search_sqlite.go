package store

import (
	"context"
)

const mergePages = "4"

// mergeWords does a part of what SQLite's index of words leaves to be done: each
// transaction writes a piece of index of its own, and many pieces are slow to
// search. Left to itself, FTS5 would merge them in the middle of a turn, for a
// tenth of a second where the index is large. PostgreSQL does it by itself.
func (s *Store) mergeWords(ctx context.Context) (Swept, error) {
	if s.db.Postgres() {
		return Swept{}, nil
	}
	more, err := s.mergePart(ctx, mergePages)
	return Swept{More: more}, err // nobody misses what is gone
}

// mergePart merges a part of the index of words; more says that there may be more
// to merge.
func (s *Store) mergePart(ctx context.Context, pages string) (more bool, err error) {
	var before, after int
	err = s.write(ctx, "", func(t *tx) error {
		if _, err := t.Value(&before, `SELECT total_changes()`); err != nil {
			return err
		}
		if _, err := t.Exec(`INSERT INTO words (words, rank) VALUES ('merge', ` + pages + `)`); err != nil {
			return err
		}
		_, err := t.Value(&after, `SELECT total_changes()`)
		return err
	})
	// The statement itself is one change; with no other there was nothing to do
	// (https://www.sqlite.org/fts5.html#the_merge_command).
	return err == nil && after-before >= 2, err
}

// Deleted words are overwritten in the rows that had them (secure_delete), but
// two places keep them: SQLite's index of words, which only marks what is gone
// until it is merged, and the write-ahead log, which has earlier states of pages.
// Scrub clears both. On PostgreSQL the rows go when the database vacuums.

// scrubPages is how many pages of the index of words one transaction of Scrub
// writes: a turn that waits for it does not notice.
const scrubPages = "64"

const unscrubbed = "unscrubbed"

// noteDeleted notes that words were deleted.
func (t *tx) noteDeleted() error {
	if t.s.db.Postgres() {
		return nil
	}
	_, err := t.Exec(`INSERT INTO meta (key, value) VALUES ('` + unscrubbed + `', '1') ON CONFLICT (key) DO UPDATE SET value = '1'`)
	return err
}

// Scrub makes what was deleted unreadable in the files of the store, in short
// transactions. between, if set, is called after each; its error ends Scrub, which
// may be begun again. Where nothing was deleted it only shortens the log.
func (s *Store) Scrub(ctx context.Context, between func() error) error {
	if s.db.Postgres() {
		return nil
	}
	var dirty string
	if _, err := s.read(ctx).Value(&dirty, `SELECT value FROM meta WHERE key = '`+unscrubbed+`'`); err != nil {
		return err
	}
	if dirty != "" && dirty != "0" {
		if err := s.scrubWords(ctx, between); err != nil {
			return err
		}
	}
	return s.db.TruncateLog(ctx)
}

// scrubWords rewrites the index of words as a whole, part by part: only a merge
// leaves out what was deleted (https://www.sqlite.org/fts5.html#the_merge_command).
func (s *Store) scrubWords(ctx context.Context, between func() error) error {
	// What is deleted from now on is for the next time, as is all of it if this one
	// does not come to its end.
	if err := s.noteScrub(ctx, "2", "1"); err != nil {
		return err
	}
	pages := "-" + scrubPages // begins a merge of everything
	for {
		more, err := s.mergePart(ctx, pages)
		if err == nil && more && between != nil {
			err = between()
		}
		if err != nil {
			return err
		}
		if !more {
			return s.noteScrub(ctx, "0", "2")
		}
		pages = scrubPages
	}
}

// noteScrub notes how far Scrub is: "2", under way; "0", done.
func (s *Store) noteScrub(ctx context.Context, now, before string) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE meta SET value = ? WHERE key = '`+unscrubbed+`' AND value = ?`, now, before)
		return err
	})
}
