package chaos

import (
	"context"
	"fmt"
	"testing"
	"time"

	"errand/internal/sim/discord"
)

type discordStage struct {
	*discord.Server
	bot    *discord.Bot
	people [people]*discord.Person
	chats  [people]*discord.Channel
}

func onDiscord(t *testing.T) stage {
	server, err := discord.Start(discord.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	s := &discordStage{Server: server, bot: server.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent})}
	for i, name := range names {
		s.people[i] = s.AddPerson(discord.Person{Name: name})
	}
	s.AddGuild("team", s.bot, s.people[0], s.people[1])
	for i, p := range s.people {
		s.chats[i] = s.DM(p, s.bot)
	}
	return s
}

func (s *discordStage) config() (string, []string) {
	return fmt.Sprintf("  discord: [{account: main, token_env: CHAOS_TOKEN, access: open, role: member, url: %q}]\n", s.URL()), []string{"CHAOS_TOKEN=" + s.bot.Token}
}

func (s *discordStage) certain() bool { return true }

func (s *discordStage) write(_ *testing.T, person int, text string) {
	s.Write(s.chats[person], s.people[person], text)
}

func (s *discordStage) reads(person int) []string {
	var texts []string
	for _, l := range s.Said(s.chats[person]) {
		texts = append(texts, l.Text)
	}
	return texts
}

func (s *discordStage) meet(f fault) (func(), bool) {
	send := func(f discord.Fault) (func(), bool) {
		s.Order(discord.CreateMessage, f)
		return nil, true
	}
	switch f {
	case dropped:
		s.Drop(s.bot)
		return nil, true
	case away:
		mends := []func(){s.Cut(discord.Connect), s.Cut(discord.CreateMessage), s.Cut(discord.GetGateway)}
		s.Drop(s.bot)
		return func() {
			for _, mend := range mends {
				mend()
			}
		}, true
	case twice:
		return func() { s.Repeat(s.bot, 10) }, true
	case disordered, held:
		release := s.Hold(s.bot)
		return func() {
			if f == disordered {
				s.Shuffle(s.bot)
			}
			release()
		}, true
	case slowDown:
		return send(discord.Fault{Kind: discord.TooMany, After: 2 * time.Second})
	case broken:
		return send(discord.Fault{Kind: discord.Broken})
	case diesUntaken:
		return send(discord.Fault{Kind: discord.DieBefore})
	case diesTaken:
		return send(discord.Fault{Kind: discord.DieAfter})
	}
	return nil, false
}

// prepare waits until errand is connected: nobody can find out that somebody has
// written for the first time while no bot was there.
func (s *discordStage) prepare(ctx context.Context, w *world) {
	for !s.Connected(s.bot) {
		if !w.pause(ctx) {
			w.t.Fatalf("the bot never connected; log:\n%s", w.logs())
		}
	}
}
