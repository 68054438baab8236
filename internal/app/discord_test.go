package app_test

import (
	"slices"
	"strings"
	"testing"

	"errand/internal/config"
	"errand/internal/core"
	platform "errand/internal/test/sim/discord"
)

// newDiscord is Discord with one bot, and what errand.yaml says of that: whoever writes to
// it is a member.
func newDiscord(t *testing.T) (*platform.Server, *platform.Bot, func(*config.Config)) {
	t.Helper()
	server, err := platform.Start(platform.Options{IdentifyEvery: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	bot := server.AddBot(platform.Bot{Name: "errand", Intents: platform.MessageContent})
	return server, bot, func(c *config.Config) {
		c.Channels = []config.Channel{{Kind: config.Discord, Account: "main", Token: config.Secret(bot.Token), TokenFrom: "TOKEN", URL: server.URL(), Agent: "nikki", Line: 1}}
		c.Access = map[string]config.Access{"discord": {Mode: config.AccessOpen, Role: core.Member}}
	}
}

// TestDiscord proves that what a person writes on Discord is answered there, once,
// from the platform's wire to the platform's wire: words by an agent, a slash
// command so that only they see it, what was written while the connection was
// lost, and a reply whose fate Discord did not tell, without a repeat.
func TestDiscord(t *testing.T) {
	t.Parallel()
	server, bot, account := newDiscord(t)
	ana := server.AddPerson(platform.Person{Name: "Ana"})
	guild := server.AddGuild("Team", ana, bot)
	general, dm := server.General(guild), server.DM(ana, bot)
	play(t, nil, account)
	sees := func(c *platform.Channel, want ...string) {
		t.Helper()
		var texts []string
		eventually(t, strings.Join(want, " | "), func() bool {
			texts = nil
			for _, l := range server.Lines(c) {
				if !l.Thinking {
					texts = append(texts, l.Text)
				}
			}
			return len(texts) >= len(want)
		})
		if !slices.EqualFunc(texts, want, strings.HasPrefix) {
			t.Fatalf("Ana sees %q, want %q", texts, want)
		}
	}
	eventually(t, "it is connected", func() bool { return server.Connected(bot) && len(server.Commands(bot, guild)) > 0 })
	server.Write(dm, ana, "hello **there**")
	sees(dm, "you said hello **there**")
	server.Write(general, ana, platform.Mention(bot)+" and here?")
	sees(general, "you said and here?")
	server.Run(general, ana, bot, "whoami")
	sees(general, "you said and here?", "You are Ana")
	if lines := server.Lines(general); lines[1].Only != "Ana" {
		t.Errorf("everybody sees %+v", lines[1])
	}
	mend := server.Cut(platform.Connect)
	server.Invalidate(bot, false)
	server.Write(dm, ana, "while you were away")
	mend()
	sees(dm, "you said hello **there**", "you said while you were away")
	server.Order(platform.CreateMessage, platform.Fault{Kind: platform.DieAfter})
	server.Write(dm, ana, "once more")
	sees(dm, "you said hello **there**", "you said while you were away", "you said once more")
	server.Write(dm, ana, "last")
	sees(dm, "you said hello **there**", "you said while you were away", "you said once more", "you said last")
}
