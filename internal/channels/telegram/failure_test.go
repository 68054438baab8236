package telegram_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"errand/internal/channels/telegram"
	"errand/notifiers"
)

// TestExplain proves what each answer of Telegram's means for both halves, that what
// was not answered by Telegram itself is never taken for a refusal, and that no error
// has the token in it.
func TestExplain(t *testing.T) {
	const token = "7:secret"
	for _, tt := range []struct {
		name   string
		status int
		answer string
		want   notifiers.Failure
		advice string
		text   string
	}{
		{"blocked", 403, `{"ok": false, "error_code": 403, "description": "Forbidden: bot was blocked by the user"}`, notifiers.Failure{Kind: notifiers.FailureRefused}, "", "unblock it"},
		{"kicked", 403, `{"ok": false, "error_code": 403, "description": "Forbidden: bot was kicked from the group chat"}`, notifiers.Failure{Kind: notifiers.FailureRefused, ChatGone: true}, "", "add it again"},
		{"malformed", 400, `{"ok": false, "error_code": 400, "description": "Bad Request: who knows"}`, notifiers.Failure{Kind: notifiers.FailureRefused}, "", "who knows"},
		{"revoked", 401, `{"ok": false, "error_code": 401, "description": "Unauthorized"}`, notifiers.Failure{Kind: notifiers.FailureLoggedOut, RetryAfter: time.Minute}, "`errand channels add telegram --account finn`", "does not know the token (401)"},
		{"too many", 429, `{"ok": false, "error_code": 429, "description": "Too Many Requests", "parameters": {"retry_after": 9}}`, notifiers.Failure{Kind: notifiers.FailureNotDone, RetryAfter: 9 * time.Second}, "", "429"},
		{"moved", 400, `{"ok": false, "error_code": 400, "description": "Bad Request: group chat was upgraded", "parameters": {"migrate_to_chat_id": -100123}}`, notifiers.Failure{Kind: notifiers.FailureNotDone}, "", "another id"},
		{"another poll", 409, `{"ok": false, "error_code": 409, "description": "Conflict: terminated by other getUpdates request"}`, notifiers.Failure{Kind: notifiers.FailureReplaced}, "another program polls", "409"},
		{"a webhook", 409, `{"ok": false, "error_code": 409, "description": "Conflict: can't use getUpdates method while webhook is active"}`, notifiers.Failure{Kind: notifiers.FailureUnknown}, "another program sets a webhook", "409"},
		{"a fault", 500, `{"ok": false, "error_code": 500, "description": "Internal Server Error"}`, notifiers.Failure{Kind: notifiers.FailureUnknown}, "", "broke off"},
		{"a proxy", 404, `<html>not found</html>`, notifiers.Failure{Kind: notifiers.FailureUnknown}, "", "broke off"},
		{"half an answer", 200, `{"ok": true, "result": {"message_id": "x"}}`, notifiers.Failure{Kind: notifiers.FailureUnknown}, "", "broke off"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				io.WriteString(w, tt.answer)
			}))
			defer server.Close()
			var sent struct {
				ID int `json:"message_id"`
			}
			err := telegram.NewClient(token, server.URL+"/", nil).Call(t.Context(), "sendMessage", map[string]any{"chat_id": 1}, &sent)
			if err == nil || strings.Contains(err.Error(), token) {
				t.Fatalf("the error is %v", err)
			}
			f := telegram.Explain(err, "finn")
			if f.Kind != tt.want.Kind || f.RetryAfter != tt.want.RetryAfter || f.ChatGone != tt.want.ChatGone {
				t.Errorf("it means %+v, want %+v", f, tt.want)
			}
			if !strings.Contains(f.Err.Error(), tt.text) || !strings.Contains(f.Advice, tt.advice) || tt.advice == "" && f.Advice != "" {
				t.Errorf("it says %q, and advises %q", f.Err, f.Advice)
			}
		})
	}
	for name, want := range map[string]notifiers.FailureKind{"http://127.0.0.1:1": notifiers.FailureNotDone, "http://%zz": notifiers.FailureUnknown} {
		err := telegram.NewClient(token, name, nil).Call(t.Context(), "getMe", nil, nil)
		if f := telegram.Explain(err, "main"); f.Kind != want || strings.Contains(err.Error(), token) {
			t.Errorf("at %s it is %v, which means %+v", name, err, f)
		}
	}
	if f := telegram.Explain(context.DeadlineExceeded, "main"); f.Kind != notifiers.FailureUnknown || !strings.Contains(f.Err.Error(), "in time") {
		t.Errorf("no answer in time means %+v", f)
	}
}

// TestMessageIDs proves that a message of a group that has moved is not taken for the
// one of the same number before, nor the other way round.
func TestMessageIDs(t *testing.T) {
	then, now := telegram.Chat{ID: -5}, telegram.Chat{ID: -1005, Moved: true}
	if id := then.FormatMessageID(12); id != "12" {
		t.Errorf("before, it is %q", id)
	}
	if id := now.FormatMessageID(12); id != "12@-1005" {
		t.Errorf("now, it is %q", id)
	}
	for _, tt := range []struct {
		chat telegram.Chat
		id   string
		want int
	}{{then, "12", 12}, {then, "12@-1005", 0}, {now, "12@-1005", 12}, {now, "12", 0}, {now, "12@-5", 0}, {then, "press-12-7-ab", 0}, {then, "0", 0}, {then, "", 0}} {
		if n, ok := tt.chat.ParseMessageID(tt.id); n != tt.want || ok != (tt.want > 0) {
			t.Errorf("%q of %+v is %d, %t", tt.id, tt.chat, n, ok)
		}
	}
	if _, err := (telegram.Chats{}).Now(t.Context(), "ana"); !errors.Is(err, telegram.ErrNoChat) {
		t.Errorf("what is no id: %v", err)
	}
}
