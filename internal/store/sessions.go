package store

import (
	"context"
	"fmt"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// A Session is one durable conversation.
type Session struct {
	ID      errand.SessionID  `json:"id"`
	Key     errand.SessionKey `json:"-"`
	Route   errand.Route      `json:"route"`
	Person  errand.PersonID   `json:"person"`
	Title   string            `json:"title,omitempty" description:"what its chat is called; left out where there are no words yet, and where several share it"` // see [Store.ChatTitles]; the store leaves it out
	Agent   errand.AgentName  `json:"agent"`
	State   string            `json:"state" enum:"active,suspended,ended"`
	Busy    string            `json:"busy,omitempty" description:"what becomes of messages while an agent works: collect, steer, queue or interrupt"`
	Turns   int               `json:"turns"`
	Created time.Time         `json:"created"`
	Active  time.Time         `json:"active"` // last turn or message
	Ended   time.Time         `json:"ended,omitzero"`
	Reason  string            `json:"reason,omitempty" description:"why it ended"`
	Group   bool              `json:"-"` // others read the chat
	// StickyUntil is when the session goes back to the primary agent; zero: it is
	// with it, or stays.
	StickyUntil time.Time `json:"sticky_until,omitzero" description:"when it goes back to the primary agent"`
	// Plan is what its agent meant to do when it wrote that last; nil: nothing.
	Plan *errand.Plan `json:"plan,omitempty" description:"what its agent means to do, where it keeps a list, and how far it is"`
}

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
	Private     bool // a message has told that nobody else reads the chat
	Nonce       string
	Plan        string // JSON, as of tasks
}

const sessionColumns = `id, key, channel, account, chat, thread, person, agent, state, busy, turns, created, active, ended, reason, sticky_until, proposal, in_group, private, nonce, plan`

func (r sessionRow) session() (Session, error) {
	plan, err := r.plan()
	return Session{
		ID: errand.SessionID(r.ID), Key: errand.SessionKey(r.Key), Route: r.route(), Person: errand.PersonID(r.Person),
		Agent: errand.AgentName(r.Agent), State: r.State, Busy: r.Busy, Turns: r.Turns,
		Created: at(r.Created), Active: at(r.Active), Ended: at(r.Ended), Reason: r.Reason, StickyUntil: at(r.StickyUntil), Group: r.readByOthers(),
		Plan: plan,
	}, err
}

// readByOthers reports whether others read the chat, or may: where neither its
// address nor a message has told, nothing private is shown.
func (r sessionRow) readByOthers() bool {
	return r.InGroup || !r.Private && !r.route().ShowsReaders()
}

func (r sessionRow) route() errand.Route {
	return errand.Route{Channel: r.Channel, Account: r.Account, Chat: r.Chat, Thread: r.Thread}
}

// Rehydrate returns what the session of key needs to go on, and marks it
// active. Where there is none, it makes one whose agent is primary.
func (s *Store) Rehydrate(ctx context.Context, key errand.SessionKey, primary errand.AgentName) (Rehydrated, error) {
	var r Rehydrated
	err := s.write(ctx, string(key), func(t *tx) error {
		row, found, err := current(t, key)
		if err != nil {
			return err
		}
		if found && row.State != SessionActive {
			// Maintenance may have ended it since it was read.
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
		r = Rehydrated{Session: errand.SessionID(row.ID), Agent: errand.AgentName(row.Agent), Busy: row.Busy, NextTurn: row.Turns + 1}
		return t.rehydrate(key, &r)
	})
	return r, err
}

func (t *tx) rehydrate(key errand.SessionKey, r *Rehydrated) error {
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
		if r.Results, err = t.hasUndeliveredApproval(errand.SessionOwner(r.Session)); err != nil {
			return err
		}
	}
	return t.All(&r.Open, `SELECT id FROM tasks WHERE session = ? AND depth <= 1 AND `+open+` ORDER BY created`, r.Session)
}

// current returns the session of key that is not over.
func current(q sqldb.Querier, key errand.SessionKey) (sessionRow, bool, error) {
	var row sessionRow
	found, err := q.Row(&row, `SELECT `+sessionColumns+` FROM sessions WHERE key = ? AND state <> 'ended'`, key)
	return row, found, err
}

