package discord_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"errand/internal/sim/discord"
)

// TestWhatPeopleSee follows a message through its life.
func TestWhatPeopleSee(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	asked := r.Write(r.general, r.ana, "what now, "+discord.Mention(r.bot)+"?")
	heard := c.next("MESSAGE_CREATE").(*discordgo.MessageCreate)
	if len(heard.Mentions) != 1 || heard.Mentions[0].ID != r.bot.ID || heard.Member == nil || heard.Author.GlobalName != "Ana" {
		t.Errorf("the bot hears %+v", heard.Message)
	}
	if err := c.ChannelTyping(r.general.ID); err != nil || !r.Types(r.general, r.bot) {
		t.Errorf("it does not type: %v", err)
	}
	m, err := c.ChannelMessageSendReply(r.general.ID, " pick one ", heard.Reference())
	if err != nil {
		t.Fatal(err)
	}
	if r.Types(r.general, r.bot) {
		t.Error("it still types")
	}
	line := r.Lines(r.general)[0]
	if line.Text != "pick one" || line.ReplyTo != asked || fmt.Sprint(line.Pings) != "[@Ana]" || m.Type != discordgo.MessageTypeReply {
		t.Errorf("Ana sees %+v", line)
	}
	answer := r.Reply(r.general, r.ana, m.ID, "the second")
	c.received() // its own
	if got := c.next("MESSAGE_CREATE").(*discordgo.MessageCreate); got.ReferencedMessage == nil || got.ReferencedMessage.Content != "pick one" || len(got.Mentions) != 1 {
		t.Errorf("the bot hears the reply %+v", got.Message)
	}
	r.Edit(r.general, answer, "the first")
	if got := c.next("MESSAGE_UPDATE").(*discordgo.MessageUpdate); got.Content != "the first" || got.EditedTimestamp == nil {
		t.Errorf("the bot hears the edit %+v", got.Message)
	}
	r.Unfurl(r.general, answer, "a preview")
	if got := c.next("MESSAGE_UPDATE").(*discordgo.MessageUpdate); got.EditedTimestamp == nil || len(got.Embeds) != 1 {
		t.Errorf("the bot hears the preview %+v", got.Message)
	}
	if _, err := c.ChannelMessageEdit(r.general.ID, m.ID, "picked"); err != nil {
		t.Error(err)
	}
	if err := c.MessageReactionAdd(r.general.ID, answer, "👍"); err != nil {
		t.Error(err)
	}
	r.React(r.general, r.ana, m.ID, "🎉")
	for _, who := range []string{r.bot.ID, r.ana.ID} {
		if e := c.next("MESSAGE_REACTION_ADD").(*discordgo.MessageReactionAdd); e.UserID != who {
			t.Errorf("%s reacted, not %s", e.UserID, who)
		}
	}
	lines := r.Sees(r.general, r.ana)
	if l := lines[1]; l.Text != "picked" || !l.Edited || fmt.Sprint(l.Reactions) != "[🎉]" || fmt.Sprint(l.Pings) != "[@Ana]" {
		t.Errorf("Ana sees %+v", l)
	}
	r.Delete(r.general, asked)
	if e := c.next("MESSAGE_DELETE").(*discordgo.MessageDelete); e.ID != asked {
		t.Errorf("deleted is %+v", e.Message)
	}
	if err := c.ChannelMessageDelete(r.general.ID, m.ID); err != nil {
		t.Error(err)
	}
	if got := r.texts(r.general); len(got) != 1 || got[0] != "Ana: the first" {
		t.Errorf("Ana sees %q", got)
	}
	r.Type(r.dm, r.ana)
	if e := c.next("TYPING_START").(*discordgo.TypingStart); e.UserID == r.ana.ID && e.ChannelID != r.dm.ID {
		t.Errorf("%+v", e)
	}
	// Typing ends by itself.
	c.ChannelTyping(r.general.ID)
	r.pass(10 * time.Second)
	if r.Types(r.general, r.bot) {
		t.Error("it types for ever")
	}
}

// TestHistory proves that messages can be read back, around any id.
func TestHistory(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	var ids []string
	for i := range 10 {
		ids = append(ids, r.Write(r.dm, r.ana, fmt.Sprint(i)))
	}
	r.Delete(r.dm, ids[4])
	tests := []struct {
		limit                 int
		before, after, around string
		want                  string
	}{
		{0, "", "", "", "9876532 10"},
		{3, "", "", "", "987"},
		{3, ids[5], "", "", "321"},
		{3, "", ids[5], "", "876"},
		{100, "", ids[4], "", "98765"},
		{3, "", "0", "", "210"},
		{3, "", "", ids[7], "876"},
		{100, "", ids[9], "", ""},
		{100, ids[0], "", "", ""},
	}
	for _, tt := range tests {
		list, err := c.ChannelMessages(r.dm.ID, tt.limit, tt.before, tt.after, tt.around)
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, m := range list {
			got += m.Content
		}
		if want := strings.ReplaceAll(tt.want, " ", ""); got != want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	if m, err := c.ChannelMessage(r.dm.ID, ids[3]); err != nil || m.Content != "3" {
		t.Errorf("one by its id: %+v, %v", m, err)
	}
}

// TestOddMessages proves that a bot is told what has no text, and what is too
// large to come uncompressed.
func TestOddMessages(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	r.Post(r.dm, r.ana, discord.Post{Voice: []byte("OggS")})
	if m := c.next("MESSAGE_CREATE").(*discordgo.MessageCreate); m.Flags&discordgo.MessageFlagsIsVoiceMessage == 0 || m.Attachments[0].DurationSecs == 0 || m.Content != "" {
		t.Errorf("a voice message is %+v", m.Message)
	}
	r.Post(r.dm, r.ana, discord.Post{Forward: "from elsewhere"})
	if m := c.next("MESSAGE_CREATE").(*discordgo.MessageCreate); m.Content != "" || m.MessageSnapshots[0].Message.Content != "from elsewhere" || m.ReferencedMessage != nil {
		t.Errorf("forwarded is %+v", m.Message)
	}
	r.Post(r.general, r.ana, discord.Post{Type: 7})
	if m := c.next("MESSAGE_CREATE").(*discordgo.MessageCreate); m.Type != discordgo.MessageTypeGuildMemberJoin {
		t.Errorf("who joined is %+v", m.Message)
	}
	if r.Write(r.general, r.ana, " ") != "" {
		t.Error("an empty message was sent")
	}
	r.receive(c, strings.Repeat("ж", discord.LongestText))
	if err := c.postMessage(r.dm, `{"content":"shh","flags":4096}`); err != nil {
		t.Error(err)
	}
	if l := r.Lines(r.dm); len(l) != 1 || !l[0].Silent {
		t.Errorf("Ana sees %+v", l)
	}
	if list, err := c.UserGuilds(10, "", "", false); err != nil || len(list) != 1 || list[0].ID != r.guild.ID {
		t.Errorf("the guilds are %v, %v", list, err)
	}
	th := r.AddThread(r.general, r.ana, "talk")
	if list, err := c.GuildThreadsActive(r.guild.ID); err != nil || len(list.Threads) != 1 || list.Threads[0].ID != th.ID {
		t.Errorf("the threads are %+v, %v", list, err)
	}
}
