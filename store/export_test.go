package store

import (
	"strconv"
	"strings"
)

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

// Scans returns the statements that transactions have run and that read a whole
// table, each with how SQLite would go about it.
func Scans(s *Store) map[string]string {
	s.writes.mu.Lock()
	queries := make([]string, 0, len(s.writes.known))
	for query := range s.writes.known {
		queries = append(queries, query)
	}
	s.writes.mu.Unlock()
	scans := map[string]string{}
	for _, query := range queries {
		// With an argument for each placeholder, whatever it is.
		rows, err := s.reader.Query(`EXPLAIN QUERY PLAN `+query, make([]any, strings.Count(query, "?"))...)
		if err != nil {
			panic(query + ": " + err.Error())
		}
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				panic(err)
			}
			if strings.HasPrefix(detail, "SCAN ") && !strings.Contains(detail, "CONSTANT ROW") && !strings.Contains(detail, "VIRTUAL TABLE") {
				scans[query] = detail
			}
		}
		rows.Close()
	}
	return scans
}
