package discord

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestReadInPart proves that a field of a new kind costs no message, that one of
// which it is not known where it was written is not taken for a direct one, and
// that the log names the fields and says nothing of what is in them.
func TestReadInPart(t *testing.T) {
	const head = `"id": "5", "channel_id": "7", "type": 0, "author": {"id": "2", "username": "ana"}, "content": "hi"`
	tests := []struct {
		name, message string
		text          string // what came; empty: nothing
		log           string
	}{
		{"a component of a new kind", head + `, "components": [{"type": 1, "components": []}, {"type": 99, "label": "secret"}]`, "hi", "[.components]"},
		{"in reply to such", head + `, "referenced_message": {"id": "4", "channel_id": "7", "author": {"id": "1"}, "type": 0, "components": [{"type": 99, "label": "secret"}]}`,
			"hi", "[.referenced_message.components]"},
		{"passed on", strings.Replace(head, `"hi"`, `""`, 1) + `, "message_snapshots": [{"message": {"content": "/reset"}}]`, "/reset, forwarded", ""},
		{"passed on with a picture", strings.Replace(head, `"hi"`, `""`, 1) + `, "message_snapshots": [{"message": {"content": "look", "attachments": [{"id": "1"}]}}]`, "look, forwardedother", ""},
		{"an embed that is none", head + `, "embeds": ["secret"], "flags": "secret"`, "hi", "[.embeds[0] .flags]"},
		{"on a server that is none", head + `, "guild_id": {"secret": 1}`, "", ".guild_id"},
		{"of a webhook that is none", head + `, "webhook_id": ["secret"]`, "", ".webhook_id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, k, log := runFor(t, Options{})
			r.event(t.Context(), frame{Name: "MESSAGE_CREATE", Data: json.RawMessage(`{` + tt.message + `}`)})
			r.idle()
			r.end()
			text := ""
			for _, in := range k.came {
				text += in.Text
				if in.Forwarded {
					text += ", forwarded"
				}
				text += string(in.Unreadable)
			}
			if text != tt.text || !strings.Contains(log.String(), tt.log) || strings.Contains(log.String(), "secret") {
				t.Errorf("came %q, and the log has %s", text, log.String())
			}
		})
	}
}
