package discord_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/sim/discord"
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

// TestFiles proves that files go both ways, and that their links end.
func TestFiles(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	id := r.Post(r.dm, r.ana, discord.Post{Text: "look", Files: []discord.File{{Name: "a b.txt", Kind: "text/plain", Data: []byte("content")}}, Sticker: "wave", Poll: "Tea?", Answers: []string{"yes"}})
	m := c.next("MESSAGE_CREATE").(*discordgo.MessageCreate)
	if len(m.Attachments) != 1 || m.Attachments[0].Filename != "a_b.txt" || m.Attachments[0].Size != 7 || m.StickerItems[0].Name != "wave" || m.Poll.Question.Text != "Tea?" {
		t.Fatalf("the bot hears %+v", m.Message)
	}
	get := func(url string) string {
		resp, err := c.Client.Get(url)
		if err != nil {
			return err.Error()
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return fmt.Sprint(resp.StatusCode, " ", resp.Header.Get("Content-Type"), " ", string(body))
	}
	if got := get(m.Attachments[0].URL); got != "200 text/plain content" {
		t.Errorf("downloaded %s", got)
	}
	r.Order(discord.Download, discord.Fault{Kind: discord.Broken})
	if got := get(m.Attachments[0].URL); !strings.HasPrefix(got, "500") {
		t.Errorf("ordered 500: %s", got)
	}
	r.pass(24 * time.Hour)
	if got := get(m.Attachments[0].URL); !strings.HasPrefix(got, "404") {
		t.Errorf("a day later: %s", got)
	}
	again, err := c.ChannelMessage(r.dm.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(again.Attachments[0].URL); !strings.HasPrefix(got, "200") {
		t.Errorf("with a new link: %s", got)
	}
	if _, err := c.ChannelFileSendWithMessage(r.dm.ID, "here", "r.pdf", strings.NewReader("%PDF-1.7")); err != nil {
		t.Fatal(err)
	}
	l := r.Lines(r.dm)[0]
	if l.Text != "here" || len(l.Files) != 1 || l.Files[0].Name != "r.pdf" || string(l.Files[0].Data) != "%PDF-1.7" {
		t.Errorf("Ana sees %+v", l)
	}
	if _, err := c.ChannelMessageEditComplex(&discordgo.MessageEdit{Channel: r.dm.ID, ID: l.ID, Attachments: &[]*discordgo.MessageAttachment{}}); err != nil {
		t.Error(err)
	}
	if l := r.Lines(r.dm)[0]; len(l.Files) != 0 || l.Text != "here" {
		t.Errorf("Ana sees %+v", l)
	}
	r.Deny(r.general, r.bot, discord.AttachFiles)
	if _, err := c.ChannelFileSend(r.general.ID, "a", strings.NewReader("a")); code(err) != 50013 {
		t.Errorf("without the permission: %v", err)
	}
}
