package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strconv"

	"errand/internal/config"
	"errand/internal/test/sim/telegram"
)

// A telegramWire is Telegram with a bot.
type telegramWire struct {
	server *telegram.Server
	web    *httptest.Server
	bot    *telegram.Bot
	people []*telegram.Person
	chats  []*telegram.Chat
}

func newTelegram() *telegramWire {
	w := &telegramWire{server: telegram.New(telegram.Options{})}
	w.web, w.bot = httptest.NewServer(w.server), w.server.AddBot("errand_bot")
	return w
}

func (w *telegramWire) account() config.Channel {
	return config.Channel{Kind: config.Telegram, Account: "main", Token: config.Secret(w.bot.Token), TokenFrom: "bench", URL: w.web.URL, Agent: "nikki"}
}

func (w *telegramWire) join(_ context.Context, n int) error {
	for i := range n {
		p := w.server.AddPerson(telegram.Person{Name: fmt.Sprint("Person ", i)})
		w.people, w.chats = append(w.people, p), append(w.chats, w.server.Private(p, w.bot))
	}
	return nil
}

func (w *telegramWire) chat(person int) string { return strconv.FormatInt(w.chats[person].ID, 10) }

func (w *telegramWire) write(_ context.Context, person int, text string) error {
	w.server.Write(w.chats[person], w.people[person], text)
	return nil
}

func (w *telegramWire) sentTo(person int) []string {
	var texts []string
	for _, l := range w.server.Lines(w.chats[person]) {
		texts = append(texts, l.Text)
	}
	return texts
}

func (w *telegramWire) changed() <-chan struct{}     { return w.server.Changed() }
func (w *telegramWire) rateLimit() (float64, string) { return 30, "Telegram permits" }

func (w *telegramWire) close() {
	w.web.CloseClientConnections()
	w.web.Close()
}
