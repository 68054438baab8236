package main

import (
	"context"
	"fmt"

	"errand/internal/config"
	"errand/internal/test/sim/discord"
)

// A discordWire is Discord with a bot.
type discordWire struct {
	*discord.Server
	bot    *discord.Bot
	people []*discord.Person
	chats  []*discord.Channel
}

func newDiscord() (*discordWire, error) {
	server, err := discord.Start(discord.Options{})
	if err != nil {
		return nil, err
	}
	return &discordWire{Server: server, bot: server.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent})}, nil
}

func (w *discordWire) account() config.Channel {
	return config.Channel{Kind: config.Discord, Account: "main", Token: config.Secret(w.bot.Token), TokenFrom: "bench", URL: w.URL(), Agent: "nikki"}
}

// join waits for the bot: of what is written for the first time while it is away
// nobody can know.
func (w *discordWire) join(ctx context.Context, n int) error {
	guild := w.AddGuild("everybody", w.bot)
	for i := range n {
		p := w.AddPerson(discord.Person{Name: fmt.Sprint("Person ", i)})
		w.Join(guild, p)
		w.people, w.chats = append(w.people, p), append(w.chats, w.DM(p, w.bot))
	}
	return seen(ctx, w, func() bool { return w.Connected(w.bot) })
}

func (w *discordWire) chat(person int) string { return w.chats[person].ID }

func (w *discordWire) write(_ context.Context, person int, text string) error {
	w.Write(w.chats[person], w.people[person], text)
	return nil
}

func (w *discordWire) sentTo(person int) []string {
	var texts []string
	for _, l := range w.Lines(w.chats[person]) {
		texts = append(texts, l.Text)
	}
	return texts
}

func (w *discordWire) changed() <-chan struct{}     { return w.Changed() }
func (w *discordWire) rateLimit() (float64, string) { return 50, "Discord permits" }
func (w *discordWire) close()                       { w.Close() }
