package store

import (
	"context"
	"fmt"
	"time"

	"errand/internal/core"
	"errand/internal/events"
)

// Attempts describe the attempts at a step's model call.
type Attempts struct {
	Number int           // of the attempt that begins now, from 1
	Tried  time.Duration // time of the earlier attempts, with the pauses between them
	// Uncounted is how many earlier attempts were not booked, because their worker died.
	Uncounted int
}

// A FailedAttempt is an attempt at a step's model call that brought no answer.
type FailedAttempt struct {
	Step    *StepInput
	Usage   []core.Usage  // its cost
	Tried   time.Duration // how long the model was tried, with the pause before the next attempt
	Trouble string        // the cause, shown on the card of the step's task
	Notice  string        // what the person who waits reads, once after each message; empty: nothing
}

// CountAttempt books the cost and the time of a failed attempt, and queues its notice. The
// reservation stays for the next attempt. It fails with a *BudgetError if a budget has too little left for another one.
// Each call counts.
func (s *Store) CountAttempt(ctx context.Context, f FailedAttempt) error {
	var refused error
	b := f.Step
	err := s.write(ctx, b.conversation(), func(t *tx) error {
		refused = nil
		n, err := t.Exec(`UPDATE reservations SET counted = counted + 1, tried = tried + ? WHERE owner = ? AND turn = ? AND step = ? AND attempts = ?`,
			f.Tried.Microseconds(), b.Key.Owner, b.Key.Turn, b.Key.Step, b.Attempts.Number)
		if err != nil {
			return err
		}
		if refused, err = t.bookLoss(b, f.Usage); err != nil {
			return err
		}
		if n > 0 && refused == nil && f.Notice != "" {
			if err := t.noticeDown(b, f.Notice); err != nil {
				return err
			}
		}
		if b.Task == nil || f.Trouble == "" {
			return nil
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

// noticeDown queues one notice after each message of a conversation, however many steps and
// sub-agents fail.
func (t *tx) noticeDown(b *StepInput, text string) error {
	var message int64
	_, err := t.Value(&message, `SELECT id FROM events WHERE session_key = ? AND type = ? AND cause = '' ORDER BY id DESC LIMIT 1`, b.SessionKey, core.EventMessage)
	if err != nil {
		return err
	}
	n := core.Notification{Key: fmt.Sprintf("model-down:%s:%d", b.SessionKey, message), Route: b.Route, Session: b.SessionKey, Agent: b.Agent, Event: core.EventNotice, Text: text}
	var known int
	if found, err := t.Value(&known, `SELECT 1 FROM outbox WHERE key = ?`, n.Key); err != nil || found {
		return err
	}
	if _, err := t.enqueue(n, b.Key.Owner, b.Key.Turn); err != nil {
		return err
	}
	e := core.Event{Type: n.Event, Key: b.SessionKey, Session: b.Session, Agent: b.Agent, Text: text, Cause: core.ModelDown}
	if b.Task != nil {
		e.Task = b.Task.ID
	}
	return t.announce(e) // without the number of the turn, because the turn goes on
}

// ReturnAttempt takes back the last attempt, which made no model call. If it was the only one, it
// releases the reservation.
func (s *Store) ReturnAttempt(ctx context.Context, b *StepInput) error {
	return s.write(ctx, b.conversation(), func(t *tx) error {
		const step = `owner = ? AND turn = ? AND step = ?`
		_, err := t.Exec(`UPDATE reservations SET attempts = attempts - 1 WHERE `+step+` AND attempts = ?`,
			b.Key.Owner, b.Key.Turn, b.Key.Step, b.Attempts.Number)
		if err != nil {
			return err
		}
		return t.release(step+` AND attempts = 0`, b.Key.Owner, b.Key.Turn, b.Key.Step)
	})
}

// CountUncounted books attempts whose worker died, once. It fails as [Store.CountAttempt] does.
func (s *Store) CountUncounted(ctx context.Context, b *StepInput, usage []core.Usage) error {
	var refused error
	err := s.write(ctx, b.conversation(), func(t *tx) error {
		refused = nil
		// If another call has counted them meanwhile, do nothing.
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

// bookLoss books a cost without an outcome. refused is not nil if a budget has no room for
// another attempt.
func (t *tx) bookLoss(b *StepInput, usage []core.Usage) (refused, err error) {
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

func (t *tx) record(b *StepInput, usage []core.Usage) error {
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

func (b *StepInput) conversation() string {
	if b.SessionKey == "" {
		return b.Root
	}
	return string(b.SessionKey)
}
