package store

import (
	"context"
	"errors"
	"maps"
	"time"

	"errand"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A tx is one transaction that writes. What it announces is published once it
// has been committed, and never otherwise.
type tx struct {
	*sqldb.Tx
	s      *Store
	doer   *Doer // who acts; nil: errand itself
	now    int64 // microseconds; one time for the whole transaction
	events []errand.Event
	lists  map[errand.PersonID]events.Lists // that have changed
	closed []errand.Task                    // by a turn that was stopped
	ended  []errand.TaskState

	words   map[wordsFor]string      // of notifications, worded before this attempt
	missing map[wordsFor]errand.Task // that have no words yet
}

// wordsFor says which words a notification needs. The outcome of a task does not
// change, so they do not either.
type wordsFor struct {
	task     errand.TaskID
	state    errand.TaskState
	language string // of the person
	zone     string // by whose clocks they read
}

// notificationText returns the words of a notification. Where they are not there
// yet, the transaction goes on without them to find out what else it lacks, and is
// then undone and repeated.
func (t *tx) notificationText(task *errand.Task, language, zone string) string {
	of := wordsFor{task.ID, task.State, language, zone}
	text, ok := t.words[of]
	if !ok {
		t.missing[of] = *task
	}
	return text
}

// errUnworded undoes a transaction that lacks words.
var errUnworded = errors.New("a notification has no words yet")

// write runs do in one transaction, which locks its conversation (all that one
// person's chat and the tasks it began do): two transactions of one conversation never
// overlap, so that a kill cannot pass an outcome and events become visible in the order
// of their ids. See [sqldb.DB.Write]. A do that makes notifications is run again, in a
// transaction of its own, when their words are there: it sets all that it returns.
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
	doer := doerOf(ctx)
	t := &tx{s: s, doer: doer}
	err := write(ctx, key, t.attempt(do))
	for errors.Is(err, errUnworded) {
		words := maps.Clone(t.words)
		if words == nil {
			words = map[wordsFor]string{}
		}
		for of, task := range t.missing {
			words[of] = s.wording(&task, of.language, of.zone)
		}
		t = &tx{s: s, doer: doer, words: words}
		err = write(ctx, key, t.attempt(do))
	}
	if err != nil {
		if IsFull(err) {
			s.full.Store(&fullDisk{err, time.Now()})
		}
		return err
	}
	for _, e := range t.events {
		s.bus.Publish(e)
	}
	for person, lists := range t.lists {
		s.bus.ChangeLists(person, lists)
	}
	for _, state := range t.ended {
		s.ended(state)
	}
	return nil
}

func (t *tx) attempt(do func(*tx) error) func(*sqldb.Tx) error {
	return func(in *sqldb.Tx) error {
		t.Tx, t.now, t.missing = in, micros(in.Began), map[wordsFor]errand.Task{}
		err := do(t)
		if err == nil && len(t.missing) > 0 {
			err = errUnworded
		}
		return err
	}
}

func (s *Store) read(ctx context.Context) sqldb.Reader { return s.db.Read(ctx) }

func (t *tx) byServerClock() (err error) {
	t.now, err = t.s.serverNow(t)
	return err
}

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
