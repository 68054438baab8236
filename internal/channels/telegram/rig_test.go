package telegram_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/channels"
	"errand/internal/channels/telegram"
	"errand/internal/dispatch/dispatchtest"
	"errand/internal/intake"
	"errand/internal/intake/intaketest"
	"errand/internal/service"
	platform "errand/internal/sim/telegram"
	"errand/internal/store"
	"errand/internal/store/storetest"
	notifier "errand/notifiers/telegram"
)

// A receiver is an intake that can be made to fail, and keeps what came.
type receiver struct {
	panics int // so many times, before it receives
	to     intaketest.House

	mu      sync.Mutex
	fail    error  // instead of receiving
	after   func() // once, when a message has been received
	came    []intake.Inbound
	got     []intake.Outcome
	changed chan struct{}
}

func (g *receiver) Receive(ctx context.Context, in intake.Inbound) (intake.Outcome, error) {
	g.mu.Lock()
	fail, trip := g.fail, g.panics > 0
	g.panics--
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
	close(g.changed)
	g.changed = make(chan struct{})
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

// A rig is a channel with an intake on a store of its own before it, and the
// platform behind it. The store and the platform outlive the channel.
type rig struct {
	t      *testing.T
	server *platform.Server
	url    string
	bot    *platform.Bot
	ana    *platform.Person
	chat   *platform.Chat
	store  *store.Store
	gate   *receiver
	log    lockedBuffer
	tune   func(*telegram.Options) // of channels that start

	sent requests // by the channel

	mu     sync.Mutex
	states []channels.Status
	kill   func() // ends it, whatever it does
	stop   func() // and waits until it has ended
}

type requests struct{ atomic.Int64 }

func (n *requests) RoundTrip(r *http.Request) (*http.Response, error) {
	n.Add(1)
	return http.DefaultTransport.RoundTrip(r)
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

func newRig(t *testing.T, access service.AccessMode) *rig {
	t.Helper()
	r := &rig{t: t, server: platform.New(platform.Options{PerChat: -1, PerBot: -1, PerGroup: -1})}
	web := httptest.NewServer(r.server)
	t.Cleanup(func() { r.server.Close(); web.CloseClientConnections(); web.Close() })
	r.url, r.bot = web.URL, r.server.AddBot("errand_bot")
	r.ana = r.server.AddPerson(platform.Person{Name: "Ana", Language: "en"})
	r.chat = r.server.Start(r.ana, r.bot)
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	primary, list := agents.Default()
	roster, err := agents.New(primary, list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	g := intaketest.New(t, intaketest.Deps{Deps: service.Deps{Dispatch: dispatchtest.New(t, nil, s), Store: s, Roster: roster, Logger: slog.New(slog.DiscardHandler),
		Access: map[string]service.Access{"telegram": {Mode: access}}}, Options: intake.Options{AttachmentBytes: 30_000_000, Transcribes: true}})
	r.store, r.gate = s, &receiver{to: g, changed: make(chan struct{})}
	return r
}

// start runs a channel, as a process does; stop and kill end it.
func (r *rig) start() *telegram.Channel {
	r.t.Helper()
	c := r.new()
	ctx, cancel := context.WithCancel(r.t.Context())
	done := make(chan struct{})
	r.kill, r.stop = cancel, func() { cancel(); <-done }
	go func() { defer close(done); c.Run(ctx) }()
	r.t.Cleanup(r.stop)
	return c
}

func (r *rig) new() *telegram.Channel {
	r.t.Helper()
	o := telegram.Options{Account: "main", Token: r.bot.Token, URL: r.url, Receiver: r.gate, Client: &http.Client{Transport: &r.sent},
		Logger: slog.New(slog.NewTextHandler(&r.log, nil)), Poll: 5 * time.Second, Settle: time.Millisecond, Pause: time.Millisecond, LongestPause: 20 * time.Millisecond,
		Commands: map[string][]telegram.Command{"": {{"/tasks", "your tasks"}}, "es": {{"/tasks", "tus tareas"}}},
		Changed: func(s channels.Status) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.states = append(r.states, s)
		}}
	if r.tune != nil {
		r.tune(&o)
	}
	c, err := telegram.New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// until waits for a condition that follows from what comes in or happens.
func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	deadline := time.After(time.Minute)
	for !cond() {
		r.gate.mu.Lock()
		came := r.gate.changed
		r.gate.mu.Unlock()
		select {
		case <-came:
		case <-r.server.Changed():
		case <-time.After(5 * time.Millisecond):
		case <-deadline:
			r.t.Fatalf("it never comes to this: %s\ncame: %+v\nstates: %+v", what, r.gate.arrivals(), r.seen())
		}
	}
}

func (r *rig) seen() []channels.Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.states)
}

// confirmed waits until Telegram has nothing more for us.
func (r *rig) confirmed() {
	r.t.Helper()
	r.until("all is confirmed", func() bool { return r.server.Unconfirmed(r.bot) == 0 })
}

func (r *rig) inbox(c *platform.Chat, person errand.PersonID) []string {
	r.t.Helper()
	events, err := r.store.Events(r.t.Context(), errand.NewSessionKey(route(c), person), 0, 1000)
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

func route(c *platform.Chat) errand.Route {
	return errand.Route{Channel: "telegram", Account: "main", Chat: strconv.FormatInt(c.ID, 10)}
}

func (r *rig) delivered(c *platform.Chat) []platform.Line {
	r.t.Helper()
	n, err := notifier.New(notifier.Options{Accounts: map[string]string{"main": r.bot.Token}, URL: r.url, Rates: notifier.Rates{Chat: 1, Group: 1, All: 1}})
	if err != nil {
		r.t.Fatal(err)
	}
	for {
		next, err := r.store.NextOutbox(r.t.Context(), route(c))
		if err != nil {
			r.t.Fatal(err)
		}
		if next == nil {
			return r.server.Lines(c)
		}
		receipt, err := n.Notify(r.t.Context(), *next)
		if err != nil {
			r.t.Fatal(err)
		}
		if err := r.store.MarkSent(r.t.Context(), next.ID, "", receipt.IDs); err != nil {
			r.t.Fatal(err)
		}
	}
}