func (t *tx) newSession(key errand.SessionKey, agent errand.AgentName, state, busy string) (sessionRow, error) {
	route, person, err := key.Parse()
	if err != nil {
		return sessionRow{}, err
	}
	row := sessionRow{
		ID: string(errand.NewSessionID()), Key: string(key), Channel: route.Channel, Account: route.Account, Chat: route.Chat,
		Thread: route.Thread, Person: string(person), Agent: string(agent), State: state, Busy: busy, Created: t.now, Active: t.now,
		Nonce: string(errand.NewNonce()),
	}
	// A chat that others read stays one, and so does one that nobody else reads.
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
	return row, t.adoptWorkspace(key, errand.SessionID(row.ID))
}

// An IdleSession is one that nobody has used for long and that is not marked as
// suspended.
type IdleSession struct {
	ID  errand.SessionID
	Key errand.SessionKey
}

// IdleSessions returns at most limit of those, by id and behind from.
func (s *Store) IdleSessions(ctx context.Context, idle time.Duration, from errand.SessionID, limit int) ([]IdleSession, error) {
	var list []IdleSession
	err := s.read(ctx).All(&list, `SELECT id, key FROM sessions WHERE state = 'active' AND active < ? AND id > ? ORDER BY id LIMIT ?`, micros(s.clock().Add(-idle)), from, limit)
	return list, err
}

// SuspendSession notes that nothing runs for the session any more.
func (s *Store) SuspendSession(ctx context.Context, id errand.SessionID) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE sessions SET state = 'suspended' WHERE id = ? AND state = 'active'`, id)
		return err
	})
}

// EndSession ends old if it is the current session of key, and begins the next
// one. If it is not, somebody else has done so, and nothing changes. Either way
// it returns the current session.
//
// A turn of old that is still open is closed. What it had taken and not told is
// undecided again, so that the next session tells it.
func (s *Store) EndSession(ctx context.Context, key errand.SessionKey, old errand.SessionID, reason string, primary errand.AgentName) (errand.SessionID, error) {
	var id errand.SessionID
	err := s.write(ctx, string(key), func(t *tx) error {
		row, found, err := current(t, key)
		if err != nil {
			return err
		}
		id = errand.SessionID(row.ID)
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
		id = errand.SessionID(next.ID)
		return err
	})
	return id, err
}

func (t *tx) endSession(id errand.SessionID, reason string) error {
	if err := t.dropBackfill(id); err != nil {
		return err
	}
	if err := t.withdraw(`owner = ?`, id); err != nil { // those of its tasks wait on
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
		if err := t.closeTurn(errand.SessionOwner(id), turn, reason); err != nil {
			return err
		}
	}
	return nil
}

// SetBusy sets what happens to messages while a turn of key's session runs.
func (s *Store) SetBusy(ctx context.Context, key errand.SessionKey, mode string) error {
	return s.write(ctx, string(key), func(t *tx) error {
		n, err := t.Exec(`UPDATE sessions SET busy = ? WHERE key = ? AND state <> 'ended'`, mode, key)
		if err == nil && n == 0 {
			err = fmt.Errorf("session of %s: %w", key, ErrNotFound)
		}
		return err
	})
}

// Session returns a session by its id, or ErrNotFound.
func (s *Store) Session(ctx context.Context, id errand.SessionID) (Session, error) {
	var row sessionRow
	found, err := s.read(ctx).Row(&row, `SELECT `+sessionColumns+` FROM sessions WHERE id = ?`, id)
	switch {
	case err != nil:
		return Session{}, err
	case !found:
		return Session{}, fmt.Errorf("session %s: %w", id, ErrNotFound)
	}
	return row.session()
}

// Current returns the session of key that is not over, or ErrNotFound.
func (s *Store) Current(ctx context.Context, key errand.SessionKey) (Session, error) {
	row, found, err := current(s.read(ctx), key)
	switch {
	case err != nil:
		return Session{}, err
	case !found:
		return Session{}, fmt.Errorf("session of %s: %w", key, ErrNotFound)
	}
	return row.session()
}

// RunningSessions returns the keys of the sessions that are active: those whose
// workflow may be running.
func (s *Store) RunningSessions(ctx context.Context) ([]errand.SessionKey, error) {
	var rows []struct{ Key string }
	if err := s.read(ctx).All(&rows, `SELECT key FROM sessions WHERE state = ?`, SessionActive); err != nil {
		return nil, err
	}
	keys := make([]errand.SessionKey, len(rows))
	for i, r := range rows {
		keys[i] = errand.SessionKey(r.Key)
	}
	return keys, nil
}
