package telegram_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"errand/internal/channels/telegram"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/test/channeltest"
	"errand/internal/test/intaketest"
	platform "errand/internal/test/sim/telegram"
	notifier "errand/notifiers/telegram"
)

// A rig is a channel with an intake before it and the platform behind it. Both outlive the
// channel.
type rig struct {
	t      *testing.T
	server *platform.Server
	url    string
	bot    *platform.Bot
	ana    *platform.Person
	chat   *platform.Chat
	gate   *channeltest.Errand
	tune   func(*telegram.Options) // of channels that start

	sent requests // by the channel

	kill func() // ends it, whatever it does
	stop func() // and waits until it has ended
}

type requests struct{ atomic.Int64 }

func (n *requests) RoundTrip(r *http.Request) (*http.Response, error) {
	n.Add(1)
	return http.DefaultTransport.RoundTrip(r)
}

func newRig(t *testing.T, access service.AccessMode) *rig {
	t.Helper()
	r := &rig{t: t, server: platform.New(platform.Options{PerChat: -1, PerBot: -1, PerGroup: -1})}
	web := httptest.NewServer(r.server)
	t.Cleanup(func() { r.server.Close(); web.CloseClientConnections(); web.Close() })
	r.url, r.bot = web.URL, r.server.AddBot("errand_bot")
	r.ana = r.server.AddPerson(platform.Person{Name: "Ana", Language: "en"})
	r.chat = r.server.Start(r.ana, r.bot)
	r.gate = channeltest.New(t, "telegram", access, func(d *intaketest.Deps) {
		d.Options = intake.Options{AttachmentBytes: 30_000_000, Transcribes: true}
	})
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
		Logger: r.gate.Logger(), Poll: 5 * time.Second, Settle: time.Millisecond, Pause: time.Millisecond, LongestPause: 20 * time.Millisecond,
		Commands: map[string][]telegram.Command{"": {{"/tasks", "your tasks"}}, "es": {{"/tasks", "tus tareas"}}},
		Changed:  r.gate.Changed}
	if r.tune != nil {
		r.tune(&o)
	}
	c, err := telegram.New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

func (r *rig) until(what string, cond func() bool) {
	r.t.Helper()
	r.gate.Until(what, cond)
}

// confirmed waits until Telegram has nothing more for us.
func (r *rig) confirmed() {
	r.t.Helper()
	r.until("all is confirmed", func() bool { return r.server.Unconfirmed(r.bot) == 0 })
}

func (r *rig) inbox(c *platform.Chat, person core.PersonID) []string {
	r.t.Helper()
	events, err := r.gate.Store.Events(r.t.Context(), core.NewSessionKey(route(c), person), 0, 1000)
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

func route(c *platform.Chat) core.Route {
	return core.Route{Channel: "telegram", Account: "main", Chat: strconv.FormatInt(c.ID, 10)}
}

func (r *rig) delivered(c *platform.Chat) []platform.Line {
	r.t.Helper()
	n, err := notifier.New(notifier.Options{Accounts: map[string]string{"main": r.bot.Token}, URL: r.url, Rates: notifier.Rates{Chat: 1, Group: 1, All: 1}})
	if err != nil {
		r.t.Fatal(err)
	}
	for {
		next, err := r.gate.Store.NextOutbox(r.t.Context(), route(c))
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
		if err := r.gate.Store.MarkSent(r.t.Context(), next.ID, "", receipt.IDs); err != nil {
			r.t.Fatal(err)
		}
	}
}
