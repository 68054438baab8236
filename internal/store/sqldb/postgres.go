package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib" // driver "pgx", too
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"
)

// How many connections a process has to PostgreSQL. What reads never waits for what
// waits for a lock, and neither does what is urgent.
const (
	writeConns  = 20
	readConns   = 8
	urgentConns = 4
	stopConns   = 2 // of the urgent ones: stops wait for keys, leases never do
)

// WaitingConns is how many of the connections that write transactions with a key use
// at once, see [DB.Write].
const WaitingConns = 16

// params are settings of a connection to PostgreSQL. An address may set any of
// them itself, and is right then.
type params map[string]string

// timeLimits end, by PostgreSQL itself, what a process can hold up that is frozen or
// lost its network: nothing that such a process still has can be undone by it.
var timeLimits = params{
	"idle_in_transaction_session_timeout": "10s",
	"lock_timeout":                        "5s",
	"statement_timeout":                   "60s",
	// A host that lost its power says nothing: these find out, within 25 s
	// instead of two hours.
	"tcp_keepalives_idle":     "10",
	"tcp_keepalives_interval": "5",
	"tcp_keepalives_count":    "3",
	"tcp_user_timeout":        "20s",
}

// with returns p, changed by other; an empty value is left out.
func (p params) with(other params) params {
	out := params{}
	for _, from := range []params{p, other} {
		for name, value := range from {
			if out[name] = value; value == "" {
				delete(out, name)
			}
		}
	}
	return out
}

// unlimited are the limits of what may take long and wait: a change of the schema.
var unlimited = timeLimits.with(params{"idle_in_transaction_session_timeout": "", "lock_timeout": "", "statement_timeout": ""})

func (d *DB) openPostgreSQL() error {
	d.postgres = true
	d.name = "PostgreSQL"
	if _, err := url.Parse(d.opened.PostgreSQL); err != nil {
		return errors.New("the address of the PostgreSQL database is not a URL") // err would show its password
	}
	config, err := pgx.ParseConfig(d.opened.PostgreSQL)
	if err != nil {
		return errors.New("the address of the PostgreSQL database cannot be read: check its host, port, sslmode and the rest") // likewise
	}
	d.name = "PostgreSQL database " + cmp.Or(config.Database, config.User) + " at " + net.JoinHostPort(config.Host, strconv.Itoa(int(config.Port)))
	pool := func(p params, conns int) *sql.DB {
		db := poolOf(config, p)
		db.SetMaxOpenConns(conns)
		db.SetMaxIdleConns(conns)
		return db
	}
	d.writer = pool(timeLimits, writeConns)
	d.reader = pool(timeLimits, readConns)
	d.urgent = pool(timeLimits.with(params{"statement_timeout": "8s"}), urgentConns)
	d.rows = bun.NewDB(d.reader, pgdialect.New())
	d.keys = queues{at: map[string]*queue{}, places: make(chan struct{}, WaitingConns)}
	d.stops = make(chan struct{}, stopConns)
	return nil
}

func poolOf(config *pgx.ConnConfig, p params) *sql.DB { return stdlib.OpenDB(*limited(config, p)) }

func limited(config *pgx.ConnConfig, p params) *pgx.ConnConfig {
	config = config.Copy()
	config.DialFunc = (&net.Dialer{
		Timeout:         10 * time.Second,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3},
		Control:         func(_, _ string, c syscall.RawConn) error { return limitUnacknowledged(c, 20*time.Second) },
	}).DialContext
	for name, value := range p {
		if config.RuntimeParams[name] == "" {
			config.RuntimeParams[name] = value
		}
	}
	return config
}

// extraPostgreSQL opens another pool on the database, for what others keep there. Their
// migrations may take as long as they do.
func (d *DB) extraPostgreSQL() (*sql.DB, error) {
	config, err := pgx.ParseConfig(d.opened.PostgreSQL)
	if err != nil {
		return nil, errors.New("the address of the PostgreSQL database cannot be read")
	}
	return poolOf(config, timeLimits.with(params{"statement_timeout": "", "idle_in_transaction_session_timeout": "60s"})), nil
}

// schemaDB opens the database for what changes its schema, which may wait for
// others and take as long as it does.
func (d *DB) schemaDB() (*sql.DB, func() error, error) {
	if !d.postgres {
		return d.writer, func() error { return nil }, nil
	}
	config, err := pgx.ParseConfig(d.opened.PostgreSQL)
	if err != nil {
		return nil, nil, errors.New("the address of the PostgreSQL database cannot be read")
	}
	db := poolOf(config, unlimited)
	return db, db.Close, nil
}

// pingPostgreSQL finds out whether PostgreSQL takes writes, and writes no row:
// one that everybody writes would be held by whoever is frozen while writing it.
func (d *DB) pingPostgreSQL(ctx context.Context) error {
	var xid int64
	var readOnly string
	// A server in recovery gives out no transaction ids.
	row := d.urgent.QueryRowContext(ctx, `SELECT txid_current(), current_setting('transaction_read_only')`)
	if err := row.Scan(&xid, &readOnly); err != nil {
		return d.Explain(err)
	}
	if readOnly == "on" {
		return d.Explain(errors.New("it takes no writes: it is read-only"))
	}
	return nil
}

func serverTime(q Querier) (time.Time, error) {
	var us int64
	if _, err := q.Value(&us, `SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)`); err != nil {
		return time.Time{}, fmt.Errorf("read the database's clock: %w", err)
	}
	return time.UnixMicro(us), nil
}
