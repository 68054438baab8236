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
	"errand/internal/test/channeltest"
	platform "errand/internal/test/sim/telegram"
)

// A driver lets the suite of all channels drive Telegram.
type driver struct {
	server *platform.Server
	url    string
	bot    *platform.Bot
	ana    *platform.Person
	robot  *platform.Person
	chat   *platform.Chat
	group  *platform.Chat
	broken atomic.Bool
}

func newDriver(t *testing.T) *driver {
	d := &driver{server: platform.New(platform.Options{PerChat: -1, PerBot: -1, PerGroup: -1})}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.broken.Load() {
			panic(http.ErrAbortHandler)
		}
		d.server.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { d.server.Close(); web.CloseClientConnections(); web.Close() })
	d.url, d.bot = web.URL, d.server.AddBot("errand_bot")
	d.ana, d.robot = d.server.AddPerson(platform.Person{Name: "Ana"}), d.server.AddPerson(platform.Person{Name: "Robot", IsBot: true})
	d.chat, d.group = d.server.Start(d.ana, d.bot), d.server.AddGroup("Team", false, d.bot)
	d.bot.ReadsAll = true
	return d
}

func (d *driver) Channel() string              { return "telegram" }
func (d *driver) Connected() bool              { return d.server.Polling(d.bot) }
func (d *driver) Direct() string               { return strconv.FormatInt(d.chat.ID, 10) }
func (d *driver) Group() string                { return strconv.FormatInt(d.group.ID, 10) }
func (d *driver) Addressed(text string) string { return "@errand_bot " + text }
func (d *driver) Secrets() []string            { return []string{d.bot.Token} }
func (d *driver) Revoke()                      { d.server.Revoke(d.bot) }

func (d *driver) Connect(t *testing.T, e *channeltest.Errand) func() {
	t.Helper()
	c, err := telegram.New(telegram.Options{Account: "main", Token: d.bot.Token, URL: d.url, Receiver: e, Logger: e.Logger(), Changed: e.Changed,
		Poll: 5 * time.Second, Pause: time.Millisecond, LongestPause: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); c.Run(ctx) }()
	return func() { cancel(); <-done }
}

func (d *driver) post(chat string, who channeltest.Who, p platform.Post) string {
	by := map[channeltest.Who]*platform.Person{channeltest.Ana: d.ana, channeltest.Robot: d.robot}[who]
	c := d.group
	if chat != d.Group() {
		c = d.server.Private(by, d.bot)
	}
	return strconv.Itoa(d.server.Post(c, by, p))
}

func (d *driver) Write(chat string, who channeltest.Who, text string) string {
	return d.post(chat, who, platform.Post{Text: text})
}

func (d *driver) Reply(chat string, who channeltest.Who, to, text string) string {
	id, _ := strconv.Atoi(to)
	return d.post(chat, who, platform.Post{Text: text, ReplyTo: id})
}

func (d *driver) Edit(chat, id, text string) {
	n, _ := strconv.Atoi(id)
	c := d.chat
	if chat == d.Group() {
		c = d.group
	}
	d.server.Edit(c, n, text)
}

func (d *driver) Disturb(do func()) {
	release := d.server.Hold(d.bot)
	do()
	d.server.Shuffle(d.bot)
	d.server.Repeat(d.bot, 7)
	release()
}

func (d *driver) Break() (mend func()) {
	d.broken.Store(true)
	d.server.Write(d.chat, d.robot, "wakes who polls")
	return func() { d.broken.Store(false) }
}

// TestPromises holds the channel against what every channel promises.
func TestPromises(t *testing.T) {
	t.Parallel()
	channeltest.Run(t, func(t *testing.T) channeltest.Platform { return newDriver(t) })
}
