package store

import "strconv"

// LimitSize lets the database grow no further, as a full disk does, until the
// function it returns is called.
func LimitSize(s *Store) func() {
	set := func(pages int) {
		var n int
		// No statement of a transaction: there is one connection.
		if err := s.writer.QueryRow(`PRAGMA page_count`).Scan(&n); err != nil {
			panic(err)
		}
		if pages == 0 {
			n = 1 << 30
		}
		if _, err := s.writer.Exec(`PRAGMA max_page_count = ` + strconv.Itoa(n)); err != nil {
			panic(err)
		}
	}
	set(1)
	return func() { set(0) }
}
