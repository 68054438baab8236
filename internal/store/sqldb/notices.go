package sqldb

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// MaxNotice is the maximum size of a notice in bytes.
const MaxNotice = 7999

const connectWithin = 15 * time.Second

// Notices are transient messages between the processes of one PostgreSQL database. They use
// LISTEN and NOTIFY on one channel.
type Notices struct {
	d       *DB
	channel string
}

// Notices returns the notices of a channel. Its name has at most 63 bytes. Every schema of a
// database uses the same channel.
func (d *DB) Notices(channel string) *Notices { return &Notices{d, channel} }

// Listen calls receive with every notice, also from this process, until ctx ends or the connection
// is lost, and returns the reason. It calls listening once; notices sent after that are received.
func (n *Notices) Listen(ctx context.Context, listening func(), receive func(string)) error {
	config, err := pgx.ParseConfig(n.d.opened.PostgreSQL)
	if err != nil {
		return errors.New("the address of the PostgreSQL database cannot be read")
	}
	connecting, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	conn, err := pgx.ConnectConfig(connecting, limited(config, timeLimits))
	if err != nil {
		return n.d.Explain(err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = conn.Close(closing) // the connection is idle
	}()
	if _, err := conn.Exec(connecting, "LISTEN "+pgx.Identifier{n.channel}.Sanitize()); err != nil {
		return n.d.Explain(err)
	}
	listening()
	for {
		notice, err := conn.WaitForNotification(ctx)
		if err != nil {
			return n.d.Explain(err)
		}
		receive(notice.Payload)
	}
}

// Notify sends notices in order, all of them or none. PostgreSQL delivers identical notices once.
//
// It is never part of a transaction that writes: PostgreSQL commits transactions with notices one
// at a time in the whole server, each with its flush to the disk. Notify has nothing to flush.
func (n *Notices) Notify(ctx context.Context, notices []string) error {
	const query = `SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notice`
	n.d.opened.Trace(query)
	_, err := n.d.reader.ExecContext(ctx, query, n.channel, notices)
	return n.d.Explain(err)
}
