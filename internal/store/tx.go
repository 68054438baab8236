package store

import (
	"context"
	"errors"
	"maps"
	"time"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A tx is a write transaction. Its events are published only after the commit.
type tx struct {
	*sqldb.Tx
	s      *Store
	doer   *core.Doer // the actor; nil: errand itself
	now    int64      // microseconds; the same time for the whole transaction
	events []core.Event
	lists  map[core.PersonID]events.Lists
	closed []core.Task // by a stopped turn
	ended  []core.TaskState

	words   map[wordsFor]string    // texts of notifications, rendered before this attempt
	missing map[wordsFor]core.Task // notifications whose texts are missing
}

// wordsFor identifies the text of a notification. The text does not change, because the outcome
// does not.
type wordsFor struct {
	task     core.TaskID
	state    core.TaskState
	language string // of the person
	zone     string // time zone of the person
}

// notificationText returns an empty text if it is not rendered yet. The transaction continues,
// to find all missing texts, and is then rolled back and repeated.
func (t *tx) notificationText(task *core.Task, language, zone string) string {
	of := wordsFor{task.ID, task.State, language, zone}
	text, ok := t.words[of]
	if !ok {
		t.missing[of] = *task
	}
	return text
}

var errUnworded = errors.New("a notification has no words yet")

// write runs do in one transaction that locks its conversation: everything that a person's chat
// and its tasks do. Transactions of one conversation never overlap, so a cancellation cannot
// overtake an outcome, and events become visible in the order of their ids. See
// [sqldb.DB.Write]. If do makes notifications, it runs again once their texts are rendered, so
// it must set its results anew each time.
func (s *Store) write(ctx context.Context, conversation string, do func(*tx) error) error {
	return s.writeBy(ctx, s.db.Write, conversation, do)
}

// writeUrgent is for writes that must not wait, such as renewing a lease.
func (s *Store) writeUrgent(ctx context.Context, key string, do func(*tx) error) error {
	return s.writeBy(ctx, s.db.WriteUrgent, key, do)
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
		t.Tx, t.now, t.missing = in, micros(in.Began), map[wordsFor]core.Task{}
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
