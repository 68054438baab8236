package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"
	"time"
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

// WaitingConns is how many transactions of conversations use a connection at once.
const WaitingConns = waitingConns

// Hang begins a transaction of a conversation, writes what do does in it, and
// stands still until release is called: as a process that is stopped does. end
// has its result.
func Hang(ctx context.Context, s *Store, conversation string, queries ...string) (release func(), end <-chan error) {
	there, going, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		err := s.write(ctx, conversation, func(t *tx) error {
			for _, q := range queries {
				if _, err := t.exec(q); err != nil {
					return err
				}
			}
			close(there)
			<-going
			_, err := t.exec(`UPDATE meta SET value = value WHERE key = 'none'`)
			return err
		})
		ended <- err
	}()
	<-there
	return func() { close(going) }, ended
}

// Settings returns a setting of the connections of each pool.
func Settings(ctx context.Context, s *Store, name string) (map[string]string, error) {
	schema, done, err := s.schemaDB()
	if err != nil {
		return nil, err
	}
	defer done()
	aside, _, err := s.Aside(ctx, "x")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for pool, db := range map[string]*sql.DB{"write": s.writer, "read": s.reader, "vital": s.vital, "schema": schema, "aside": aside} {
		var value string
		if err := db.QueryRowContext(ctx, "SHOW "+name).Scan(&value); err != nil {
			return nil, err
		}
		out[pool] = value
	}
	return out, nil
}

// ServerNow returns the time that leases go by.
func ServerNow(ctx context.Context, s *Store) (time.Time, error) {
	now, err := s.serverNow(s.read(ctx))
	return at(now), err
}
