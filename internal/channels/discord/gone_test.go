package discord_test

import (
	"strings"
	"testing"

	"errand/internal/channels"
)

// TestRemovedFromServer proves that whoever looks sees that the bot was taken out of a
// server, until it is in it again, and that trouble of Discord's is not that.
func TestRemovedFromServer(t *testing.T) {
	r := newRig(t)
	r.start()
	r.connected()
	end := r.server.Outage(r.guild)
	r.Until("the trouble is said", func() bool { return r.Logged("Discord has trouble with a server") == 1 })
	end()
	if s := r.Status(); strings.Contains(s.Detail, "taken out") {
		t.Errorf("trouble is taken for more: %+v", s)
	}
	r.server.Kick(r.guild, r.bot)
	r.Until("it is seen", func() bool {
		s := r.Status()
		return s.State == channels.Connected && strings.Contains(s.Detail, "taken out of 1 server(s): invite the bot again")
	})
	if n := r.Logged("the bot was removed from a server"); n != 1 || strings.Contains(r.Log(), "Team") {
		t.Errorf("it is said %d times:\n%s", n, r.Log())
	}
	r.server.Join(r.guild, r.bot)
	r.Until("it is over", func() bool { return r.Status().Detail == "as errand" })
}
