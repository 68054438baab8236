package discord_test

import (
	"fmt"
	"testing"

	"github.com/bwmarrin/discordgo"

	"errand/internal/sim/discord"
)

// TestGuildLife proves that a bot is told what happens to its guilds.
func TestGuildLife(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	second := r.AddGuild("Second", r.ana)
	r.Join(second, r.bot)
	c.next("GUILD_CREATE")
	if g := c.next("GUILD_CREATE").(*discordgo.GuildCreate); g.Name != "Second" {
		t.Errorf("it joined %+v", g.Guild)
	}
	bea := r.AddPerson(discord.Person{Name: "Bea"})
	r.Join(second, bea)
	if m := c.next("GUILD_MEMBER_ADD").(*discordgo.GuildMemberAdd); m.User.ID != bea.ID || m.GuildID != second.ID {
		t.Errorf("%+v joined", m.Member)
	}
	r.Kick(second, bea)
	if m := c.next("GUILD_MEMBER_REMOVE").(*discordgo.GuildMemberRemove); m.User.ID != bea.ID {
		t.Errorf("%+v left", m.Member)
	}
	capacity := r.AddChannel(second, "room")
	if ch := c.next("CHANNEL_CREATE").(*discordgo.ChannelCreate); ch.ID != capacity.ID || ch.GuildID != second.ID {
		t.Errorf("%+v was made", ch.Channel)
	}
	thread := r.AddThread(capacity, r.ana, "a thread")
	if th := c.next("THREAD_CREATE").(*discordgo.ThreadCreate); th.ID != thread.ID || th.ParentID != capacity.ID || !th.IsThread() {
		t.Errorf("%+v was made", th.Channel)
	}
	r.Archive(thread, false)
	c.next("THREAD_UPDATE")
	r.Write(thread, r.ana, "in it")
	if m := c.next("MESSAGE_CREATE").(*discordgo.MessageCreate); m.ChannelID != thread.ID {
		t.Errorf("written in the thread: %+v", m.Message)
	}
	if ch, err := c.Channel(thread.ID); err != nil || ch.ThreadMetadata.Archived {
		t.Errorf("the thread is %+v, %v", ch, err)
	}
	r.RemoveChannel(capacity)
	if ch := c.next("CHANNEL_DELETE").(*discordgo.ChannelDelete); ch.ID != capacity.ID {
		t.Errorf("%+v was deleted", ch.Channel)
	}
	if r.Write(thread, r.ana, "x") != "" {
		t.Error("a thread outlived its channel")
	}
	end := r.Outage(second)
	if g := c.next("GUILD_DELETE").(*discordgo.GuildDelete); !g.Unavailable {
		t.Errorf("in an outage: %+v", g.Guild)
	}
	end()
	c.next("GUILD_CREATE")
	r.Kick(second, r.bot)
	if g := c.next("GUILD_DELETE").(*discordgo.GuildDelete); g.ID != second.ID || g.Unavailable {
		t.Errorf("kicked from %+v", g.Guild)
	}
	if _, err := c.ChannelMessageSend(r.General(second).ID, "x"); code(err) != 50001 {
		t.Errorf("after that: %v", err)
	}
	if err := c.GuildLeave(r.guild.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.Guild(r.guild.ID); code(err) != 10004 {
		t.Errorf("after leaving: %v", err)
	}
	// Who shares no guild any more cannot be written to.
	if _, err := c.ChannelMessageSend(r.dm.ID, "x"); code(err) != 50007 {
		t.Errorf("direct messages: %v", err)
	}
}

// TestPermissions proves that roles and channels give and take.
func TestPermissions(t *testing.T) {
	r := newRig(t, free)
	c := r.open()
	vault := r.AddChannel(r.guild, "vault")
	keeper := r.AddRole(r.guild, discord.Role{Name: "keeper"})
	r.Deny(vault, r.Everyone(r.guild), discord.ViewChannel)
	r.Write(vault, r.ana, "x") // nobody may, not even she
	if got := r.texts(vault); len(got) != 0 {
		t.Errorf("Ana wrote %q", got)
	}
	if _, err := c.ChannelMessageSend(vault.ID, "x"); code(err) != 50001 {
		t.Errorf("without the role: %v", err)
	}
	r.Allow(vault, keeper, discord.ViewChannel)
	r.Give(r.guild, r.bot, keeper)
	if m := c.next("GUILD_MEMBER_UPDATE").(*discordgo.GuildMemberUpdate); fmt.Sprint(m.Roles) != "["+keeper.ID+"]" {
		t.Errorf("its roles are %v", m.Roles)
	}
	if _, err := c.ChannelMessageSend(vault.ID, "x"); err != nil {
		t.Errorf("with the role: %v", err)
	}
	r.Deny(vault, r.bot, discord.ReadHistory)
	if list, err := c.ChannelMessages(vault.ID, 10, "", "", ""); err != nil || len(list) != 0 {
		t.Errorf("without the history it reads %v, %v", list, err)
	}
	admin := r.AddRole(r.guild, discord.Role{Name: "admin", May: discord.Administrator})
	r.Give(r.guild, r.bot, admin)
	if list, err := c.ChannelMessages(vault.ID, 10, "", "", ""); err != nil || len(list) != 1 {
		t.Errorf("an administrator reads %v, %v", list, err)
	}
	hers := r.Write(r.general, r.ana, "x")
	if err := c.ChannelMessageDelete(r.general.ID, hers); err != nil {
		t.Errorf("an administrator cannot delete: %v", err)
	}
	if roles, err := c.GuildRoles(r.guild.ID); err != nil || len(roles) != 3 || roles[0].ID != r.guild.ID {
		t.Errorf("the roles are %v, %v", roles, err)
	}
	if m, err := c.GuildMember(r.guild.ID, r.bot.ID); err != nil || len(m.Roles) != 2 {
		t.Errorf("the member is %+v, %v", m, err)
	}
	if list, err := c.GuildMembers(r.guild.ID, "", 10); err != nil || len(list) != 2 {
		t.Errorf("the members are %v, %v", list, err)
	}
	if list, err := c.GuildChannels(r.guild.ID); err != nil || len(list) != 2 {
		t.Errorf("the channels are %v, %v", list, err)
	}
}

// TestThreads proves that a bot can make threads, and that the thread of a
// message has its id.
func TestThreads(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	id := r.Write(r.general, r.ana, "let us talk")
	th, err := c.MessageThreadStart(r.general.ID, id, "talk", 60)
	if err != nil || th.ID != id || th.ParentID != r.general.ID {
		t.Fatalf("the thread is %+v, %v", th, err)
	}
	if _, err := c.MessageThreadStart(r.general.ID, id, "again", 60); code(err) != 160004 {
		t.Errorf("a second one: %v", err)
	}
	if err := c.ThreadJoin(th.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.ChannelMessageSend(th.ID, "in it"); err != nil {
		t.Error(err)
	}
	if _, err := c.ThreadStart(r.dm.ID, "x", discordgo.ChannelTypeGuildPublicThread, 60); code(err) != 50024 {
		t.Errorf("in direct messages: %v", err)
	}
	other, err := c.ThreadStart(r.general.ID, "other", discordgo.ChannelTypeGuildPublicThread, 60)
	if err != nil || other.ID == id {
		t.Errorf("%+v, %v", other, err)
	}
	if dm, err := c.UserChannelCreate(r.ana.ID); err != nil || dm.ID != r.dm.ID || dm.Type != discordgo.ChannelTypeDM || dm.Recipients[0].ID != r.ana.ID {
		t.Errorf("direct messages are %+v, %v", dm, err)
	}
}
