// Package prepared opens connections to SQLite that keep their prepared statements. SQLite
// then parses a statement once and not each time, which takes longer than running it.
package prepared

import (
	"context"
	"database/sql/driver"
	"strings"
)

// maxStatements is how many statements a connection keeps, those that were used last. Temporal's
// server has about a hundred, and errand's store about as many that a turn runs.
const maxStatements = 256

// longestKept is how long a kept statement may be: a list by the ids of workflows has
// these in its text, is never asked for again, and takes a hundred times what others do.
const longestKept = 8 << 10

// Options say how connections run their statements.
type Options struct {
	// Short says that each statement takes a fraction of a millisecond. It runs to its end, even
	// if its context ends: the driver has a goroutine for each statement whose context can end.
	Short bool
}

// Keep returns what opens the connections of c, and has them keep their statements.
func Keep(c driver.Connector, o Options) driver.Connector { return keeper{c, o} }

// Kept reports whether a pool's connections are those of [Keep].
func Kept(d driver.Driver) bool {
	_, ok := d.(keepingDriver)
	return ok
}

type keeper struct {
	driver.Connector
	o Options
}

func (k keeper) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keepingConn{Conn: c, o: k.o, kept: map[string]*keptStmt{}}, nil
}

// Driver is another than SQLite's, by which such connections are known.
func (k keeper) Driver() driver.Driver { return keepingDriver{k.Connector.Driver()} }

type keepingDriver struct{ driver.Driver }

// A keepingConn prepares a statement once and runs it again and again. Like any
// connection of package sql it has one user at a time.
type keepingConn struct {
	driver.Conn // SQLite's
	o           Options
	kept        map[string]*keptStmt
	uses        int64
}

type keptStmt struct {
	driver.Stmt
	busy bool  // its rows are being read
	used int64 // when it was last asked for, counted in uses
}

var (
	_ driver.ExecerContext      = (*keepingConn)(nil)
	_ driver.QueryerContext     = (*keepingConn)(nil)
	_ driver.ConnPrepareContext = (*keepingConn)(nil)
	_ driver.ConnBeginTx        = (*keepingConn)(nil)
	_ driver.Pinger             = (*keepingConn)(nil)
	_ driver.SessionResetter    = (*keepingConn)(nil)
	_ driver.Validator          = (*keepingConn)(nil)
)

func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	}
	if ctx, err = c.watched(ctx); err != nil {
		return nil, err
	}
	return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
}

func (c *keepingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	s, err := c.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	}
	if ctx, err = c.watched(ctx); err != nil {
		return nil, err
	}
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	if err != nil {
		return nil, err
	}
	s.busy = true
	return &keptRows{rows, s}, nil
}

// watched is ctx, without its end where statements are short, unless that has come.
func (c *keepingConn) watched(ctx context.Context) (context.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.o.Short {
		ctx = context.WithoutCancel(ctx)
	}
	return ctx, nil
}

// statement returns the kept statement of query; nil if it is not one to keep, or its
// rows are being read.
func (c *keepingConn) statement(ctx context.Context, query string) (*keptStmt, error) {
	c.uses++
	if s := c.kept[query]; s != nil {
		s.used = c.uses
		if s.busy {
			return nil, nil
		}
		return s, nil
	}
	if !worthKeeping(query) {
		return nil, nil
	}
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if len(c.kept) >= maxStatements {
		c.forget()
	}
	s := &keptStmt{Stmt: stmt, used: c.uses}
	c.kept[query] = s
	return s, nil
}

// worthKeeping reports whether query is a single statement that reads or writes rows.
// Of several in one text only the driver knows where each ends.
func worthKeeping(query string) bool {
	if len(query) > longestKept {
		return false
	}
	query = strings.TrimSpace(query)
	switch strings.ToUpper(query[:max(0, strings.IndexAny(query, " \t\n"))]) {
	case "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE":
		return !strings.Contains(query, ";")
	}
	return false
}

// forget closes the statement that was asked for longest ago.
func (c *keepingConn) forget() {
	oldest := ""
	for query, s := range c.kept {
		if !s.busy && (oldest == "" || s.used < c.kept[oldest].used) {
			oldest = query
		}
	}
	if oldest != "" {
		// A statement that cannot be closed is closed with the connection.
		_ = c.kept[oldest].Close()
		delete(c.kept, oldest)
	}
}

func (c *keepingConn) Close() error {
	for _, s := range c.kept {
		_ = s.Close() // SQLite closes what is left
	}
	clear(c.kept)
	return c.Conn.Close()
}

func (c *keepingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c *keepingConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}

func (c *keepingConn) Ping(ctx context.Context) error { return c.Conn.(driver.Pinger).Ping(ctx) }

func (c *keepingConn) ResetSession(ctx context.Context) error {
	return c.Conn.(driver.SessionResetter).ResetSession(ctx)
}

func (c *keepingConn) IsValid() bool { return c.Conn.(driver.Validator).IsValid() }

// keptRows give their statement back when they are closed.
type keptRows struct {
	driver.Rows
	of *keptStmt
}

func (r *keptRows) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}
