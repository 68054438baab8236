package store

import (
	"context"
	"strings"
	"time"

	"errand/internal/core"
)

// A Connection is the live connection of an account: its state and its owner.
type Connection struct {
	core.Account
	Owner string // the worker that holds it; empty: none
	ConnectionNote
}

// A ConnectionNote is the state of a connection as its owner reports it.
type ConnectionNote struct {
	State  core.ConnectionState
	Detail string
	Advice string
	Link   string // a secret for as long as it is valid
	Since  time.Time
	// Handles are the names by which messages mention the account; empty: unchanged.
	Handles []string
}

// Lease takes or extends the lease of an account's connection, or of a [Duty], for owner. It
// returns how long the lease lasts from now: ttl or less, and zero while another owner has it.
func (s *Store) Lease(ctx context.Context, a core.Account, owner string, ttl time.Duration) (lasts time.Duration, err error) {
	if a.Channel == dutyChannel {
		return leaseDuty(ctx, s, a, owner, ttl)
	}
	err = s.writeUrgent(ctx, "", func(t *tx) error {
		lasts, err = 0, t.byServerClock()
		if err == nil {
			lasts, err = t.lease(a, owner, ttl)
		}
		return err
	})
	if err != nil {
		lasts = 0
	}
	return lasts, err
}

func (t *tx) lease(a core.Account, owner string, ttl time.Duration) (lasts time.Duration, err error) {
	n, err := t.Exec(`INSERT INTO connections AS c (channel, account, owner, held_until, since) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (channel, account) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until,
			state = CASE WHEN c.owner = excluded.owner THEN c.state ELSE ? END,
			detail = CASE WHEN c.owner = excluded.owner THEN c.detail ELSE '' END,
			advice = CASE WHEN c.owner = excluded.owner THEN c.advice ELSE '' END,
			link = CASE WHEN c.owner = excluded.owner THEN c.link ELSE '' END,
			since = CASE WHEN c.owner = excluded.owner THEN c.since ELSE excluded.since END
		WHERE c.owner = excluded.owner OR c.owner = '' OR c.held_until <= ?`,
		a.Channel, a.Name, owner, t.now+ttl.Microseconds(), t.now, core.Connecting, t.now)
	if n == 0 {
		ttl = 0
	}
	return ttl, err
}

const unheld = `owner = '', held_until = 0, state = '` + string(core.Connecting) + `', detail = '', advice = '', link = ''`

