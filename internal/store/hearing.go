package store

import (
	"context"
	"fmt"

	"errand"
)

// A Hearing is what writing down the voice notes of one message may cost, reserved
// as a model call is.
type Hearing struct {
	Usage []errand.Usage // of the calls that were answered

	key   errand.SessionKey
	begun *Begun // as far as a budget needs it
}

// BeginHearing reserves what it may cost to write down m for a step: once for
// every attempt. It fails as [Store.BeginStep] does while the installation is
// paused, after the turn or the session has ended, and with a *[BudgetError]
// where a budget has not that much left.
func (s *Store) BeginHearing(ctx context.Context, step errand.StepKey, key errand.SessionKey, m Spoken, amount Amount) (*Hearing, error) {
	// Steps are above 0, rows too: a message has a reservation of its own.
	own := errand.StepKey{Owner: step.Owner, Turn: step.Turn, Step: -int(m.Row)}
	h := &Hearing{key: key, begun: &Begun{Key: own, Person: m.Person}}
	var refused error
	err := s.write(ctx, string(key), func(t *tx) (err error) {
		if err := t.mayHear(h.begun, step); err != nil {
			return err
		}
		_, refused, err = t.reserve(own, h.begun.Root, m.Person, amount)
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// mayHear refuses to begin a hearing where a step may not begin, and finds out to
// what it counts.
func (t *tx) mayHear(b *Begun, step errand.StepKey) error {
	if paused, err := paused(t); err != nil || paused {
		if err == nil {
			err = ErrPaused
		}
		return err
	}
	turn, found, err := turnOf(t, step.Owner, step.Turn)
	switch {
	case err != nil:
		return err
	case found && !turn.Open:
		return fmt.Errorf("turn %d of %s: %w", step.Turn, step.Owner, ErrClosed)
	}
	b.Root = turnKey(step.Owner, step.Turn)
	if found {
		b.Root = turn.Root
	}
	var session struct{ ID, Agent, State string }
	if _, err := t.row(&session, `SELECT id, agent, state FROM sessions WHERE id = ?`, step.Owner); err != nil {
		return err
	}
	if session.State == SessionEnded {
		return fmt.Errorf("session %s: %w", session.ID, ErrEnded)
	}
	b.Session, b.Agent = errand.SessionID(session.ID), errand.AgentName(session.Agent)
	return nil
}

// EndHearing settles a hearing that came to nothing: what was paid is recorded,
// and the rest given back.
func (s *Store) EndHearing(ctx context.Context, h *Hearing) error {
	return s.write(ctx, string(h.key), func(t *tx) error { return t.endHearing(h) })
}

func (t *tx) endHearing(h *Hearing) error {
	if h == nil {
		return nil
	}
	return t.settle(h.begun, h.Usage)
}
