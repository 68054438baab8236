package whatsapp

import (
	"context"
	"database/sql"
	"fmt"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/store/sqlstore"
	_ "modernc.org/sqlite" // the stores of people's clients
)

// Configure makes a client talk to this server. Call it before Connect.
func (s *Server) Configure(cli *whatsmeow.Client) { s.redirect(cli) }

// phoneHeader marks the requests of people's phones: orders to misbehave are
// mostly for the others.
const phoneHeader = "X-Phone"

// OpenStore opens a store of a whatsmeow client in a SQLite file, as tests and
// people's clients need it. It does not survive a crash of the machine.
func OpenStore(ctx context.Context, path string) (*sqlstore.Container, error) {
	// Immediate: a transaction that reads first and then writes would otherwise
	// fail at once when another one has written in between.
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(20000)&_pragma=journal_mode(WAL)&_pragma=synchronous(0)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(4)
	c := sqlstore.NewWithDB(db, "sqlite3", nil)
	if err := c.Upgrade(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("prepare the store of a client: %w", err)
	}
	return c, nil
}
