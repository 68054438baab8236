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

	"errand/internal/limit"
)

// Separate pools, so that reads and urgent writes never wait behind transactions that wait for
// a lock.
const (
	writeConns  = 20
	readConns   = 8
	urgentConns = 4
	stopConns   = 2 // of the urgent ones: stops may wait for keys, leases never do
)

// WaitingConns is how many connections write transactions with a key use at the same time, see
// [DB.Write].
const WaitingConns = 16

// params are settings of a connection to PostgreSQL. Settings in the URL take precedence.
type params map[string]string

// timeLimits let PostgreSQL end the transactions of a frozen or disconnected process.
var timeLimits = params{
	"idle_in_transaction_session_timeout": "10s",
	"lock_timeout":                        "5s",
	"statement_timeout":                   "60s",
	// A host without power does not close its connections. These settings detect that within 25
	// s instead of two hours.
	"tcp_keepalives_idle":     "10",
	"tcp_keepalives_interval": "5",
	"tcp_keepalives_count":    "3",
	"tcp_user_timeout":        "20s",
}

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

// unlimited is for changes of the schema, which may take long and wait for locks.
var unlimited = timeLimits.with(params{"idle_in_transaction_session_timeout": "", "lock_timeout": "", "statement_timeout": ""})

func (d *DB) openPostgreSQL() error {
	d.postgres = true
	d.name = "PostgreSQL"
	if _, err := url.Parse(d.opened.PostgreSQL); err != nil {
		return errors.New("the address of the PostgreSQL database is not a URL") // err has the password
	}
	config, err := pgx.ParseConfig(d.opened.PostgreSQL)
	if err != nil {
		return errors.New("the address of the PostgreSQL database cannot be read: check its host, port, sslmode and the rest") // as above
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
	d.turns, d.places = limit.NewSemaphore[string](1), limit.NewSemaphore[string](WaitingConns)
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

// extraPostgreSQL sets no limit for statements, because other components' migrations may take long.
func (d *DB) extraPostgreSQL() (*sql.DB, error) {
	config, err := pgx.ParseConfig(d.opened.PostgreSQL)
	if err != nil {
		return nil, errors.New("the address of the PostgreSQL database cannot be read")
	}
	return poolOf(config, timeLimits.with(params{"statement_timeout": "", "idle_in_transaction_session_timeout": "60s"})), nil
}

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

// pingPostgreSQL writes no row, because a process that freezes during a write would lock a
// shared row.
func (d *DB) pingPostgreSQL(ctx context.Context) error {
	var xid int64
	var readOnly string
	// A server in recovery assigns no transaction ids.
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
