package telegram

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"errand/internal/channels"
	"errand/internal/intake"
)

type checkReceiver struct{ t *testing.T }

func (g checkReceiver) Receive(_ context.Context, in intake.Inbound) (intake.Outcome, error) {
	switch {
	case in.Route.Chat == "", len(in.Sender.IDs) != 1, in.Sender.Bot, in.MessageID == "", len(in.MessageID) > 200:
		g.t.Errorf("let through %+v", in)
	case strings.TrimSpace(in.Text) == "" && in.Unreadable == "":
		g.t.Errorf("nothing was let through: %+v", in)
	case !utf8.ValidString(in.Text):
		g.t.Errorf("not UTF-8: %q", in.Text)
	}
	return intake.Outcome{}, nil
}

// nowhere is a network that is not there.
type nowhere struct{}

func (nowhere) RoundTrip(*http.Request) (*http.Response, error) { return nil, http.ErrHandlerTimeout }

// FuzzTake proves that no update makes us panic, and that none gets through that
// names nobody or says nothing.
func FuzzTake(f *testing.F) {
	for _, seed := range []string{
		`{"update_id": 1, "message": {"message_id": 1, "from": {"id": 5, "first_name": "Ana"}, "chat": {"id": 5, "type": "private"}, "date": 1, "text": "hello"}}`,
		`{"update_id": 2, "edited_message": {"message_id": 1, "from": {"id": 5}, "chat": {"id": -5, "type": "supergroup"}, "edit_date": 9, "text": "@errand_bot 😀", "entities": [{"type": "mention", "offset": 0, "length": 11}], "reply_to_message": {"message_id": 3, "chat": {"id": -5, "type": "group"}}}}`,
		`{"update_id": 3, "callback_query": {"id": "1", "from": {"id": 5}, "data": "#1", "message": {"message_id": 7, "date": 1, "chat": {"id": 5, "type": "private"}, "reply_markup": {"inline_keyboard": [[{"text": "Yes", "callback_data": "#1"}]]}}}}`,
		`{"update_id": 4, "message": {"message_id": 1, "from": {"id": 5}, "chat": {"id": 5, "type": "private"}, "date": 1, "text": "/start@errand_bot", "is_topic_message": true, "message_thread_id": 4, "reply_to_message": {"message_id": 4}}}`,
		`{"update_id": 5, "message": {"message_id": 1, "from": {"id": 5}, "chat": {"id": 5}, "entities": [{"type": "bot_command", "offset": -1, "length": 99999}], "sticker": {}, "media_group_id": "x"}}`,
		`{"update_id": 6, "callback_query": {"id": "1", "from": {"id": 5}}}`, `{"update_id": 7, "my_chat_member": {}}`, `{}`, `[]`, `null`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := New(Options{Account: "main", Token: "7:x", Receiver: checkReceiver{t}, Logger: slog.New(slog.DiscardHandler), Client: &http.Client{Transport: nowhere{}}})
		if err != nil {
			t.Fatal(err)
		}
		c.me.ID, c.me.Username = 7, "errand_bot"
		if !json.Valid([]byte(raw)) {
			t.Skip()
		}
		for _, u := range c.decode([]json.RawMessage{json.RawMessage(raw)}) {
			if err := c.receiveUpdate(t.Context(), u); err != nil {
				t.Errorf("%s: %v", raw, err)
			}
		}
	})
}

// answers answers every call with the same.
type answers string

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(string(a)))}, nil
}

// TestNoUpdates proves that what is no update is not asked for again at once.
func TestNoUpdates(t *testing.T) {
	for _, list := range []string{`[{}]`, `[7, "x", null]`, `[{"update_id": -3}]`, `[{"update_id": "one"}]`} {
		c, err := New(Options{Account: "main", Token: "7:x", Receiver: checkReceiver{t}, Logger: slog.New(slog.DiscardHandler),
			Client: &http.Client{Transport: answers(`{"ok": true, "result": ` + list + `}`)}})
		if err != nil {
			t.Fatal(err)
		}
		c.shown = true
		c.Set(channels.Status{State: channels.Connected})
		if err := c.once(t.Context()); err == nil {
			t.Errorf("%s is taken for updates", list)
		}
	}
}
