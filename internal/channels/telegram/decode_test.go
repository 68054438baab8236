package telegram

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-telegram/bot/models"

	"errand/internal/intake"
)

type keeper struct{ came []intake.Inbound }

func (k *keeper) Receive(_ context.Context, in intake.Inbound) (intake.Outcome, error) {
	k.came = append(k.came, in)
	return intake.Outcome{}, nil
}

// TestReadInPart proves that a field of a new kind costs no message, that one of
// which it is not known where it was written is taken for nobody's, and that the
// log names the fields and says nothing of what is in them.
func TestReadInPart(t *testing.T) {
	const from, private, group = `"from": {"id": 5, "first_name": "Ana"}`, `"chat": {"id": 5, "type": "private"}`, `"chat": {"id": -5, "type": "supergroup"}`
	tests := []struct {
		name, message string
		text          string // what came; empty: nothing
		log           string
	}{
		{"forwarded from somewhere new", from + `,` + private + `, "text": "hi", "forward_origin": {"type": "secret place"}`, "hi of ", "[.message.forward_origin]"},
		{"forwarded", from + `,` + private + `, "text": "/reset", "forward_origin": {"type": "user", "sender_user": {"id": 6, "first_name": "Eve"}}`, "/reset of Eve", ""},
		{"forwarded from somebody who hides", from + `,` + private + `, "text": "hi", "forward_origin": {"type": "hidden_user", "sender_user_name": "Eve"}`, "hi of Eve", ""},
		{"forwarded from a channel", from + `,` + private + `, "text": "hi", "forward_origin": {"type": "channel", "chat": {"id": -6, "type": "channel", "title": "News"}}`, "hi of News", ""},
		{"forwarded into a group", from + `,` + group + `, "text": "/tasks", "entities": [{"type": "bot_command", "offset": 0, "length": 6}], "forward_origin": {"type": "hidden_user", "sender_user_name": "Eve"}`, "", ""},
		{"in reply to such", from + `,` + private + `, "text": "hi", "reply_to_message": {"message_id": 3, ` + private + `, "forward_origin": {"type": "secret place"}}`,
			"hi", "[.message.reply_to_message.forward_origin]"},
		{"an entity that is none", from + `,` + private + `, "text": "hi", "entities": [{"type": "bold", "offset": 0, "length": 1}, "secret"]`, "hi", "[.message.entities[1]]"},
		{"two at once", from + `,` + private + `, "text": "hi", "entities": "secret", "forward_origin": {"type": "secret"}`, "hi of ", "[.message.entities .message.forward_origin]"},
		{"a group of a new kind", from + `, "chat": {"id": -5, "type": {"secret": 1}}, "text": "hi"`, "", "[.message]"},
		{"a group without a number", from + `, "chat": {"id": "secret", "type": "supergroup"}, "text": "hi"`, "", "[.message]"},
		{"a bot that is none", `"from": {"id": 5, "is_bot": "secret"}, ` + private + `, "text": "hi"`, "", "[.message]"},
		{"in the name of a secret chat", from + `, "sender_chat": "secret", ` + private + `, "text": "hi"`, "", "[.message]"},
		{"of a topic", from + `, ` + group + `, "text": "/tasks", "entities": [{"type": "bot_command", "offset": 0, "length": 6}], "message_thread_id": "secret"`, "", "[.message]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			k := &keeper{}
			var log strings.Builder
			c, err := New(Options{Account: "main", Token: "7:x", Receiver: k, Logger: slog.New(slog.NewTextHandler(&log, nil)), Client: &http.Client{Transport: nowhere{}}})
			if err != nil {
				t.Fatal(err)
			}
			c.me.ID, c.me.Username = 7, "errand_bot"
			updates := c.decode([]json.RawMessage{json.RawMessage(`{"update_id": 9, "message": {"message_id": 1, "date": 1, ` + tt.message + `}}`)})
			if len(updates) != 1 || updates[0].ID != 9 { // without its number nothing is confirmed
				t.Fatalf("updates are %+v", updates)
			}
			if err := c.receiveUpdate(t.Context(), updates[0]); err != nil {
				t.Fatal(err)
			}
			text := ""
			for _, in := range k.came {
				text += in.Text
				if in.Forwarded {
					text += " of " + in.ForwardedFrom
				}
			}
			if text != tt.text || !strings.Contains(log.String(), tt.log) || strings.Contains(log.String(), "secret") {
				t.Errorf("came %q, and the log has %s", text, log.String())
			}
		})
	}
}

// TestNoFieldLosesMessage proves that whatever a field of a message is, of those that do
// not say whose it is and where, its words are read.
func TestNoFieldLosesMessage(t *testing.T) {
	c, err := New(Options{Account: "main", Token: "7:x", Receiver: &keeper{}, Logger: slog.New(slog.DiscardHandler), Client: &http.Client{Transport: nowhere{}}})
	if err != nil {
		t.Fatal(err)
	}
	fields := []string{"field_of_tomorrow"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[models.Message]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "text" && !slices.Contains(needed, name) {
			fields = append(fields, name)
		}
	}
	for _, field := range fields {
		for _, value := range []string{`7`, `"x"`, `true`, `null`, `[]`, `{}`, `[7]`, `[{}]`, `{"type": "new"}`, `[{"type": "new"}]`, `{"chat": 7}`, `{"user": {"id": "x"}}`} {
			raw := `{"update_id": 9, "message": {"message_id": 1, "date": 1, "from": {"id": 5}, "chat": {"id": 5, "type": "private"}, "text": "hi", "` + field + `": ` + value + `}}`
			updates := c.decode([]json.RawMessage{json.RawMessage(raw)})
			if len(updates) != 1 || updates[0].Message == nil || updates[0].Message.Text != "hi" {
				t.Errorf("%s %s loses the message", field, value)
			}
		}
	}
}
