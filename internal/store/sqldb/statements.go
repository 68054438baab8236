package sqldb

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// statements keeps the prepared statements of SQLite's one writer: parsing a
// query costs more than running it. Queries are constants, or one of a few
// variants of one. On PostgreSQL pgx keeps them, for each connection.
type statements struct {
	db       *sql.DB
	postgres bool
	mu       sync.Mutex
	known    map[string]*sql.Stmt // nil: seen, not prepared yet
	missing  []string
	texts    map[string]string // of PostgreSQL, by our query
}

// get returns the statement of query, nil if there is none yet, and its text in
// the words of the database. It prepares nothing: the one connection that could
// do so is busy with the transaction that asks.
func (p *statements) get(query string) (*sql.Stmt, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.postgres {
		text, ok := p.texts[query]
		if !ok {
			text = numbered(query)
			p.texts[query] = text
		}
		return nil, text
	}
	stmt, ok := p.known[query]
	if !ok {
		p.known[query] = nil
		p.missing = append(p.missing, query)
	}
	return stmt, query
}

// prepareMissing prepares what was asked for since it was last called, for
// next time. A query that cannot be prepared has told why when it was run.
func (p *statements) prepareMissing(ctx context.Context) {
	p.mu.Lock()
	missing := p.missing
	p.missing = nil
	p.mu.Unlock()
	for _, query := range missing {
		stmt, err := p.db.PrepareContext(ctx, query)
		if err != nil {
			continue
		}
		p.mu.Lock()
		p.known[query] = stmt
		p.mu.Unlock()
	}
}

// numbered turns ? into $1, $2 …: our queries have no ? of their own.
func numbered(query string) string {
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// Limit is a LIMIT written out: with a placeholder, SQLite would parse the
// query again for every number it is given.
func Limit(n int) string { return " LIMIT " + strconv.Itoa(n) }

// firstWords names a query in an error, without its arguments.
func firstWords(query string) string {
	words := strings.Fields(query)
	if len(words) > 3 {
		words = words[:3]
	}
	return strings.ToLower(strings.Join(words, " "))
}

// Placeholders is n of them, for IN (…).
func Placeholders(n int) string { return strings.TrimSuffix(strings.Repeat("?, ", n), ", ") }

// Statements returns the queries that SQLite's writer has run: a test that asks how
// they read tables needs no list of its own. On PostgreSQL nobody keeps them.
func (d *DB) Statements() []string {
	d.stmts.mu.Lock()
	defer d.stmts.mu.Unlock()
	return slices.Sorted(maps.Keys(d.stmts.known))
}
