package whatsapp_test

import (
	"context"
	"database/sql"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"errand/internal/channels/whatsapp"
	"errand/internal/service"
)

// A disk fails to order: some of the statements that are run on it, one after the other.
type disk struct {
	driver sqldriver.Driver
	source string

	mu     sync.Mutex
	ran    int  // since it was ordered
	from   int  // the first that fails; 0: none does
	number int  // how many fail
	after  bool // they are carried out, and fail all the same
	armed  bool
	said   []string
}

var errDisk = errors.New("the database was killed")

func (d *disk) order(from, number int, after bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ran, d.from, d.number, d.after, d.armed, d.said = 0, from, number, after, true, nil
}

// statement carries out one, or fails.
func (d *disk) statement(what string, do func() error) error {
	d.mu.Lock()
	d.ran++
	fails := d.armed && d.ran >= d.from && d.ran < d.from+d.number
	if fails {
		d.said = append(d.said, what)
	}
	after := d.after
	d.mu.Unlock()
	if fails && !after {
		return errDisk
	}
	if err := do(); err != nil {
		return err
	}
	if fails {
		return errDisk
	}
	return nil
}

func (d *disk) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ran
}

func (d *disk) Driver() sqldriver.Driver { return d.driver }

func (d *disk) Connect(context.Context) (sqldriver.Conn, error) {
	c, err := d.driver.Open(d.source)
	return diskConn{c, d}, err
}

type diskConn struct {
	sqldriver.Conn
	d *disk
}

func (c diskConn) ExecContext(ctx context.Context, query string, args []sqldriver.NamedValue) (r sqldriver.Result, err error) {
	err = c.d.statement(query, func() error {
		r, err = c.Conn.(sqldriver.ExecerContext).ExecContext(ctx, query, args)
		return err
	})
	return r, err
}

func (c diskConn) QueryContext(ctx context.Context, query string, args []sqldriver.NamedValue) (r sqldriver.Rows, err error) {
	err = c.d.statement(query, func() error {
		r, err = c.Conn.(sqldriver.QueryerContext).QueryContext(ctx, query, args)
		return err
	})
	if errors.Is(err, errDisk) && r != nil {
		r.Close()
	}
	return r, err
}

func (c diskConn) BeginTx(ctx context.Context, o sqldriver.TxOptions) (t sqldriver.Tx, err error) {
	err = c.d.statement("BEGIN", func() error {
		t, err = c.Conn.(sqldriver.ConnBeginTx).BeginTx(ctx, o)
		return err
	})
	if errors.Is(err, errDisk) && t != nil {
		t.Rollback()
	}
	return diskTx{t, c.d}, err
}

func (c diskConn) Ping(ctx context.Context) error { return c.Conn.(sqldriver.Pinger).Ping(ctx) }
func (c diskConn) ResetSession(ctx context.Context) error {
	return c.Conn.(sqldriver.SessionResetter).ResetSession(ctx)
}
func (c diskConn) IsValid() bool { return c.Conn.(sqldriver.Validator).IsValid() }

type diskTx struct {
	sqldriver.Tx
	d *disk
}

func (t diskTx) Commit() error {
	err := t.d.statement("COMMIT", t.Tx.Commit)
	if errors.Is(err, errDisk) {
		t.Tx.Rollback() // nothing, if it was committed
	}
	return err
}

// TestStoreOfDevicesFailsAnywhere proves that no message is lost, and none is taken out of
// its order, whichever statement of the store of devices fails while messages come, and
// whether it was carried out or not.
func TestStoreOfDevicesFailsAnywhere(t *testing.T) {
	source := "file:" + filepath.Join(t.TempDir(), "whatsapp.db") + "?_pragma=foreign_keys(1)&_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)&_pragma=synchronous(0)&_txlock=immediate"
	lent, err := sql.Open("sqlite", source) // only for its driver
	if err != nil {
		t.Fatal(err)
	}
	defer lent.Close()
	d := &disk{driver: lent.Driver(), source: source}
	r := newRigUnlinked(t, service.AccessOpen)
	r.db = sql.OpenDB(d)
	r.db.SetMaxOpenConns(4)
	t.Cleanup(func() { r.db.Close() })
	if r.devices, err = whatsapp.OpenDevices(t.Context(), r.db, false); err != nil {
		t.Fatal(err)
	}
	r.link()
	r.connect()
	r.write(r.ana, r.account.JID(), "before")
	r.accepted(1)
	// Some 150 rounds of three messages each, which take a few seconds together: no round
	// needs the minute that it may wait.
	want, strangers := 0, 0
	for _, known := range []bool{true, false} { // whoever is not known yet brings keys
		for _, o := range []struct {
			number int
			after  bool
			step   int
		}{{1, false, 1}, {1, true, 1}, {8, false, 4}} {
			for from, ran := 1, 1000; from <= ran && from < 100; from += o.step {
				by := r.ana
				if !known {
					strangers++
					by = r.person(fmt.Sprint("Stranger ", strangers), fmt.Sprintf("+49301%05d", strangers))
				}
				d.order(from, o.number, o.after)
				var sent []string
				for i := range 3 {
					sent = append(sent, fmt.Sprintf("%d, %d fail from %d, known %v, carried out %v", i, o.number, from, known, o.after))
					r.write(by, r.account.JID(), sent[i])
				}
				want += len(sent)
				r.until("everything is taken", func() bool { return r.account.Waiting() == 0 })
				ran = d.count()
				var came []string
				for _, in := range r.gate.Arrivals() {
					if slices.Contains(sent, in.Text) && !slices.Contains(came, in.Text) {
						came = append(came, in.Text)
					}
				}
				if !slices.Equal(came, sent) {
					t.Fatalf("taken are %q, want %q; what failed: %q", came, sent, d.said)
				}
			}
		}
	}
	t.Logf("%d messages", want)
	if notices := r.notices(); len(notices) > 0 {
		t.Errorf("people are told %q", notices)
	}
}
