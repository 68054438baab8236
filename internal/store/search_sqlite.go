package store

import "context"

// mergePages is how many pages of the index of words one transaction writes.
const mergePages = "4"

// mergeWords does a part of what SQLite's index of words leaves to be done: each
// transaction writes a piece of index of its own, and many pieces are slow to
// search. Left to itself, FTS5 would merge them in the middle of a turn, for a
// tenth of a second where the index is large. PostgreSQL does it by itself.
func (s *Store) mergeWords(ctx context.Context) (Swept, error) {
	if s.postgres {
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
		if _, err := t.value(&before, `SELECT total_changes()`); err != nil {
			return err
		}
		if _, err := t.exec(`INSERT INTO words (words, rank) VALUES ('merge', ` + pages + `)`); err != nil {
			return err
		}
		_, err := t.value(&after, `SELECT total_changes()`)
		return err
	})
	// The statement itself is one change; with no other there was nothing to do
	// (https://www.sqlite.org/fts5.html#the_merge_command).
	return err == nil && after-before >= 2, err
}
