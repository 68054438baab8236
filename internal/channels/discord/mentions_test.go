package discord

import (
	"encoding/json"
	"slices"
	"testing"

	"errand/internal/channels"
	"errand/internal/intake"
)

// TestMentions proves that whom a message mentions is handed on with its words, and that
// an account says by which id it is mentioned.
func TestMentions(t *testing.T) {
	var handles []string
	r, k, _ := runFor(t, Options{Changed: func(s channels.Status) { handles = s.Handles }})
	r.event(t.Context(), frame{Name: "MESSAGE_CREATE", Data: json.RawMessage(`{"id": "5", "channel_id": "7", "type": 0, "author": {"id": "2", "username": "ana"},
		"content": "/team <@9>:10 <@!8> do this", "mentions": [{"id": "9", "username": "finn", "global_name": "Finn Bot", "bot": true}, {"id": "8", "username": "priest", "bot": true}]}`)})
	r.idle()
	r.well()
	r.end()
	if len(k.came) != 1 || k.came[0].Text != "/team @Finn Bot:10 @priest do this" ||
		!slices.Equal(k.came[0].Mentions, []intake.Mention{{ID: "9", Text: "@Finn Bot"}, {ID: "8", Text: "@priest"}}) {
		t.Errorf("came %+v", k.came)
	}
	if !slices.Equal(handles, []string{"1"}) {
		t.Errorf("it is mentioned by %q", handles)
	}
}
