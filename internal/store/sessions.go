package store

import (
	"context"
	"fmt"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// States of a session.
const (
	SessionActive    = "active"
	SessionSuspended = "suspended"
	SessionEnded     = "ended"
)

type sessionRow struct {
	ID      string
	Key     string
	Channel string
	Account string
	Chat    string
	Thread  string
	Person  string
	Agent   string
	State   string
	Busy    string
	Turns   int
	Created int64
	Active  int64
	Ended   int64
	Reason  string

	StickyUntil int64
	Proposal    string
	InGroup     bool
	Private     bool // a message has shown that no one else reads the chat
	Nonce       string
	Plan        string // JSON, as in tasks
}

const sessionColumns = `id, key, channel, account, chat, thread, person, agent, state, busy, turns, created, active, ended, reason, sticky_until, proposal, in_group, private, nonce, plan`

func (r sessionRow) session() (core.Session, error) {
	plan, err := r.plan()
	return core.Session{
		ID: core.SessionID(r.ID), Key: core.SessionKey(r.Key), Route: r.route(), Person: core.PersonID(r.Person),
		Agent: core.AgentName(r.Agent), State: r.State, Busy: r.Busy, Turns: r.Turns,
		Created: at(r.Created), Active: at(r.Active), Ended: at(r.Ended), Reason: r.Reason, StickyUntil: at(r.StickyUntil), Group: r.readByOthers(),
		Plan: plan,
	}, err
}

// readByOthers is true unless the address or a message has shown that only one person reads the
// chat. If it is true, errand shows nothing private.
func (r sessionRow) readByOthers() bool {
	return r.InGroup || !r.Private && !r.route().ShowsReaders()
}

func (r sessionRow) route() core.Route {
	return core.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread}
}

// Rehydrate marks the session of key as active. If there is no session, it creates one with the
// agent primary.
func (s *Store) Rehydrate(ctx context.Context, key core.SessionKey, primary core.AgentName) (Rehydrated, error) {
	var r Rehydrated
	err := s.write(ctx, string(key), func(t *tx) error {
		row, found, err := current(t, key)
		if err != nil {
			return err
		}
		if found && row.State != SessionActive {
			// Maintenance may have ended the session since it was read.
			n, err := t.Exec(`UPDATE sessions SET state = ? WHERE id = ? AND state <> 'ended'`, SessionActive, row.ID)
			if err != nil {
				return err
			}
			found = n > 0
		}
		if !found {
			if row, err = t.newSession(key, primary, SessionActive, ""); err != nil {
				return err
			}
		}
		r = Rehydrated{Session: core.SessionID(row.ID), Agent: core.AgentName(row.Agent), Busy: row.Busy, NextTurn: row.Turns + 1}
		return t.rehydrate(key, &r)
	})
	return r, err
}

func (t *tx) rehydrate(key core.SessionKey, r *Rehydrated) error {
	if _, err := t.Value(&r.OpenTurn, `SELECT turn FROM turns WHERE owner = ? AND open ORDER BY turn LIMIT 1`, r.Session); err != nil {
		return err
	}
	var one int
	var err error
	if r.Messages, err = t.Value(&one, `SELECT 1 FROM inbox WHERE session_key = ? AND turn IS NULL AND NOT superseded LIMIT 1`, key); err != nil {
		return err
	}
	if r.Results, err = t.Value(&one, `SELECT 1 FROM tasks WHERE session_key = ? AND depth <= 1 AND `+wayUndecided+` LIMIT 1`, key); err != nil {
		return err
	}
	if !r.Results {
		if r.Results, err = t.hasUndeliveredApproval(core.SessionOwner(r.Session)); err != nil {
			return err
		}
	}
	return t.All(&r.Open, `SELECT id FROM tasks WHERE session = ? AND depth <= 1 AND `+open+` ORDER BY created`, r.Session)
}

func current(q sqldb.Querier, key core.SessionKey) (sessionRow, bool, error) {
	var row sessionRow
	found, err := q.Row(&row, `SELECT `+sessionColumns+` FROM sessions WHERE key = ? AND state <> 'ended'`, key)
	return row, found, err
}

