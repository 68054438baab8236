package store

import (
	"context"
	"slices"
	"strings"

	"errand"
	"errand/internal/content"
)

// skeletonBatch is how many names are folded at a time.
const skeletonBatch = 500

// foldNames gives a skeleton to the names that have none: they are from before there
// were any, or a worker from before has written them since. SQL cannot fold names.
//
// Several workers may do it at once: a name that another has changed meanwhile has the
// skeleton that the other gave it, or is read again.
func (s *Store) foldNames(ctx context.Context) error {
	for {
		type person struct{ ID, Name string }
		var people []person
		err := s.read(ctx).All(&people, `SELECT id, name FROM people WHERE skeleton IS NULL LIMIT ?`, skeletonBatch)
		if err != nil || len(people) == 0 {
			return err
		}
		// In one order, so that two workers do not wait for each other.
		slices.SortFunc(people, func(a, b person) int { return strings.Compare(a.ID, b.ID) })
		err = s.write(ctx, "", func(t *tx) error {
			for _, p := range people {
				if _, err := t.Exec(`UPDATE people SET skeleton = ? WHERE id = ? AND name = ?`, content.Skeleton(p.Name), p.ID, p.Name); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// namesake is somebody else whose name has the same skeleton; empty: nobody.
func (t *tx) namesake(id errand.PersonID, skeleton string) (other errand.PersonID, err error) {
	_, err = t.Value(&other, `SELECT id FROM people WHERE skeleton = ? AND id <> ? LIMIT 1`, skeleton, id)
	return other, err
}
