package app_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/temporal/devserver"
	"errand/internal/test/llmtest"
	"errand/internal/test/sim/discord"
	"errand/internal/test/sim/telegram"
)

// A door is the way of one worker to a platform: it counts what the worker sends there.
type door struct {
	*httptest.Server
	sent atomic.Int32
}

func newDoor(t *testing.T, platform string, isMessage func(*http.Request) bool) *door {
	t.Helper()
	to, err := url.Parse(platform)
	if err != nil {
		t.Fatal(err)
	}
	d := &door{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isMessage(r) {
			d.sent.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { d.CloseClientConnections(); d.Close() })
	return d
}

// A crowd is people on a platform, each in a chat of their own with one account of ours.
type crowd struct {
	account   config.Channel
	isMessage func(*http.Request) bool
	connected func() bool // who writes for the first time is not seen before
	write     func(person int, text string)
	reads     func(person int) []string
}

const crowded = 30 // more than a worker has polls, or one worker would run all turns

func onTelegram(t *testing.T) *crowd {
	w := newTelegram(t)
	bot := w.AddBot("errand_bot")
	var people [crowded]*telegram.Person
	var chats [crowded]*telegram.Chat
	for i := range crowded {
		people[i] = w.AddPerson(telegram.Person{Name: fmt.Sprint("Person ", i)})
		chats[i] = w.Private(people[i], bot)
	}
	return &crowd{account: w.account("main", bot),
		connected: func() bool { return w.Polling(bot) },
		isMessage: func(r *http.Request) bool {
			return strings.EqualFold(r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], "sendMessage")
		},
		write: func(i int, text string) { w.Write(chats[i], people[i], text) },
		reads: func(i int) (texts []string) {
			for _, l := range w.Lines(chats[i]) {
				texts = append(texts, l.Text)
			}
			return texts
		}}
}

func onDiscord(t *testing.T) *crowd {
	server, err := discord.Start(discord.Options{IdentifyEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	bot := server.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent})
	var people [crowded]*discord.Person
	var chats [crowded]*discord.Channel
	for i := range crowded {
		people[i] = server.AddPerson(discord.Person{Name: fmt.Sprint("Person ", i)})
		server.AddGuild(fmt.Sprint("Team ", i), people[i], bot)
		chats[i] = server.DM(people[i], bot)
	}
	return &crowd{
		account:   config.Channel{Kind: config.Discord, Account: "main", Token: config.Secret(bot.Token), TokenFrom: "TOKEN", URL: server.URL(), Agent: "nikki", Line: 1},
		connected: func() bool { return server.Connected(bot) },
		isMessage: func(r *http.Request) bool {
			return r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/messages")
		},
		write: func(i int, text string) { server.Write(chats[i], people[i], text) },
		reads: func(i int) (texts []string) {
			for _, l := range server.Lines(chats[i]) {
				texts = append(texts, l.Text)
			}
			return texts
		}}
}

func ownTemporal(t *testing.T) func(*config.Config) {
	t.Helper()
	const key = "0123456789abcdef0123456789abcdef"
	port := devserver.FreePort(t)
	server, err := devserver.Start(t.Context(), devserver.Options{Dir: t.TempDir(), Port: port, Key: key})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for _, v := range devserver.ClientEnv(address, devserver.DefaultNamespace, key) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return func(c *config.Config) { c.Temporal.Address, c.Temporal.Namespace = address, devserver.DefaultNamespace }
}

// TestOneWorkerSends proves that of two workers which both run turns one sends all that
// is told on an account, so that it has one pace; and that the other does once the first
// has ended, with nothing lost and nothing told twice.
func TestOneWorkerSends(t *testing.T) {
	for name, on := range map[string]func(*testing.T) *crowd{"telegram": onTelegram, "discord": onDiscord} {
		t.Run(name, func(t *testing.T) {
			shared := sharedDatabase(t)
			c := on(t)
			var doors [2]*door
			var turns [2]atomic.Int32
			worker := func(i int, tune ...func(*config.Config)) *installation {
				doors[i] = newDoor(t, c.account.URL, c.isMessage)
				account := c.account
				account.URL = doors[i].URL
				model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
					turns[i].Add(1)
					return llmtest.Text("you said " + r.Messages[len(r.Messages)-1].Text)
				})
				return install(t, model, nil, append([]func(*config.Config){shared, func(cfg *config.Config) {
					cfg.Channels = []config.Channel{account}
					cfg.Access = map[string]config.Access{string(account.Kind): {Mode: config.AccessOpen, Role: core.Member}}
				}}, tune...)...)
			}
			there := ownTemporal(t)
			workers := [2]*installation{worker(0, there), worker(1, there)}
			var asked [crowded][]string
			talk := func(text string) {
				t.Helper()
				for i := range crowded {
					asked[i] = append(asked[i], "you said "+text)
					c.write(i, text)
				}
				for i := range crowded {
					eventually(t, fmt.Sprintf("%d reads %q", i, asked[i]), func() bool { return len(c.reads(i)) >= len(asked[i]) })
					if got := c.reads(i); !slices.Equal(got, asked[i]) {
						t.Errorf("%d reads %q, want %q", i, got, asked[i])
					}
				}
			}
			eventually(t, "the account is connected", c.connected)
			talk("hello")
			first := 0 // the one that holds the account
			if doors[1].sent.Load() > 0 {
				first = 1
			}
			for n := 0; turns[0].Load() == 0 || turns[1].Load() == 0; n++ {
				if n > 20 {
					t.Fatalf("one of the workers runs no turns: %d and %d", turns[0].Load(), turns[1].Load())
				}
				talk(fmt.Sprint("and ", n))
			}
			if sent := doors[1-first].sent.Load(); sent > 0 {
				t.Errorf("the worker that does not hold the account has sent %d messages, the other %d", sent, doors[first].sent.Load())
			}
			before := doors[first].sent.Load()
			workers[first].stop()
			talk("are you there?")
			if now := doors[first].sent.Load(); now != before || doors[1-first].sent.Load() == 0 {
				t.Errorf("after its end the first has sent %d messages more, the other %d", now-before, doors[1-first].sent.Load())
			}
		})
	}
}
