package store

import (
	"context"
	"strings"
	"time"
)

// WhoMayWhat is the lock of what decides who may do what.
const WhoMayWhat = whoMayWhat

// Scans returns those of the queries that read a whole table, or all rows of a chat where a
// few are wanted, each with SQLite's plan.
func Scans(ctx context.Context, s *Store, queries []string) map[string]string {
	scans := map[string]string{}
	for _, query := range queries {
		var plan []struct {
			ID, Parent, Notused int
			Detail              string
		}
		// With an argument for each placeholder, whatever it is.
		if err := s.read(ctx).All(&plan, `EXPLAIN QUERY PLAN `+query, args(query)...); err != nil {
			panic(query + ": " + err.Error())
		}
		for _, step := range plan {
			if strings.HasPrefix(step.Detail, "SCAN ") && !strings.Contains(step.Detail, "CONSTANT ROW") && !strings.Contains(step.Detail, "VIRTUAL TABLE") {
				scans[query] = step.Detail
			}
			// What nobody has taken are a few rows, and has indexes of its own.
			if strings.Contains(query, "turn IS NULL AND NOT superseded") && strings.HasPrefix(step.Detail, "SEARCH inbox ") && strings.HasSuffix(step.Detail, "(session_key=?)") &&
				!strings.Contains(step.Detail, "inbox_unclaimed") && !strings.Contains(step.Detail, "inbox_unheard") {
				scans[query] = step.Detail
			}
		}
	}
	return scans
}

// Hang begins a transaction of a conversation, writes what do does in it, and
// stands still until release is called: as a process that is stopped does. end
// has its result.
func Hang(ctx context.Context, s *Store, conversation string, queries ...string) (release func(), end <-chan error) {
	there, going, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		err := s.write(ctx, conversation, func(t *tx) error {
			for _, q := range queries {
				if _, err := t.Exec(q); err != nil {
					return err
				}
			}
			close(there)
			<-going
			_, err := t.Exec(`UPDATE meta SET value = value WHERE key = 'none'`)
			return err
		})
		ended <- err
	}()
	<-there
	return func() { close(going) }, ended
}

// ServerNow returns the time that leases go by.
func ServerNow(ctx context.Context, s *Store) (time.Time, error) {
	now, err := s.serverNow(s.read(ctx))
	return at(now), err
}

// Exec runs a statement in a transaction.
func Exec(ctx context.Context, s *Store, query string) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(query)
		return err
	})
}

// CountPlans are how SQLite goes about what Counts reads, and what AskedIn does of
// questions and the outbox.
func CountPlans(ctx context.Context, s *Store) (map[string]string, error) {
	plans := map[string]string{}
	for _, query := range []string{countTasks, countInbox, countUnsent, countBlocked, lastSent, `SELECT 1 FROM questions WHERE ` + askedIn} {
		var plan []struct {
			ID, Parent, Notused int
			Detail              string
		}
		if err := s.read(ctx).All(&plan, `EXPLAIN QUERY PLAN `+query, args(query)...); err != nil {
			return nil, err
		}
		plans[query] = plan[0].Detail
	}
	return plans, nil
}

func args(query string) []any { return make([]any, strings.Count(query, "?")) }
