package chaos

import (
	"context"
	"fmt"
	"testing"
	"time"

	"errand/internal/test/sim/discord"
)

type discordStage struct {
	*discord.Server
	bot    *discord.Bot
	people [people]*discord.Person
	chats  [people]*discord.Channel
}

func onDiscord(t *testing.T) stage { return onDiscordWith(t, discord.Options{}) }

func onDiscordWith(t *testing.T, o discord.Options) *discordStage {
	server, err := discord.Start(o)
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
	return s.in(s.chats[person])
}

func (s *discordStage) files(person int) (files []sentFile) {
	for _, l := range s.Lines(s.chats[person]) {
		for _, f := range l.Files {
			files = append(files, sentFile{f.Name, string(f.Data), l.Text})
		}
	}
	return files
}

func (s *discordStage) in(c *discord.Channel) (texts []string) {
	for _, l := range s.Lines(c) {
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
	case diesBeforeReceipt:
		return send(discord.Fault{Kind: discord.DieBefore})
	case diesAfterReceipt:
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

func (s *discordStage) words() int { return 850 } // of 2,000 characters a message

func (s *discordStage) breakOff(acknowledged int, received bool, met func()) {
	kind := discord.DieBefore
	if received {
		kind = discord.DieAfter
	}
	s.Order(discord.CreateMessage, append(make([]discord.Fault, acknowledged), discord.Fault{Kind: kind, Met: met})...)
}

func (s *discordStage) gatherings(*testing.T) []*gathering {
	chat := func(how string, by int, c *discord.Channel, end func()) *gathering {
		return &gathering{how: how, by: by, chat: c.ID, write: func(text string) { s.Write(c, s.people[by], discord.Mention(s.bot)+" "+text) },
			reads: func() []string { return s.in(c) }, end: end}
	}
	team, other := s.AddGuild("Club", s.people[0], s.people[1], s.bot), s.AddGuild("Lab", s.people[1], s.bot)
	trips, plans := s.AddChannel(team, "trips"), s.AddChannel(team, "plans")
	thread := s.AddThread(s.General(team), s.people[1], "Oslo")
	alone := chat("a channel of somebody is deleted who takes no direct messages", 0, trips, func() { s.RemoveChannel(trips); s.SetClosed(s.people[0], true) })
	alone.open = func() { s.SetClosed(s.people[0], false) }
	return []*gathering{alone, chat("the channel is deleted", 1, plans, func() { s.RemoveChannel(plans) }), chat("the thread is deleted", 1, thread, func() { s.RemoveChannel(thread) }),
		chat("the bot is removed from the server", 1, s.General(other), func() { s.Kick(other, s.bot) })}
}
