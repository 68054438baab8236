package discord_test

import (
	"testing"

	"errand/internal/test/sim/discord"
)

// TestPermissions proves that a channel takes rights from people and from the bot.
func TestPermissions(t *testing.T) {
	r := newRig(t, free)
	c := r.rest(r.bot.Token)
	vault := r.AddChannel(r.guild, "vault")
	r.Deny(vault, r.Everyone(r.guild), discord.ViewChannel)
	r.Write(vault, r.ana, "x") // nobody may, not even she
	if got := r.texts(vault); len(got) != 0 {
		t.Errorf("Ana wrote %q", got)
	}
	if _, err := c.ChannelMessageSend(vault.ID, "x"); code(err) != 50001 {
		t.Errorf("a channel that it does not see: %v", err)
	}
	r.Write(r.general, r.ana, "x")
	r.Deny(r.general, r.bot, discord.ReadHistory)
	if list, err := c.ChannelMessages(r.general.ID, 10, "", "", ""); err != nil || len(list) != 0 {
		t.Errorf("without the history it reads %v, %v", list, err)
	}
}
