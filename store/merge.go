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
	var before, after int
	err := s.write(ctx, "", func(t *tx) error {
		if _, err := t.value(&before, `SELECT total_changes()`); err != nil {
			return err
		}
		if _, err := t.exec(`INSERT INTO words (words, rank) VALUES ('merge', ` + mergePages + `)`); err != nil {
			return err
		}
		_, err := t.value(&after, `SELECT total_changes()`)
		return err
	})
	// The statement itself is one change; with no other there was nothing to do
	// (https://www.sqlite.org/fts5.html#the_merge_command).
	if err != nil || after-before < 2 {
		return Swept{}, err
	}
	return Swept{More: true}, nil // nobody misses what is gone
}
