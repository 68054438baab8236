package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver
)

// A cost is processor time, of each kind of process.
type cost struct{ workers, postgres, temporal time.Duration }

func (c cost) minus(o cost) cost {
	return cost{c.workers - o.workers, c.postgres - o.postgres, c.temporal - o.temporal}
}

func (c cost) all() time.Duration { return c.workers + c.postgres + c.temporal }

// each is the cost of one of n things that were done in some time, in milliseconds,
// without what the processes take anyway.
func (c cost) each(n int, idle cost, share float64) string {
	ms := func(busy, rest time.Duration) float64 {
		return (busy.Seconds() - rest.Seconds()*share) * 1000 / float64(max(n, 1))
	}
	return fmt.Sprintf("%6.1f %6.1f %6.1f", ms(c.workers, idle.workers), ms(c.postgres, idle.postgres), ms(c.temporal, idle.temporal))
}

func (s *stack) spent() cost {
	var c cost
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.processes {
		switch p.Name {
		case "errand":
			c.workers += processorTime(p.pid())
		case "temporal":
			c.temporal += processorTime(p.pid())
		case "postgres":
			c.postgres += processorTime(p.pid())
			children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", p.pid(), p.pid()))
			if err != nil {
				continue
			}
			for _, child := range strings.Fields(string(children)) {
				if pid, err := strconv.Atoi(child); err == nil {
					c.postgres += processorTime(pid)
				}
			}
		}
	}
	return c
}

const tick = 10 * time.Millisecond

// processorTime is what a process used, and those of its children that have ended
// (proc(5): utime, stime, cutime, cstime).
func processorTime(pid int) time.Duration {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(raw), ") ") // its name may have spaces
	fields := strings.Fields(rest)
	if !ok || len(fields) < 15 {
		return 0
	}
	ticks := 0
	for _, f := range fields[11:15] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}

// A lockWatch counts who waits for a lock in errand's database.
type lockWatch struct {
	stop func()

	mu      sync.Mutex
	samples int
	waiting int            // in all looks together
	on      map[string]int // what was waited for
	err     error
}

func (s *stack) watchLocks(ctx context.Context) (*lockWatch, error) {
	password, err := os.ReadFile(filepath.Join(s.dir, "secrets", "postgres_password"))
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("pgx", fmt.Sprintf("postgres://errand:%s@%s:5432/errand?sslmode=disable", password, s.address("postgres", 0)))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	ctx, cancel := context.WithCancel(ctx)
	w := &lockWatch{on: map[string]int{}}
	ended := make(chan struct{})
	w.stop = func() { cancel(); <-ended; db.Close() }
	go func() {
		defer close(ended)
		for pause(ctx, 20*time.Millisecond) {
			w.sample(ctx, db)
		}
	}()
	return w, nil
}

func (w *lockWatch) sample(ctx context.Context, db *sql.DB) {
	rows, err := db.QueryContext(ctx, `SELECT wait_event || ': ' || left(regexp_replace(query, '\s+', ' ', 'g'), 100) FROM pg_stat_activity
		WHERE datname = 'errand' AND wait_event_type = 'Lock'`)
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil {
			w.err = err
		}
		return
	}
	defer rows.Close()
	w.samples++
	for rows.Next() {
		var on string
		if err := rows.Scan(&on); err != nil {
			w.err = err
			return
		}
		w.waiting++
		w.on[on]++
	}
}