// ReleaseLease releases the lease of an account's connection or of a [Duty], if owner has it.
func (s *Store) ReleaseLease(ctx context.Context, a core.Account, owner string) error {
	return s.writeUrgent(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE connections SET `+unheld+`, since = ? WHERE channel = ? AND account = ? AND owner = ?`, t.now, a.Channel, a.Name, owner)
		return err
	})
}

// NoteConnection stores the state of a connection. It returns false and stores nothing if owner
// does not hold the connection.
func (s *Store) NoteConnection(ctx context.Context, a core.Account, owner string, n ConnectionNote) (bool, error) {
	kept := false
	err := s.writeUrgent(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		rows, err := t.Exec(`UPDATE connections SET state = ?, detail = ?, advice = ?, link = ?, since = ?
			WHERE channel = ? AND account = ? AND owner = ? AND held_until > ?`,
			n.State, n.Detail, n.Advice, n.Link, micros(n.Since), a.Channel, a.Name, owner, t.now)
		if kept = rows > 0; err != nil || !kept || len(n.Handles) == 0 {
			return err
		}
		return t.putMeta(handlesKey+a.String(), strings.Join(n.Handles, " "))
	})
	return kept && err == nil, err
}

// ForgetConnection deletes an account, with its bot's id, if no worker has held its connection
// for the duration unheld. Otherwise it returns false and deletes nothing: a worker may know an
// account that another worker does not.
func (s *Store) ForgetConnection(ctx context.Context, a core.Account, unheld time.Duration) (bool, error) {
	forgotten := false
	err := s.writeUrgent(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		since := t.now - unheld.Microseconds()
		rows, err := t.Exec(`DELETE FROM connections WHERE channel = ? AND account = ?
			AND (owner = '' OR held_until <= ?) AND held_until <= ? AND since <= ?`, a.Channel, a.Name, t.now, since, since)
		if forgotten = rows > 0; err != nil || !forgotten {
			return err
		}
		_, err = t.Exec(`DELETE FROM meta WHERE key IN (?, ?)`, botKey+a.String(), handlesKey+a.String())
		return err
	})
	return forgotten && err == nil, err
}

type connectionRow struct {
	Channel   string
	Account   string
	Owner     string
	HeldUntil int64
	State     core.ConnectionState
	Detail    string
	Advice    string
	Link      string
	Since     int64
}

const connectionColumns = `channel, account, owner, held_until, state, detail, advice, link, since`

// connection ignores the last state if the lease of its owner has ended.
func (r connectionRow) connection(now int64) Connection {
	c := Connection{Account: core.Account{Channel: r.Channel, Name: r.Account}}
	if r.Owner == "" || r.HeldUntil <= now {
		c.State, c.Since = core.Connecting, at(max(r.Since, r.HeldUntil))
		return c
	}
	c.Owner = r.Owner
	c.ConnectionNote = ConnectionNote{State: r.State, Detail: r.Detail, Advice: r.Advice, Link: r.Link, Since: at(r.Since)}
	return c
}

// Connections returns all connections, ordered by channel and account.
func (s *Store) Connections(ctx context.Context) ([]Connection, error) {
	var rows []connectionRow
	if err := s.read(ctx).All(&rows, `SELECT `+connectionColumns+` FROM connections WHERE channel <> ? ORDER BY channel, account`, dutyChannel); err != nil {
		return nil, err
	}
	now, err := s.serverNow(s.read(ctx))
	if err != nil {
		return nil, err
	}
	list := make([]Connection, len(rows))
	for i, r := range rows {
		list[i] = r.connection(now)
	}
	return list, nil
}

// Connection returns the connection of one account; false if no worker ever held it.
func (s *Store) Connection(ctx context.Context, a core.Account) (Connection, bool, error) {
	var row connectionRow
	found, err := s.read(ctx).Row(&row, `SELECT `+connectionColumns+` FROM connections WHERE channel = ? AND account = ?`, a.Channel, a.Name)
	if err != nil || !found {
		return Connection{}, false, err
	}
	now, err := s.serverNow(s.read(ctx))
	if err != nil {
		return Connection{}, false, err
	}
	return row.connection(now), true, nil
}

const botKey = "bot/"

// Bots returns the platform's id of the bot that each account was last connected as.
func (s *Store) Bots(ctx context.Context) (map[core.Account]string, error) {
	var rows []struct{ Key, Value string }
	if err := s.read(ctx).All(&rows, `SELECT key, value FROM meta WHERE key LIKE ?`, botKey+"%"); err != nil {
		return nil, err
	}
	bots := make(map[core.Account]string, len(rows))
	for _, r := range rows {
		channel, name, _ := strings.Cut(strings.TrimPrefix(r.Key, botKey), "/")
		bots[core.Account{Channel: channel, Name: name}] = r.Value
	}
	return bots, nil
}

// NoteBot stores the platform's id of an account's bot.
func (s *Store) NoteBot(ctx context.Context, a core.Account, id string) error {
	return s.write(ctx, "", func(t *tx) error { return t.putMeta(botKey+a.String(), id) })
}

func (t *tx) putMeta(key, value string) error {
	_, err := t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}

const handlesKey = "handles/"

// Handles returns the accounts on a channel by the handles that mention them. A handle is an
// id, a number or a name, in lower case.
func (s *Store) Handles(ctx context.Context, channel string) (map[string]core.Account, error) {
	var rows []struct{ Key, Value string }
	if err := s.read(ctx).All(&rows, `SELECT key, value FROM meta WHERE key LIKE ?`, handlesKey+channel+"/%"); err != nil {
		return nil, err
	}
	handles := map[string]core.Account{}
	for _, r := range rows {
		channel, name, _ := strings.Cut(strings.TrimPrefix(r.Key, handlesKey), "/")
		for _, h := range strings.Fields(r.Value) {
			handles[strings.ToLower(h)] = core.Account{Channel: channel, Name: name}
		}
	}
	return handles, nil
}
