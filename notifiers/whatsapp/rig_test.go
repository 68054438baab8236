package whatsapp_test

import (
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"errand/internal/channels"
	channel "errand/internal/channels/whatsapp"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/notifiertest"
	platform "errand/internal/test/sim/whatsapp"
	"errand/notifiers"
	"errand/notifiers/whatsapp"
)

type everything struct{}

func (everything) Receive(context.Context, intake.Inbound) (intake.Outcome, error) {
	return intake.Outcome{}, nil
}

// A rig is a notifier over a live connection, and the platform behind it, with
// Ana on it.
type rig struct {
	*whatsapp.Notifier
	t       *testing.T
	server  *platform.Server
	account *platform.Account
	ana     *platform.Person
	clients channel.Clients
	devices *channel.Devices
	path    string // of their file
	pause   time.Duration
	channel *channel.Channel
	stop    func()                       // the connection
	kept    map[string]core.Notification // by the id of the message
}

// newRig has no limits: those have tests of their own.
func newRig(t *testing.T) *rig {
	t.Helper()
	return rigWith(t, whatsapp.Options{Timeout: 10 * time.Second, Patience: 10 * time.Second, Rates: whatsapp.Rates{Chat: 1, All: 1}}, time.Millisecond)
}

func rigWith(t *testing.T, o whatsapp.Options, pause time.Duration) *rig {
	t.Helper()
	r := &rig{t: t}
	r.server = must(platform.New(platform.Options{}))(t)
	t.Cleanup(func() { r.server.Close() })
	r.account = must(r.server.AddAccount("Errand", "+4930100"))(t)
	r.ana = must(r.server.AddPerson("Ana", "+491711234567"))(t)
	r.path = filepath.Join(t.TempDir(), "whatsapp.db")
	db := must(sql.Open("sqlite", "file:"+r.path+"?_pragma=foreign_keys(1)&_pragma=busy_timeout(20000)&_pragma=journal_mode(wal)&_pragma=synchronous(0)&_txlock=immediate"))(t)
	t.Cleanup(func() { db.Close() })
	r.devices, r.pause, r.kept = must(channel.OpenDevices(t.Context(), db, false))(t), pause, map[string]core.Notification{}
	dev := must(r.devices.Device(t.Context(), "main"))(t)
	if err := errors.Join(r.account.Link(t.Context(), dev), r.devices.Link(t.Context(), "main", *dev.ID)); err != nil {
		t.Fatal(err)
	}
	o.Client = r.clients.Client
	r.Notifier = must(whatsapp.New(o))(t)
	r.start()
	return r
}

// start connects, as a process does that begins; r.stop ends it.
func (r *rig) start() {
	r.t.Helper()
	r.channel = must(channel.New(channel.Options{Account: "main", Devices: r.devices, Receiver: everything{}, Clients: &r.clients, Prepare: r.server.Configure,
		Logger: slog.New(slog.DiscardHandler), Pause: r.pause, LongestPause: r.pause, CauseWait: 50 * time.Millisecond,
		FindSent: r.Notifier.Rebuild(func(_ context.Context, id string, chats ...string) (core.Notification, bool) {
			n, ok := r.kept[id]
			return n, ok && slices.Contains(chats, n.Route.Chat)
		})}))(r.t)
	ctx, cancel := context.WithCancel(r.t.Context())
	done, c := make(chan struct{}), r.channel
	go func() { defer close(done); c.Run(ctx) }()
	r.stop = func() { cancel(); <-done }
	r.t.Cleanup(r.stop)
	r.connected()
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func (r *rig) connected() {
	r.t.Helper()
	r.until("it is connected", func() bool { return r.channel.Status().State == channels.Connected })
}

func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	deadline := time.After(time.Minute)
	for !cond() {
		select {
		case <-r.server.Changed():
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			r.t.Fatalf("it never comes to this: %s; Ana sees %+v", what, r.lines())
		}
	}
}

func (r *rig) lines() []platform.Line { return r.ana.Hears(r.account.JID()) }

// reads waits until Ana has read so much of us.
func (r *rig) reads(want ...string) []platform.Line {
	r.t.Helper()
	r.until("Ana reads it", func() bool { return len(r.lines()) >= len(want) })
	lines := r.lines()
	for i, l := range lines {
		if i >= len(want) || l.Text != want[i] || l.Repeated != 0 && i == len(want) {
			r.t.Fatalf("Ana sees %+v, want %q", lines, want)
		}
	}
	return lines
}

func (r *rig) note(key, text string) core.Notification {
	return core.Notification{Key: key, Text: text, Event: core.EventReply,
		Route: core.Route{Channel: "whatsapp", Account: "main", Chat: r.ana.JID().String()}}
}

func sendError(t *testing.T, err error) *notifiers.SendError {
	t.Helper()
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		t.Fatalf("the error is %v, not a SendError", err)
	}
	return send
}

// A hasty notifier is given up when the connection breaks, and can be connected
// again only behind that: else whatsmeow sends once more what was on its way.
type hasty struct{ *rig }

func (h hasty) Notify(ctx context.Context, n core.Notification) (notifiers.Receipt, error) {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	go func() {
		defer giveUp()
		h.server.Wait(ctx, h.server.Down)
	}()
	receipt, err := h.Notifier.Notify(ctx, n)
	if h.server.Down() {
		h.until("the break is noticed", func() bool { return !h.Client("main").IsConnected() })
		h.server.Reachable()
	}
	return receipt, err
}

// A judge lets the suite order the faults of a notifier from WhatsApp.
type judge struct{ *rig }

func (j judge) Chat() string    { return j.ana.JID().String() }
func (j judge) ShowsOnce() bool { return true }

func (j judge) Order(faults ...notifiertest.Fault) {
	for _, f := range faults {
		j.account.Order(map[notifiertest.Fault]platform.Fault{
			notifiertest.Refuse: {Kind: platform.Refuse, Code: platform.Invalid}, notifiertest.Busy: {Kind: platform.Refuse, Code: platform.RateLimited},
			notifiertest.Broken: {Kind: platform.Refuse, Code: 500}, notifiertest.DieBefore: {Kind: platform.DropBefore, Out: true}, notifiertest.DieAfter: {Kind: platform.DropAfter, Out: true},
		}[f])
	}
}

// Messages waits for what is on its way: a phone gets it a little later.
func (j judge) Messages() []notifiertest.Message {
	j.until("all has arrived", func() bool { return j.ana.Waiting() == 0 })
	var list []notifiertest.Message
	for _, l := range j.lines() {
		list = append(list, notifiertest.Message{ID: l.ID, Chat: j.Chat(), Text: l.Text})
	}
	return list
}
