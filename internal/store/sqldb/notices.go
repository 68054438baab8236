package sqldb

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
)

// MaxNotice is how many bytes a notice can have.
const MaxNotice = 7999

const connectWithin = 15 * time.Second

// Notices are what processes that use one PostgreSQL database tell each other in
// passing: LISTEN and NOTIFY on one channel. PostgreSQL keeps none of them for those who
// do not listen.
type Notices struct {
	d       *DB
	channel string
}

// Notices returns those of a channel, whose name is no longer than 63 bytes. The
// channels of all schemas of a database are the same.
func (d *DB) Notices(channel string) *Notices { return &Notices{d, channel} }

// Listen calls receive with every notice, this process's own too, until ctx ends or its
// connection is lost, and returns why. The connection is Listen's own. listening is
// called once: what is sent after that is received.
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
		_ = conn.Close(closing) // nothing is under way on it
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

// Notify sends notices, in order, all of them or none. Two that are alike arrive as one.
//
// It is never part of a transaction that writes: PostgreSQL lets transactions with
// notices commit one at a time in the whole server, each with its flush to the disk.
// This one has nothing to flush.
func (n *Notices) Notify(ctx context.Context, notices []string) error {
	const query = `SELECT pg_notify($1, notice) FROM unnest($2::text[]) AS notice`
	n.d.opened.Trace(query)
	_, err := n.d.reader.ExecContext(ctx, query, n.channel, notices)
	return n.d.Explain(err)
}
