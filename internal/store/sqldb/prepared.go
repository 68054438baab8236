package sqldb

import (
	"context"
	"database/sql/driver"
	"strings"
)

// maxStatements is how many statements a connection keeps. Temporal's server uses about a
// hundred, and a turn of errand about as many.
const maxStatements = 256

// longestKept is the length of the longest statement that is kept, in bytes. Longer statements,
// such as lists of workflow ids, do not repeat, and cost a hundred times the memory of others.
const longestKept = 8 << 10

// StatementOptions configure how connections run statements.
type StatementOptions struct {
	// Short means that each statement takes a fraction of a millisecond. Then statements ignore
	// the end of their context, because the driver needs a goroutine for each statement that
	// can be canceled.
	Short bool
}

// Keep returns a connector with c's connections that keep their prepared statements.
func Keep(c driver.Connector, o StatementOptions) driver.Connector { return keeper{c, o} }

// Kept reports whether d is the driver of connections made by [Keep].
func Kept(d driver.Driver) bool {
	_, ok := d.(keepingDriver)
	return ok
}

type keeper struct {
	driver.Connector
	o StatementOptions
}

func (k keeper) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keepingConn{Conn: c, o: k.o, kept: map[string]*keptStmt{}}, nil
}

// Driver returns a driver of its own type, which [Kept] recognizes.
func (k keeper) Driver() driver.Driver { return keepingDriver{k.Connector.Driver()} }

type keepingDriver struct{ driver.Driver }

// A keepingConn prepares each statement once. Like any connection of package sql it has one
// user at a time.
type keepingConn struct {
	driver.Conn // SQLite's
	o           StatementOptions
	kept        map[string]*keptStmt
	uses        int64
}

type keptStmt struct {
	driver.Stmt
	busy bool  // its rows are being read
	used int64 // the value of uses at its last use
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

// watched returns ctx. If statements are short, ctx can no longer be canceled, unless it has
// ended already.
func (c *keepingConn) watched(ctx context.Context) (context.Context, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.o.Short {
		ctx = context.WithoutCancel(ctx)
	}
	return ctx, nil
}

// statement returns nil for a query that is not kept, or whose rows are being read.
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

// worthKeeping refuses texts with several statements, because only the driver knows where each
// ends.
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

func (c *keepingConn) forget() {
	oldest := ""
	for query, s := range c.kept {
		if !s.busy && (oldest == "" || s.used < c.kept[oldest].used) {
			oldest = query
		}
	}
	if oldest != "" {
		// If it cannot be closed, it is closed with the connection.
		_ = c.kept[oldest].Close()
		delete(c.kept, oldest)
	}
}

func (c *keepingConn) Close() error {
	for _, s := range c.kept {
		_ = s.Close() // closing the connection closes the rest
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

type keptRows struct {
	driver.Rows
	of *keptStmt
}

func (r *keptRows) Close() error {
	r.of.busy = false
	return r.Rows.Close()
}