func (t *tx) newSession(key core.SessionKey, agent core.AgentName, state, busy string) (sessionRow, error) {
	route, person, err := key.Parse()
	if err != nil {
		return sessionRow{}, err
	}
	row := sessionRow{
		ID: string(core.NewSessionID()), Key: string(key), Channel: route.Channel, Account: route.Account, Chat: route.Chat,
		Thread: route.Thread, Person: string(person), Agent: string(agent), State: state, Busy: busy, Created: t.now, Active: t.now,
		Nonce: string(core.NewNonce()),
	}
	// The new session inherits what is known about the readers of the chat.
	var before struct{ InGroup, Private bool }
	if _, err := t.Row(&before, `SELECT in_group, private FROM sessions WHERE key = ? ORDER BY created DESC LIMIT 1`, key); err != nil {
		return row, err
	}
	row.InGroup, row.Private = before.InGroup, before.Private
	_, err = t.Exec(`INSERT INTO sessions (id, key, channel, account, chat, thread, person, agent, state, busy, created, active, in_group, private, nonce)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		row.ID, row.Key, row.Channel, row.Account, row.Chat, row.Thread, row.Person, row.Agent, row.State, row.Busy, row.Created, row.Active, row.InGroup, row.Private, row.Nonce)
	if err != nil {
		return row, err
	}
	return row, t.adoptWorkspace(key, core.SessionID(row.ID))
}

// An IdleSession has not been used for long and is still marked as active.
type IdleSession struct {
	ID  core.SessionID
	Key core.SessionKey
}

// IdleSessions returns at most limit sessions with ids after from, ordered by id.
func (s *Store) IdleSessions(ctx context.Context, idle time.Duration, from core.SessionID, limit int) ([]IdleSession, error) {
	var list []IdleSession
	err := s.read(ctx).All(&list, `SELECT id, key FROM sessions WHERE state = 'active' AND active < ? AND id > ? ORDER BY id LIMIT ?`, micros(s.clock().Add(-idle)), from, limit)
	return list, err
}

// SuspendSession marks a session as suspended: no workflow runs for it.
func (s *Store) SuspendSession(ctx context.Context, id core.SessionID) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE sessions SET state = 'suspended' WHERE id = ? AND state = 'active'`, id)
		return err
	})
}

// EndSession ends old if it is the current session of key, and begins the next one; otherwise
// it changes nothing. It returns the current session. It closes an open turn of old. The
// results that this turn has taken and not reported become undecided again, so that the next
// session reports them.
func (s *Store) EndSession(ctx context.Context, key core.SessionKey, old core.SessionID, reason string, primary core.AgentName) (core.SessionID, error) {
	var id core.SessionID
	err := s.write(ctx, string(key), func(t *tx) error {
		row, found, err := current(t, key)
		if err != nil {
			return err
		}
		id = core.SessionID(row.ID)
		if found && id != old {
			return nil
		}
		state := SessionActive
		if found {
			state = row.State
			if err := t.endSession(old, reason); err != nil {
				return err
			}
		}
		next, err := t.newSession(key, primary, state, row.Busy)
		id = core.SessionID(next.ID)
		if err != nil {
			return err
		}
		return t.announce(core.Event{Type: core.EventSession, Key: key, Session: id, Agent: primary})
	})
	return id, err
}

func (t *tx) endSession(id core.SessionID, reason string) error {
	if err := t.dropBackfill(id); err != nil {
		return err
	}
	if err := t.withdraw(`owner = ?`, id); err != nil { // questions of its tasks stay open
		return err
	}
	if err := t.dropApprovals(`owner = ?`, id); err != nil {
		return err
	}
	if _, err := t.Exec(`UPDATE sessions SET state = 'ended', ended = ?, reason = ? WHERE id = ?`, t.now, reason, id); err != nil {
		return err
	}
	var turns []int
	if err := t.All(&turns, `SELECT turn FROM turns WHERE owner = ? AND open`, id); err != nil {
		return err
	}
	for _, turn := range turns {
		if err := t.closeTurn(core.SessionOwner(id), turn, reason); err != nil {
			return err
		}
	}
	return nil
}

// SetBusy sets how messages are handled while a turn of key's session runs.
func (s *Store) SetBusy(ctx context.Context, key core.SessionKey, mode string) error {
	return s.write(ctx, string(key), func(t *tx) error {
		n, err := t.Exec(`UPDATE sessions SET busy = ? WHERE key = ? AND state <> 'ended'`, mode, key)
		if err == nil && n == 0 {
			err = fmt.Errorf("session of %s: %w", key, ErrNotFound)
		}
		return err
	})
}

// Session returns a session by its id, or ErrNotFound.
func (s *Store) Session(ctx context.Context, id core.SessionID) (core.Session, error) {
	var row sessionRow
	found, err := s.read(ctx).Row(&row, `SELECT `+sessionColumns+` FROM sessions WHERE id = ?`, id)
	switch {
	case err != nil:
		return core.Session{}, err
	case !found:
		return core.Session{}, fmt.Errorf("session %s: %w", id, ErrNotFound)
	}
	return row.session()
}

// Current returns the session of key that has not ended, or ErrNotFound.
func (s *Store) Current(ctx context.Context, key core.SessionKey) (core.Session, error) {
	row, found, err := current(s.read(ctx), key)
	switch {
	case err != nil:
		return core.Session{}, err
	case !found:
		return core.Session{}, fmt.Errorf("session of %s: %w", key, ErrNotFound)
	}
	return row.session()
}
