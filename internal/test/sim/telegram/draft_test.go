package telegram_test

import (
	"fmt"
	"testing"
	"time"

	"errand/internal/test/sim/telegram"
)

// TestDrafts proves that a draft is shown in a private chat until it fades, or the bot has
// sent a message, and that a group has none.
func TestDrafts(t *testing.T) {
	r := newRig(t)
	draft := func(c *telegram.Chat, text string) bool {
		return r.call("sendMessageDraft", fmt.Sprintf(`{"chat_id": %d, "draft_id": 7, "text": %q}`, c.ID, text)).OK
	}
	for _, text := range []string{"the night", "the night train"} {
		if !draft(r.chat, text) || r.Draft(r.chat) != text || len(r.Lines(r.chat)) > 0 {
			t.Errorf("Ana sees %q, and %+v", r.Draft(r.chat), r.Lines(r.chat))
		}
	}
	r.pass(30 * time.Second)
	if got := r.Draft(r.chat); got != "" {
		t.Errorf("it does not fade: %q", got)
	}
	if !draft(r.chat, "by") || !r.send(`"text": "by train"`).OK || r.Draft(r.chat) != "" {
		t.Errorf("beside the message there is %q", r.Draft(r.chat))
	}
	if draft(r.AddGroup("Team", false, r.bot), "the night") {
		t.Error("a group has a draft")
	}
}
