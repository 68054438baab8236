package store

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// budgetKeys returns the budgets that a model call counts towards, sorted, because every
// transaction has to lock them in the same order. No budget is shared by all people: all steps
// would wait for each other. What the installation has spent is the sum of usage.
func budgetKeys(root string, person core.PersonID, now time.Time) []string {
	keys := []string{root}
	if person != "" {
		keys = append(keys, dayKey(person, now))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

func dayKey(person core.PersonID, now time.Time) string {
	return "person:" + string(person) + ":" + now.UTC().Format(time.DateOnly)
}

type budgetRow struct {
	Key            string
	Calls          int
	Tokens         int
	Cost           float64
	Cached         int
	ReservedCalls  int
	ReservedTokens int
	ReservedCost   float64
}

func (r *budgetRow) reserve(a Amount, sign int) {
	r.ReservedCalls += sign * a.Calls
	r.ReservedTokens += sign * a.Tokens
	r.ReservedCost += float64(sign) * a.Cost
}

func (t *tx) book(changes []budgetRow) ([]budgetRow, error) {
	if len(changes) == 0 {
		return nil, nil
	}
	values := strings.TrimSuffix(strings.Repeat(`(?, ?, ?, ?, ?, ?, ?, ?), `, len(changes)), ", ")
	args := make([]any, 0, 8*len(changes))
	for _, c := range changes {
		args = append(args, c.Key, c.Calls, c.Tokens, c.Cost, c.Cached, c.ReservedCalls, c.ReservedTokens, c.ReservedCost)
	}
	var rows []budgetRow
	err := t.All(&rows, `INSERT INTO budgets (key, calls, tokens, cost, cached, reserved_calls, reserved_tokens, reserved_cost)
		VALUES `+values+` ON CONFLICT (key) DO UPDATE SET
			calls = budgets.calls + excluded.calls,
			tokens = budgets.tokens + excluded.tokens,
			cost = budgets.cost + excluded.cost,
			cached = budgets.cached + excluded.cached,
			reserved_calls = budgets.reserved_calls + excluded.reserved_calls,
			reserved_tokens = budgets.reserved_tokens + excluded.reserved_tokens,
			reserved_cost = budgets.reserved_cost + excluded.reserved_cost
		RETURNING key, calls, tokens, cost, cached, reserved_calls, reserved_tokens, reserved_cost`, args...)
	return rows, err
}

// reserve reserves amount for a step, only once per key. refused is not nil if a budget has too
// little left.
func (t *tx) reserve(key core.StepKey, root string, person core.PersonID, amount Amount) (attempts Attempts, refused, err error) {
	keys := budgetKeys(root, person, at(t.now))
	list, err := json.Marshal(keys)
	if err != nil {
		return attempts, nil, err
	}
	var row struct {
		Attempts, Counted int
		Tried             int64
	}
	_, err = t.Row(&row, `INSERT INTO reservations (owner, turn, step, keys, calls, tokens, cost, attempts, worker) VALUES (?, ?, ?, ?, ?, ?, ?, 1, ?)
		ON CONFLICT (owner, turn, step) DO UPDATE SET attempts = reservations.attempts + 1, worker = excluded.worker RETURNING attempts, counted, tried`,
		key.Owner, key.Turn, key.Step, string(list), amount.Calls, amount.Tokens, amount.Cost, workerOf(t.s))
	attempts = Attempts{Number: row.Attempts, Tried: time.Duration(row.Tried) * time.Microsecond, Uncounted: row.Attempts - 1 - row.Counted}
	if err != nil || row.Attempts > 1 {
		return attempts, nil, err
	}
	changes := make([]budgetRow, len(keys))
	for i, key := range keys {
		changes[i].Key = key
		changes[i].reserve(amount, 1)
	}
	rows, err := t.book(changes)
	if err != nil {
		return attempts, nil, err
	}
	for _, row := range rows {
		if refused := t.s.limits.exceeded(row, root); refused != nil {
			return attempts, refused, t.release(`owner = ? AND turn = ? AND step = ?`, key.Owner, key.Turn, key.Step)
		}
	}
	return attempts, nil, nil
}

func (l Limits) exceeded(r budgetRow, root string) error {
	name, limit := "", Amount{}
	switch {
	case r.Key == root:
		name, limit = "turn", l.Turn
	case strings.HasPrefix(r.Key, "person:"):
		name, limit = "person_day", l.PersonDay
	}
	switch {
	case limit.Calls > 0 && r.Calls+r.ReservedCalls > limit.Calls:
		return &BudgetError{name, "calls", float64(limit.Calls)}
	case limit.Tokens > 0 && r.Tokens+r.ReservedTokens > limit.Tokens:
		return &BudgetError{name, "tokens", float64(limit.Tokens)}
	case limit.Cost > 0 && r.Cost+r.ReservedCost > limit.Cost:
		return &BudgetError{name, "cost", limit.Cost}
	}
	return nil
}

type reservationRow struct {
	Keys   string
	Calls  int
	Tokens int
	Cost   float64
}

func (t *tx) unreserve(where string, args ...any) (map[string]*budgetRow, error) {
	var rows []reservationRow
	if err := t.All(&rows, `DELETE FROM reservations WHERE `+where+` RETURNING keys, calls, tokens, cost`, args...); err != nil {
		return nil, err
	}
	changes := map[string]*budgetRow{}
	for _, r := range rows {
		var keys []string
		if err := json.Unmarshal([]byte(r.Keys), &keys); err != nil {
			return nil, err
		}
		for _, key := range keys {
			if changes[key] == nil {
				changes[key] = &budgetRow{Key: key}
			}
			changes[key].reserve(Amount{Calls: r.Calls, Tokens: r.Tokens, Cost: r.Cost}, -1)
		}
	}
	return changes, nil
}

func (t *tx) release(where string, args ...any) error {
	changes, err := t.unreserve(where, args...)
	if err != nil {
		return err
	}
	_, err = t.book(sorted(changes))
	return err
}

func sorted(changes map[string]*budgetRow) []budgetRow {
	rows := make([]budgetRow, 0, len(changes))
	for _, c := range changes {
		rows = append(rows, *c)
	}
	slices.SortFunc(rows, func(a, b budgetRow) int { return strings.Compare(a.Key, b.Key) })
	return rows
}

// settle replaces the reservation of a step, if it still has one, with what its calls cost.
func (t *tx) settle(b *StepInput, usage []core.Usage) error {
	spent := total(usage)
	changes, err := t.unreserve(`owner = ? AND turn = ? AND step = ?`, b.Key.Owner, b.Key.Turn, b.Key.Step)
	if err != nil {
		return err
	}
	if len(changes) == 0 {
		if spent == (Amount{}) {
			return nil
		}
		for _, key := range budgetKeys(b.Root, b.Person, at(t.now)) {
			changes[key] = &budgetRow{Key: key}
		}
	}
	for _, c := range changes {
		c.Calls, c.Tokens, c.Cost, c.Cached = spent.Calls, spent.Tokens, spent.Cost, spent.Cached
	}
	if _, err := t.book(sorted(changes)); err != nil {
		return err
	}
	return t.record(b, usage)
}

func total(usage []core.Usage) Amount {
	a := Amount{Calls: len(usage)}
	for _, u := range usage {
		a.Tokens += u.InputTokens + u.OutputTokens
		a.Cached += u.CachedTokens
		a.Cost += u.Cost
	}
	return a
}

// Pause pauses the installation: no model call begins until [Store.Resume].
func (s *Store) Pause(ctx context.Context, by core.PersonID) error {
	return s.writeUrgent(ctx, "", func(t *tx) error {
		_, err := t.Exec(`INSERT INTO meta (key, value) VALUES ('paused', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, by)
		if err != nil {
			return err
		}
		return t.audit(core.DeedPause, did{kind: "installation"})
	})
}

// Resume ends a pause. Without a pause it does nothing.
func (s *Store) Resume(ctx context.Context) error {
	return s.writeUrgent(ctx, "", func(t *tx) error {
		n, err := t.Exec(`DELETE FROM meta WHERE key = 'paused'`)
		if err != nil || n == 0 {
			return err
		}
		return t.audit(core.DeedResume, did{kind: "installation"})
	})
}

// Paused reports whether the installation is paused.
func (s *Store) Paused(ctx context.Context) (bool, error) { return paused(s.read(ctx)) }

func paused(q sqldb.Querier) (bool, error) {
	var by string
	return q.Value(&by, `SELECT value FROM meta WHERE key = 'paused'`)
}

// SpentBy selects what [Store.Spent] counts: exactly one field is set.
type SpentBy struct {
	Root    string         // a tree of tasks
	Session core.SessionID // a session with all its tasks
	Person  core.PersonID  // a person, since midnight UTC
}

// Spent returns what has been used so far.
func (s *Store) Spent(ctx context.Context, by SpentBy) (a Amount, err error) {
	q := s.read(ctx)
	if by.Session != "" {
		_, err = q.Row(&a, `SELECT COUNT(*) AS calls, CAST(COALESCE(SUM(input_tokens + output_tokens), 0) AS BIGINT) AS tokens,
			CAST(COALESCE(SUM(cached_tokens), 0) AS BIGINT) AS cached, COALESCE(SUM(cost), 0.0) AS cost FROM usage WHERE session = ?`, by.Session)
		return a, err
	}
	key := by.Root
	if by.Person != "" {
		key = dayKey(by.Person, s.clock())
	}
	_, err = q.Row(&a, `SELECT calls, tokens, cost, cached FROM budgets WHERE key = ?`, key)
	return a, err
}

// Limits returns the limits that the store was opened with.
func (s *Store) Limits() Limits { return s.limits }
