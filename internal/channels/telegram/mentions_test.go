package telegram_test

import (
	"slices"
	"strconv"
	"testing"

	"errand/internal/intake"
	"errand/internal/service"
)

// TestMentions proves that whom a message mentions is handed on with its words, and that
// an account says by which names it is mentioned.
func TestMentions(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.server.Write(r.chat, r.ana, "😀 We need OAuth. /team @Finn_Bot:3, @priest_bot do this")
	c := r.start()
	r.confirmed()
	came := r.gate.Arrivals()
	if len(came) != 1 || !slices.Equal(came[0].Mentions, []intake.Mention{{ID: "Finn_Bot", Text: "@Finn_Bot"}, {ID: "priest_bot", Text: "@priest_bot"}}) {
		t.Errorf("came %+v", came)
	}
	if handles := c.Status().Handles; !slices.Equal(handles, []string{"errand_bot", strconv.FormatInt(r.bot.ID, 10)}) {
		t.Errorf("it is mentioned by %q", handles)
	}
}
