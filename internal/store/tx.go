package store

import (
	"context"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A tx is one transaction that writes. What it announces is published once it
// has been committed, and never otherwise.
type tx struct {
	*sqldb.Tx
	s      *Store
	now    int64 // microseconds; one time for the whole transaction
	events []errand.Event
	closed []errand.Task // by a turn that was stopped
}

// write runs do in one transaction, which locks its conversation (all that one
// person's chat and the tasks it began do): two transactions of one conversation never
// overlap, so that a kill cannot pass an outcome and events become visible in the order
// of their ids. See [sqldb.DB.Write].
func (s *Store) write(ctx context.Context, conversation string, do func(*tx) error) error {
	return s.writeBy(ctx, s.db.Write, conversation, do)
}

// writeUrgent is write for what must go on while others wait: a lease that is not
// renewed is lost.
func (s *Store) writeUrgent(ctx context.Context, key string, do func(*tx) error) error {
	return s.writeBy(ctx, s.db.WriteUrgent, key, do)
}

// writeStop is write for what ends things: it goes past the transactions of its
// conversation that wait in this process.
func (s *Store) writeStop(ctx context.Context, conversation string, do func(*tx) error) error {
	return s.writeBy(ctx, s.db.WriteStop, conversation, do)
}

func (s *Store) writeBy(ctx context.Context, write func(context.Context, string, func(*sqldb.Tx) error) error, key string, do func(*tx) error) error {
	t := &tx{s: s}
	err := write(ctx, key, func(in *sqldb.Tx) error {
		t.Tx, t.now = in, micros(in.Began)
		return do(t)
	})
	if err != nil {
		return err
	}
	for _, e := range t.events {
		s.hub.Publish(e)
	}
	return nil
}

// read returns what reads outside of a transaction.
func (s *Store) read(ctx context.Context) sqldb.Reader { return s.db.Read(ctx) }

// byServerClock has the transaction take its time from the database.
func (t *tx) byServerClock() (err error) {
	t.now, err = t.s.serverNow(t)
	return err
}

// serverNow returns the time by which leases go.
func (s *Store) serverNow(q sqldb.Querier) (int64, error) {
	now, err := s.db.ServerTime(q)
	return micros(now), err
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func at(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
