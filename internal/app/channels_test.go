package app_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"errand/config"
	platform "errand/internal/telegram"
)

// A telegramWorld is Telegram with one person.
type telegramWorld struct {
	*platform.Server
	t   *testing.T
	web *httptest.Server
	ana *platform.Person
}

func newTelegram(t *testing.T) *telegramWorld {
	w := &telegramWorld{Server: platform.New(platform.Options{}), t: t}
	w.web = httptest.NewServer(w.Server)
	t.Cleanup(func() { w.web.CloseClientConnections(); w.web.Close() })
	w.ana = w.AddPerson(platform.Person{Name: "Ana"})
	return w
}

// account is what errand.yaml says of a bot.
func (w *telegramWorld) account(name string, bot *platform.Bot) config.Channel {
	return config.Channel{Kind: config.Telegram, Account: name, Token: config.Secret(bot.Token), TokenFrom: "TOKEN", URL: w.web.URL, Agent: "nikki", Line: 1}
}

// sees waits until Ana sees in chat what begins with these texts, and no more.
func (w *telegramWorld) sees(chat *platform.Chat, want ...string) {
	w.t.Helper()
	var texts []string
	eventually(w.t, strings.Join(want, " | "), func() bool {
		texts = nil
		for _, l := range w.Said(chat) {
			texts = append(texts, l.Text)
		}
		return len(texts) >= len(want)
	})
	if !slices.EqualFunc(texts, want, strings.HasPrefix) {
		w.t.Fatalf("Ana sees %q, want %q", texts, want)
	}
}

func withAccounts(list ...config.Channel) func(*config.Config) {
	return func(c *config.Config) {
		c.Channels = list
		c.Access = map[string]config.Access{"telegram": {Mode: config.AccessOpen}}
	}
}

// TestConfiguredAccount proves that an account in errand.yaml is all it takes.
func TestConfiguredAccount(t *testing.T) {
	w := newTelegram(t)
	bot := w.AddBot("errand_bot")
	chat := w.Start(w.ana, bot)
	play(t, nil, withAccounts(w.account("main", bot)))
	w.Write(chat, w.ana, "hello")
	w.sees(chat, "you said hello")
}

// TestConfiguredWebhook proves that Telegram can deliver to a worker that is not
// open to anybody else, and that reactions are shown where they are wanted.
func TestConfiguredWebhook(t *testing.T) {
	w := newTelegram(t)
	t.Cleanup(w.Close)
	bot := w.AddBot("errand_bot")
	chat := w.Start(w.ana, bot)
	var worker atomic.Value // its address
	front := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		req, err := http.NewRequestWithContext(r.Context(), r.Method, "http://"+worker.Load().(string)+r.URL.Path, r.Body)
		if err != nil {
			t.Error(err)
			return
		}
		req.Host, req.Header = "errand.example.org", r.Header
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			rw.WriteHeader(http.StatusBadGateway)
			return
		}
		resp.Body.Close()
		rw.WriteHeader(resp.StatusCode)
	}))
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	account := w.account("main", bot)
	account.Webhook, account.Reactions = &config.Webhook{URL: front.URL, Secret: "0123456789abcdef"}, true
	worker.Store("127.0.0.1:1")
	in, stage := play(t, nil, withAccounts(account))
	worker.Store(in.Address)
	asked := w.Write(chat, w.ana, "wait a moment")
	mark := func(want string) {
		t.Helper()
		eventually(t, "the message is marked "+want, func() bool {
			return slices.ContainsFunc(w.Sees(chat), func(l platform.Line) bool { return l.ID == asked && l.Reaction == want })
		})
	}
	mark("👀")
	stage.open("a moment")
	w.sees(chat, "done a moment")
	mark("👌")
	if polls := w.Calls("getUpdates"); len(polls) > 0 {
		t.Errorf("it is asked %d times too", len(polls))
	}
}
