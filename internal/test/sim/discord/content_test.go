package discord_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/bwmarrin/discordgo"

	"errand/internal/test/sim/discord"
)

// TestContent proves who reads what without the intent for content.
func TestContent(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	c.Identify.Intents = discordgo.IntentsGuildMessages | discordgo.IntentsDirectMessages
	r.start(c)
	own, err := c.ChannelMessageSend(r.general.ID, "my own")
	if err != nil {
		t.Fatal(err)
	}
	r.Write(r.general, r.ana, "among us")
	r.Write(r.general, r.ana, "for "+discord.Mention(r.bot))
	r.Reply(r.general, r.ana, own.ID, "a reply")
	r.Post(r.general, r.ana, discord.Post{Text: "a quiet reply", ReplyTo: own.ID, Quiet: true})
	r.Write(r.dm, r.ana, "in private")
	for _, want := range []string{"my own", "", "for " + discord.Mention(r.bot), "a reply", "", "in private"} {
		if got := c.received(); got != want {
			t.Errorf("it hears %q, want %q", got, want)
		}
	}
	// Reading back asks what the application is granted, not the connection.
	poor := r.AddBot(discord.Bot{Name: "poor"})
	r.Join(r.guild, poor)
	for bot, want := range map[*discord.Bot]string{r.bot: "among us", poor: ""} {
		list, err := r.rest(bot.Token).ChannelMessages(r.general.ID, 10, "", "", "")
		if err != nil {
			t.Fatal(err)
		}
		if got := list[3].Content; got != want {
			t.Errorf("%s reads %q", bot.Name, got)
		}
	}
	for bot, want := range map[*discord.Bot]int{r.bot: 1<<19 | 1<<15, poor: 0} {
		a, err := r.rest(bot.Token).Application("@me")
		if err != nil || a.Flags != want || bot == r.bot && a.Owner.ID != r.ana.ID {
			t.Errorf("the application of %s is %+v, %v", bot.Name, a, err)
		}
	}
}

// TestPings proves who is notified by what a bot writes.
func TestPings(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	team := r.AddRole(r.guild, discord.Role{Name: "team"})
	hers := r.Write(r.general, r.ana, "hello")
	text := "@everyone " + team.Mention() + " " + discord.Mention(r.ana) + " and `" + discord.Mention(r.ana) + "`"
	tests := []struct{ name, extra, want string }{
		{"all that it may", ``, "[@Ana @team @everyone]"},
		{"nobody", `,"allowed_mentions":{"parse":[]}`, "[]"},
		{"people", `,"allowed_mentions":{"parse":["users"]}`, "[@Ana]"},
		{"one role", `,"allowed_mentions":{"roles":["` + team.ID + `"]}`, "[@team]"},
		{"everyone", `,"allowed_mentions":{"parse":["everyone"]}`, "[@everyone]"},
		{"a reply", `,"message_reference":{"message_id":"` + hers + `"},"allowed_mentions":{"parse":[],"replied_user":true}`, "[@Ana]"},
		{"a quiet reply", `,"message_reference":{"message_id":"` + hers + `"},"allowed_mentions":{"parse":[]}`, "[]"},
	}
	for _, tt := range tests {
		if err := c.postMessage(r.general, `{"content":"`+text+`"`+tt.extra+`}`); err != nil {
			t.Fatal(err)
		}
		lines := r.Lines(r.general)
		got := lines[len(lines)-1].Pings
		if len(got) != strings.Count(tt.want, "@") || !contains(tt.want, got) {
			t.Errorf("%s: %v, want %s", tt.name, got, tt.want)
		}
	}
	r.Deny(r.general, r.bot, discord.MentionEveryone)
	if err := c.postMessage(r.general, `{"content":"`+text+`"}`); err != nil {
		t.Fatal(err)
	}
	lines := r.Lines(r.general)
	if got := fmt.Sprint(lines[len(lines)-1].Pings); got != "[@Ana]" {
		t.Errorf("who may not mention everyone pings %s", got)
	}
	if err := c.postMessage(r.general, `{"content":"`+"`x` ```"+discord.Mention(r.ana)+"```"+`"}`); err != nil {
		t.Fatal(err)
	}
	if lines = r.Lines(r.general); len(lines[len(lines)-1].Pings) != 0 {
		t.Error("code pings")
	}
}

func contains(all string, list []string) bool {
	for _, one := range list {
		if !strings.Contains(all, one) {
			return false
		}
	}
	return true
}
