package store

import (
	"context"
	"time"

	"errand"
	"errand/internal/events"
)

// Attempts are what is known of the attempts at the model call of a step.
type Attempts struct {
	Number int           // of the one that begins now, from 1
	Tried  time.Duration // by the ones before, with the pauses between them
	// Uncounted is how many of the ones before ended without anybody booking what
	// they cost: their worker died.
	Uncounted int
}

// A FailedAttempt is an attempt at a step's model call that brought no answer.
type FailedAttempt struct {
	Step    *StepInput
	Usage   []errand.Usage // what it cost all the same
	Tried   time.Duration  // for how long the model was tried, with the pause before the next attempt
	Trouble string         // why; the card of the step's task shows it
}

// CountAttempt books what an attempt cost and notes how long it took. The
// reservation stays: the next attempt is made under it. It fails with a
// *BudgetError where a budget has not enough left for one. It counts again if it
// is repeated, so it is called once.
func (s *Store) CountAttempt(ctx context.Context, f FailedAttempt) error {
	var refused error
	b := f.Step
	err := s.write(ctx, b.conversation(), func(t *tx) error {
		refused = nil
		_, err := t.Exec(`UPDATE reservations SET counted = counted + 1, tried = tried + ? WHERE owner = ? AND turn = ? AND step = ?`,
			f.Tried.Microseconds(), b.Key.Owner, b.Key.Turn, b.Key.Step)
		if err != nil {
			return err
		}
		refused, err = t.bookLoss(b, f.Usage)
		if err != nil || b.Task == nil || f.Trouble == "" {
			return err
		}
		t.changed(b.Task.Origin.Person, events.Tasks)
		_, err = t.Exec(`UPDATE tasks SET trouble = ? WHERE id = ? AND `+open, f.Trouble, b.Task.ID)
		return err
	})
	if err == nil {
		err = refused
	}
	return err
}

// ReturnAttempt takes back an attempt that made no model call: it is not one of
// [Attempts]. If it was the first, nothing is reserved for the step any more. Like
// [Store.CountAttempt], it is called once.
func (s *Store) ReturnAttempt(ctx context.Context, b *StepInput) error {
	return s.write(ctx, b.conversation(), func(t *tx) error {
		const step = `owner = ? AND turn = ? AND step = ?`
		_, err := t.Exec(`UPDATE reservations SET attempts = attempts - 1 WHERE `+step, b.Key.Owner, b.Key.Turn, b.Key.Step)
		if err != nil {
			return err
		}
		return t.release(step+` AND attempts = 0`, b.Key.Owner, b.Key.Turn, b.Key.Step)
	})
}

// CountUncounted books what attempts cost that nobody has counted: their worker
// died in the middle of them. It fails as [Store.CountAttempt] does.
func (s *Store) CountUncounted(ctx context.Context, b *StepInput, usage []errand.Usage) error {
	var refused error
	err := s.write(ctx, b.conversation(), func(t *tx) error {
		refused = nil
		// Once: a reservation that has counted them meanwhile is left alone.
		n, err := t.Exec(`UPDATE reservations SET counted = attempts - 1 WHERE owner = ? AND turn = ? AND step = ? AND counted < attempts - 1`,
			b.Key.Owner, b.Key.Turn, b.Key.Step)
		if err != nil || n == 0 {
			return err
		}
		refused, err = t.bookLoss(b, usage)
		return err
	})
	if err == nil {
		err = refused
	}
	return err
}

// bookLoss adds what was spent without an outcome to the budgets of a step and
// records it; refused says which of them has no room for another attempt.
func (t *tx) bookLoss(b *StepInput, usage []errand.Usage) (refused, err error) {
	if len(usage) == 0 {
		return nil, nil
	}
	spent := total(usage)
	keys := budgetKeys(b.Root, b.Person, at(t.now))
	changes := make([]budgetRow, len(keys))
	for i, key := range keys {
		changes[i] = budgetRow{Key: key, Calls: spent.Calls, Tokens: spent.Tokens, Cost: spent.Cost, Cached: spent.Cached}
	}
	rows, err := t.book(changes)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if e := t.s.limits.exceeded(row, b.Root); e != nil && refused == nil {
			refused = e
		}
	}
	return refused, t.record(b, usage)
}

func (t *tx) record(b *StepInput, usage []errand.Usage) error {
	for _, u := range usage {
		_, err := t.Exec(`INSERT INTO usage (owner, turn, step, session, person, agent, model, provider,
			input_tokens, cached_tokens, written_tokens, estimated_tokens, output_tokens, cost, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, b.Key.Owner, b.Key.Turn, b.Key.Step, b.Session, b.Person, b.Agent,
			u.Model, u.Provider, u.InputTokens, u.CachedTokens, u.WrittenTokens, u.EstimatedTokens, u.OutputTokens, u.Cost, t.now)
		if err != nil {
			return err
		}
	}
	if b.Task == nil || len(usage) == 0 {
		return nil
	}
	t.changed(b.Task.Origin.Person, events.Tasks)
	spent := total(usage)
	_, err := t.Exec(`UPDATE tasks SET model_calls = model_calls + ?, tokens = tokens + ?, cached_tokens = cached_tokens + ?, cost = cost + ?, trouble = '' WHERE id = ?`,
		spent.Calls, spent.Tokens, spent.Cached, spent.Cost, b.Task.ID)
	return err
}

// conversation is what transactions of a step lock.
func (b *StepInput) conversation() string {
	if b.SessionKey == "" {
		return b.Root
	}
	return string(b.SessionKey)
}
