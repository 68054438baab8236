package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/internal/store/sqldb"
)

// runFaults has people write, and makes one fault after the other, until ctx is done.
func (in *installation) runFaults(ctx context.Context) error {
	var all errgroup.Group
	for _, c := range in.chats {
		all.Go(func() error { return in.talk(ctx, c) })
	}
	err := in.faults(ctx)
	if waited := all.Wait(); err == nil {
		err = waited
	}
	return err
}

// faults makes one fault after the other until ctx is done, and takes back the last.
func (in *installation) faults(ctx context.Context) error {
	random := rand.New(rand.NewPCG(in.seed, 1<<33))
	between := func(least, most time.Duration) time.Duration {
		return least + time.Duration(random.Int64N(int64(most-least)))
	}
	// pause waits, and reports whether there is still time.
	pause := func(d time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	stopped := func(what string, d time.Duration, signal func(syscall.Signal)) {
		in.log.add("%s stands still for %s", what, d.Round(time.Millisecond))
		signal(syscall.SIGSTOP)
		pause(d)
		signal(syscall.SIGCONT)
	}
	killed := func(what string, d time.Duration, kill func(), start func() error) error {
		in.log.add("%s is killed for %s", what, d.Round(time.Millisecond))
		kill()
		pause(d)
		return start()
	}
	for pause(between(500*time.Millisecond, 3*time.Second)) {
		i := random.IntN(workers)
		var err error
		switch kind := random.IntN(14); kind {
		case 0, 1, 2:
			err = killed(in.workers[i].Name, between(0, 4*time.Second), in.workers[i].Kill, in.workers[i].Start)
		case 3, 4:
			in.log.add("%s is restarted", in.workers[i].Name)
			in.workers[i].Signal(syscall.SIGTERM)
		case 5, 6, 7:
			d := between(time.Second, 14*time.Second)
			began := time.Now()
			stopped(in.workers[i].Name, d, in.workers[i].Signal)
			in.noteStall(began, time.Now())
		case 8:
			d := between(0, 4*time.Second)
			if random.IntN(3) == 0 {
				d = between(20*time.Second, 30*time.Second) // longer than every patience
			}
			err = killed("Temporal", d, in.temporal.Kill, in.temporal.Start)
		case 9:
			stopped("Temporal", between(time.Second, 12*time.Second), in.temporal.Signal)
		case 10:
			in.log.add("Temporal is restarted")
			in.temporal.Signal(syscall.SIGTERM)
		case 11:
			err = killed("PostgreSQL", between(0, 3*time.Second), in.pg.Kill, in.pg.Start)
		case 12:
			stopped("PostgreSQL", between(time.Second, 8*time.Second), in.pg.Signal)
		case 13:
			in.hold(ctx, between(2*time.Second, 12*time.Second), random.IntN(2) == 0, pause)
		}
		if err != nil {
			return fmt.Errorf("a fault could not be taken back: %w", err)
		}
	}
	return nil
}

// hold holds locks that steps need: of what people have used up, or of a
// conversation.
func (in *installation) hold(ctx context.Context, d time.Duration, budgets bool, pause func(time.Duration) bool) {
	in.log.add("a lock is held for %s (budgets: %v)", d.Round(time.Millisecond), budgets)
	tx, err := in.db.Begin()
	if err != nil {
		return // PostgreSQL is not there: that is a fault as well
	}
	defer tx.Rollback()
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	if budgets {
		_, err = tx.ExecContext(ctx, `SELECT count(*) FROM (SELECT 1 FROM budgets FOR UPDATE) AS all_of_them`)
	} else {
		err = sqldb.LockKey(ctx, tx, "session/web/local/web0/-/owner")
	}
	if err == nil {
		pause(d)
	}
}
