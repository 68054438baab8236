package whatsapp_test

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"errand/internal/channels"
	"errand/internal/channels/whatsapp"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/test/channeltest"
	"errand/internal/test/intaketest"
	platform "errand/internal/test/sim/whatsapp"
)

// A rig is a channel with an intake on a store of its own before it, and the
// platform behind it. The stores and the platform outlive the channel.
type rig struct {
	t       *testing.T
	server  *platform.Server
	account *platform.Account
	ana     *platform.Person
	devices *whatsapp.Devices
	db      *sql.DB // of the devices
	clients whatsapp.Clients
	gate    *channeltest.Errand
	options func(*whatsapp.Options)
	stop    func()
}

func openDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)&_pragma=synchronous(0)&_txlock=immediate")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(4)
	t.Cleanup(func() { db.Close() })
	return db
}

func newRig(t *testing.T, access service.AccessMode, with ...func(*intaketest.Deps)) *rig {
	t.Helper()
	r := newRigUnlinked(t, access, with...)
	r.link()
	return r
}

func newRigUnlinked(t *testing.T, access service.AccessMode, with ...func(*intaketest.Deps)) *rig {
	t.Helper()
	r := &rig{t: t}
	var err error
	if r.server, err = platform.New(platform.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.server.Close() })
	if r.account, err = r.server.AddAccount("Errand", "+4930100"); err != nil {
		t.Fatal(err)
	}
	r.ana = r.person("Ana", "+491711234567")
	r.db = openDB(t, filepath.Join(t.TempDir(), "whatsapp.db"))
	if r.devices, err = whatsapp.OpenDevices(t.Context(), r.db, false); err != nil {
		t.Fatal(err)
	}
	allow := func(d *intaketest.Deps) {
		d.Access = map[string]service.Access{"whatsapp": {Mode: access, Allow: []string{"+49 171 1234567"}}}
	}
	r.gate = channeltest.New(t, "whatsapp", access, append([]func(*intaketest.Deps){allow}, with...)...)
	return r
}

func (r *rig) rows(table string) (n int) {
	r.t.Helper()
	if err := r.db.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}

func (r *rig) person(name, number string) *platform.Person {
	r.t.Helper()
	p, err := r.server.AddPerson(name, number)
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// link links the account, as if its phone had scanned the QR code.
func (r *rig) link() {
	r.t.Helper()
	dev, err := r.devices.Device(r.t.Context(), "main")
	if err != nil {
		r.t.Fatal(err)
	}
	if err := r.account.Link(r.t.Context(), dev); err != nil {
		r.t.Fatal(err)
	}
	if err := r.devices.Link(r.t.Context(), "main", *dev.ID); err != nil {
		r.t.Fatal(err)
	}
}

// start runs a channel, as a process does; r.stop ends it.
func (r *rig) start() *whatsapp.Channel {
	r.t.Helper()
	o := whatsapp.Options{Account: "main", Devices: r.devices, Receiver: r.gate, Clients: &r.clients, Prepare: r.server.Configure,
		Logger: r.gate.Logger(),
		Pause:  time.Millisecond, LongestPause: 20 * time.Millisecond, Truce: 50 * time.Millisecond, Patience: 200 * time.Millisecond,
		CauseWait: time.Millisecond, // where only a break is met; else causeMatters
		Changed:   r.gate.Changed}
	if r.options != nil {
		r.options(&o)
	}
	c, err := whatsapp.New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan struct{})
	r.stop = func() { cancel(); <-done }
	go func() { defer close(done); c.Run(ctx) }()
	r.t.Cleanup(r.stop)
	return c
}

// causeMatters has a channel wait for the cause of an end as long as it does outside
// of tests.
func causeMatters(o *whatsapp.Options) { o.CauseWait = 0 }

// connect runs a channel and waits until it is connected.
func (r *rig) connect() *whatsapp.Channel {
	r.t.Helper()
	c := r.start()
	r.until("it is connected", func() bool { return c.Status().State == channels.Connected })
	return c
}

func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	r.gate.Until(what, cond)
}

// accepted waits until WhatsApp has nothing more for us, and n messages came.
func (r *rig) accepted(n int) []intake.Inbound {
	r.t.Helper()
	r.until(fmt.Sprint(n, " messages came, and none waits"), func() bool { return len(r.gate.Arrivals()) >= n && r.account.Waiting() == 0 })
	return r.gate.Arrivals()
}

func (r *rig) write(p *platform.Person, to types.JID, text string) string {
	r.t.Helper()
	id, err := p.Write(r.t.Context(), to, text)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func (r *rig) inbox(chat string, person core.PersonID) []string {
	r.t.Helper()
	route := core.Route{Channel: "whatsapp", Account: "main", Chat: chat}
	events, err := r.gate.Store.Events(r.t.Context(), core.NewSessionKey(route, person), 0, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	var texts []string
	for _, e := range events {
		if e.Type == core.EventMessage {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

const anasChat = "491711234567@s.whatsapp.net"
