package app_test

import (
	"net/http/httptest"
	"slices"
	"strings"
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
