package store

import (
	"context"
	"strings"
	"time"

	"errand"
)

// A Connection is who holds the live connection of one of our accounts, and how
// it is.
type Connection struct {
	errand.Account
	Owner string // who holds it; empty: nobody does, or whoever did is gone
	ConnectionNote
}

// A ConnectionNote is what the owner of a connection says of it.
type ConnectionNote struct {
	State  errand.ConnectionState
	Detail string
	Advice string
	Link   string // a secret for as long as it is valid
	Since  time.Time
	// Handles are by what messages mention the account; empty: as they were.
	Handles []string
}

// Lease takes or extends the lease of an account's connection, or of a [Duty], for owner
// from now on. It returns how long the lease lasts: ttl or less, and zero while another has it.
func (s *Store) Lease(ctx context.Context, a errand.Account, owner string, ttl time.Duration) (lasts time.Duration, err error) {
	if a.Channel == dutyChannel {
		return s.leaseDuty(ctx, a, owner, ttl)
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

func (t *tx) lease(a errand.Account, owner string, ttl time.Duration) (lasts time.Duration, err error) {
	n, err := t.Exec(`INSERT INTO connections AS c (channel, account, owner, held_until, since) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (channel, account) DO UPDATE SET owner = excluded.owner, held_until = excluded.held_until,
			state = CASE WHEN c.owner = excluded.owner THEN c.state ELSE ? END,
			detail = CASE WHEN c.owner = excluded.owner THEN c.detail ELSE '' END,
			advice = CASE WHEN c.owner = excluded.owner THEN c.advice ELSE '' END,
			link = CASE WHEN c.owner = excluded.owner THEN c.link ELSE '' END,
			since = CASE WHEN c.owner = excluded.owner THEN c.since ELSE excluded.since END
		WHERE c.owner = excluded.owner OR c.owner = '' OR c.held_until <= ?`,
		a.Channel, a.Name, owner, t.now+ttl.Microseconds(), t.now, errand.Connecting, t.now)
	if n == 0 {
		ttl = 0
	}
	return ttl, err
}

const unheld = `owner = '', held_until = 0, state = '` + string(errand.Connecting) + `', detail = '', advice = '', link = ''`

// ReleaseLease gives the lease of an account's connection or of a [Duty] back, if owner has it.
func (s *Store) ReleaseLease(ctx context.Context, a errand.Account, owner string) error {
	return s.writeUrgent(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE connections SET `+unheld+`, since = ? WHERE channel = ? AND account = ? AND owner = ?`, t.now, a.Channel, a.Name, owner)
		return err
	})
}

// NoteConnection keeps how a connection is. It is false, and nothing is kept, if
// owner does not hold it.
func (s *Store) NoteConnection(ctx context.Context, a errand.Account, owner string, n ConnectionNote) (bool, error) {
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

// ForgetConnection forgets an account that nobody has held the connection of for
// so long; which bot it was, too. It is false, and nothing is forgotten, if
// somebody has: a worker may know an account that another does not.
func (s *Store) ForgetConnection(ctx context.Context, a errand.Account, unheld time.Duration) (bool, error) {
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
	State     errand.ConnectionState
	Detail    string
	Advice    string
	Link      string
	Since     int64
}

const connectionColumns = `channel, account, owner, held_until, state, detail, advice, link, since`

// connection is what a row says now. What a gone owner said last is not how the
// connection is.
func (r connectionRow) connection(now int64) Connection {
	c := Connection{Account: errand.Account{Channel: r.Channel, Name: r.Account}}
	if r.Owner == "" || r.HeldUntil <= now {
		c.State, c.Since = errand.Connecting, at(max(r.Since, r.HeldUntil))
		return c
	}
	c.Owner = r.Owner
	c.ConnectionNote = ConnectionNote{State: r.State, Detail: r.Detail, Advice: r.Advice, Link: r.Link, Since: at(r.Since)}
	return c
}

// Connections lists how the connections are, by channel and account.
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

// Connection tells how the connection of one account is; false if it never was
// held.
func (s *Store) Connection(ctx context.Context, a errand.Account) (Connection, bool, error) {
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

// Bots returns which bot each of our accounts was last, by the platform's id.
func (s *Store) Bots(ctx context.Context) (map[errand.Account]string, error) {
	var rows []struct{ Key, Value string }
	if err := s.read(ctx).All(&rows, `SELECT key, value FROM meta WHERE key LIKE ?`, botKey+"%"); err != nil {
		return nil, err
	}
	bots := make(map[errand.Account]string, len(rows))
	for _, r := range rows {
		channel, name, _ := strings.Cut(strings.TrimPrefix(r.Key, botKey), "/")
		bots[errand.Account{Channel: channel, Name: name}] = r.Value
	}
	return bots, nil
}

// NoteBot keeps which bot an account is.
func (s *Store) NoteBot(ctx context.Context, a errand.Account, id string) error {
	return s.write(ctx, "", func(t *tx) error { return t.putMeta(botKey+a.String(), id) })
}

func (t *tx) putMeta(key, value string) error {
	_, err := t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, key, value)
	return err
}

const handlesKey = "handles/"

// Handles returns which of our accounts on a channel is mentioned by what: an id, a
// number or a name, in lower case.
func (s *Store) Handles(ctx context.Context, channel string) (map[string]errand.Account, error) {
	var rows []struct{ Key, Value string }
	if err := s.read(ctx).All(&rows, `SELECT key, value FROM meta WHERE key LIKE ?`, handlesKey+channel+"/%"); err != nil {
		return nil, err
	}
	handles := map[string]errand.Account{}
	for _, r := range rows {
		channel, name, _ := strings.Cut(strings.TrimPrefix(r.Key, handlesKey), "/")
		for _, h := range strings.Fields(r.Value) {
			handles[strings.ToLower(h)] = errand.Account{Channel: channel, Name: name}
		}
	}
	return handles, nil
}
