package whatsapp

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"

	"go.mau.fi/whatsmeow/store"
	"go.mau.fi/whatsmeow/store/sqlstore"
	"go.mau.fi/whatsmeow/types"
)

// Devices stores the keys of all linked devices and what whatsmeow has learned about people. Anyone
// who can read it can read the account's messages and write as the account. In addition to
// whatsmeow's tables it has three of its own: the device of each account, the permanent name of
// each direct chat, and pending requests for codes. It is safe for concurrent use.
type Devices struct {
	db        *sql.DB
	postgres  bool
	container *sqlstore.Container

	mu    sync.Mutex
	chats map[string]string // name by address
}

// A chat keeps its name when another address of the person becomes known, because sessions and the
// order of deliveries depend on it.
const ourTables = `
CREATE TABLE IF NOT EXISTS errand_whatsapp_accounts (account TEXT PRIMARY KEY, device TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS errand_whatsapp_chats (address TEXT PRIMARY KEY, chat TEXT NOT NULL);`

const ownVersion = `
CREATE TABLE IF NOT EXISTS whatsmeow_version (version INTEGER, compat INTEGER)`

// OpenDevices creates missing tables. db is SQLite with foreign keys on, or PostgreSQL. The caller
// closes it.
func OpenDevices(ctx context.Context, db *sql.DB, postgres bool) (*Devices, error) {
	dialect := "sqlite3"
	if postgres {
		dialect = "postgres"
	}
	d := &Devices{db: db, postgres: postgres, container: sqlstore.NewWithDB(db, dialect, nil), chats: map[string]string{}}
	if err := d.prepare(ctx); err != nil {
		return nil, fmt.Errorf("prepare the store of WhatsApp's devices: %w", err)
	}
	return d, nil
}

// prepare upgrades the tables, one worker at a time.
func (d *Devices) prepare(ctx context.Context) error {
	if d.postgres {
		conn, err := d.db.Conn(ctx)
		if err != nil {
			return err
		}
		defer conn.Close()
		const lock = `hashtextextended(current_schema()||'/whatsapp', 0)` // one lock per schema
		if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock(`+lock+`)`); err != nil {
			return err
		}
		defer conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock(`+lock+`)`)
		// The library looks for its version table in all schemas, and would find that of another
		// installation. So create it in this schema first.
		if _, err := d.db.ExecContext(ctx, ownVersion); err != nil {
			return err
		}
	}
	if err := d.container.Upgrade(ctx); err != nil {
		return err
	}
	_, err := d.db.ExecContext(ctx, ourTables+codesTable)
	return err
}

// LIDs maps between the two addresses of a person.
func (d *Devices) LIDs() LIDs { return d.container.LIDMap }

// Device returns the device of an account. If the device has no ID, no phone has linked it yet.
func (d *Devices) Device(ctx context.Context, account string) (*store.Device, error) {
	jid, err := d.linked(ctx, account)
	if err != nil {
		return nil, err
	}
	if !jid.IsEmpty() {
		dev, err := d.container.GetDevice(ctx, jid)
		if dev != nil || err != nil {
			return dev, err
		}
	}
	return d.container.NewDevice(), nil
}

func (d *Devices) linked(ctx context.Context, account string) (types.JID, error) {
	var jid types.JID
	err := d.db.QueryRowContext(ctx, d.sql(`SELECT device FROM errand_whatsapp_accounts WHERE account = $1`), account).Scan(&jid)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return jid, fmt.Errorf("which device is account %q: %w", account, err)
	}
	return jid, nil
}

// Link assigns a device to an account. It may be called before whatsmeow saves the device. Until
// then the account counts as not linked.
func (d *Devices) Link(ctx context.Context, account string, device types.JID) error {
	other, err := d.accountOf(ctx, device)
	if err != nil {
		return err
	}
	if other != "" && other != account {
		return fmt.Errorf("this number is already that of the account %q", other)
	}
	_, err = d.db.ExecContext(ctx, d.sql(`INSERT INTO errand_whatsapp_accounts (account, device) VALUES ($1, $2)
		ON CONFLICT (account) DO UPDATE SET device = excluded.device`), account, device)
	if err != nil {
		return fmt.Errorf("note the device of account %q: %w", account, err)
	}
	return nil
}

func (d *Devices) accountOf(ctx context.Context, number types.JID) (string, error) {
	rows, err := d.db.QueryContext(ctx, `SELECT a.account, a.device FROM errand_whatsapp_accounts a JOIN whatsmeow_device d ON d.jid = a.device ORDER BY a.account`)
	if err != nil {
		return "", fmt.Errorf("which numbers are linked: %w", err)
	}
	defer rows.Close()
	found := ""
	for rows.Next() {
		var account string
		var jid types.JID
		if err := rows.Scan(&account, &jid); err != nil {
			return "", err
		}
		if jid.User == number.User && found == "" {
			found = account
		}
	}
	return found, rows.Err()
}

// Unlink removes the device of an account.
func (d *Devices) Unlink(ctx context.Context, account string) error {
	jid, err := d.linked(ctx, account)
	if err != nil || jid.IsEmpty() {
		return err
	}
	if err := d.container.DeleteDevice(ctx, &store.Device{ID: &jid}); err != nil {
		return fmt.Errorf("forget the device of account %q: %w", account, err)
	}
	_, err = d.db.ExecContext(ctx, d.sql(`DELETE FROM errand_whatsapp_accounts WHERE account = $1`), account)
	return err
}

// Chat returns the name of the direct chat with a person. The name never changes, regardless of
// which of their addresses becomes known first.
func (d *Devices) Chat(ctx context.Context, p Person) (string, error) {
	ids := p.IDs()
	if len(ids) == 0 {
		return "", errors.New("nobody has no chat")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	chat, missing := "", 0
	for _, id := range ids {
		switch known := d.chats[id]; {
		case known == "" || chat != "" && known != chat:
			missing++
		default:
			chat = known
		}
	}
	if missing == 0 {
		return chat, nil
	}
	return d.nameChat(ctx, p, ids)
}

// nameChat prefers the phone number if two chats turn out to be with the same person.
func (d *Devices) nameChat(ctx context.Context, p Person, ids []string) (string, error) {
	chat := ""
	for _, id := range ids {
		var known string
		err := d.db.QueryRowContext(ctx, d.sql(`SELECT chat FROM errand_whatsapp_chats WHERE address = $1`), id).Scan(&known)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return "", fmt.Errorf("look up a chat: %w", err)
		}
		if known != "" {
			chat = known
			break
		}
	}
	if chat == "" {
		chat = p.Chat()
	}
	for _, id := range ids {
		if _, err := d.db.ExecContext(ctx, d.sql(`INSERT INTO errand_whatsapp_chats (address, chat) VALUES ($1, $2)
			ON CONFLICT (address) DO UPDATE SET chat = excluded.chat`), id, chat); err != nil {
			return "", fmt.Errorf("note a chat: %w", err)
		}
	}
	for _, id := range ids {
		d.chats[id] = chat
	}
	return chat, nil
}

// sql adapts placeholders to SQLite, where $1 would be a named parameter.
func (d *Devices) sql(statement string) string {
	if d.postgres {
		return statement
	}
	return strings.ReplaceAll(statement, "$", "?")
}
