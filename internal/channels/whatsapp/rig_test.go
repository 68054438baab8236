package whatsapp_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mau.fi/whatsmeow/types"

	"errand"
	"errand/internal/agents"
	"errand/internal/channels"
	"errand/internal/channels/whatsapp"
	"errand/internal/dispatch/dispatchtest"
	"errand/internal/intake"
	"errand/internal/intake/intaketest"
	"errand/internal/service"
	platform "errand/internal/sim/whatsapp"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// A receiver is an intake that can be made to fail, and keeps what came.
type receiver struct {
	to intaketest.House

	mu     sync.Mutex
	panics map[string]int // so many times, before it receives what says that
	fails  map[string]int // the same, with an error
	fail   error          // instead of receiving
	// refuses is a text that is never taken.
	refuses string
	after   func() // once, when a message has been received
	came    []intake.Inbound
	got     []intake.Outcome
}

func (g *receiver) Receive(ctx context.Context, in intake.Inbound) (intake.Outcome, error) {
	g.mu.Lock()
	fail, trip := g.fail, g.panics[in.Text] > 0
	if trip {
		g.panics[in.Text]--
	}
	if g.fails[in.Text] > 0 {
		g.fails[in.Text]--
		fail = errors.New("no database takes that")
	}
	if in.Text != "" && in.Text == g.refuses {
		fail = &service.Error{Code: "too_fast"}
	}
	g.mu.Unlock()
	if trip {
		panic("a nil pointer")
	}
	if fail != nil {
		return intake.Outcome{}, fail
	}
	out, err := g.to.Receive(ctx, in)
	if err != nil && !errors.As(err, new(*service.Error)) {
		return out, err // it comes again
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.came, g.got = append(g.came, in), append(g.got, out)
	if g.after != nil {
		g.after()
		g.after = nil
	}
	return out, err
}

func (g *receiver) set(fail error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.fail = fail
}

func (g *receiver) arrivals() []intake.Inbound {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.came)
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}

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
	store   *store.Store
	gate    *receiver
	log     lockedBuffer
	options func(*whatsapp.Options)

	mu     sync.Mutex
	states []channels.Status
	stop   func()
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
	if r.store, err = store.Open(t.Context(), store.Options{SQLite: storetest.File(t)}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.store.Close() })
	primary, list := agents.Default()
	roster, err := agents.New(primary, list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	deps := intaketest.Deps{Deps: service.Deps{Dispatch: dispatchtest.New(t, nil, r.store), Store: r.store, Roster: roster, Logger: slog.New(slog.DiscardHandler),
		Access: map[string]service.Access{"whatsapp": {Mode: access, Allow: []string{"+49 171 1234567"}}}}}
	for _, change := range with {
		change(&deps)
	}
	g := intaketest.New(t, deps)
	r.gate = &receiver{to: g, panics: map[string]int{}, fails: map[string]int{}}
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
		Logger: slog.New(slog.NewTextHandler(&r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Pause:  time.Millisecond, LongestPause: 20 * time.Millisecond, Truce: 50 * time.Millisecond, Patience: 200 * time.Millisecond,
		CauseWait: time.Millisecond, // where only a break is met; else causeMatters
		Changed: func(s channels.Status) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.states = append(r.states, s)
		}}
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

// until waits for a condition that follows from what comes in or happens.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	deadline := time.After(time.Minute)
	for !cond() {
		select {
		case <-r.server.Changed():
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			r.t.Fatalf("it never comes to this: %s\ncame: %+v\nstates: %+v\nlog: %s", what, r.gate.arrivals(), r.seen(), r.log.String())
		}
	}
}

func (r *rig) seen() []channels.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.states)
}

// accepted waits until WhatsApp has nothing more for us, and n messages came.
func (r *rig) accepted(n int) []intake.Inbound {
	r.t.Helper()
	r.until(fmt.Sprint(n, " messages came, and none waits"), func() bool { return len(r.gate.arrivals()) >= n && r.account.Waiting() == 0 })
	return r.gate.arrivals()
}

func (r *rig) write(p *platform.Person, to types.JID, text string) string {
	r.t.Helper()
	id, err := p.Write(r.t.Context(), to, text)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func (r *rig) inbox(chat string, person errand.PersonID) []string {
	r.t.Helper()
	route := errand.Route{Channel: "whatsapp", Account: "main", Chat: chat}
	events, err := r.store.Events(r.t.Context(), errand.NewSessionKey(route, person), 0, 1000)
	if err != nil {
		r.t.Fatal(err)
	}
	var texts []string
	for _, e := range events {
		if e.Type == errand.EventMessage {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

const anasChat = "491711234567@s.whatsapp.net"
