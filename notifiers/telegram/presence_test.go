package telegram_test

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	platform "errand/internal/test/sim/telegram"
	"errand/notifiers"
	"errand/notifiers/telegram"
)

// TestProgress proves that how far something is is one message that changes, which
// gives way to those that matter, and of which a failure is told.
func TestProgress(t *testing.T) {
	r := newRig(t)
	to := r.note("", "").Route
	id, err := r.ShowProgress(t.Context(), to, "⏳ **Sasha**: trains", "")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // that nothing changes is no failure
		if again, err := r.ShowProgress(t.Context(), to, "✔ **Sasha**: trains", id); err != nil || again != id {
			t.Errorf("%q, %v", again, err)
		}
	}
	if lines := r.server.Lines(r.chat); len(lines) != 1 || lines[0].Text != "✔ **Sasha**: trains" || len(lines[0].Entities) > 0 {
		t.Errorf("Ana sees %+v", lines)
	}
	if quiet := r.server.Calls("sendMessage")[0].Params["disable_notification"]; quiet != "true" {
		t.Error("it makes a sound")
	}
	if _, err := r.ShowProgress(t.Context(), to, strings.Repeat("😀", 9000), id); err != nil {
		t.Error(err)
	}
	_, err = r.ShowProgress(t.Context(), to, "x", "999")
	if send := sendError(t, err); send.Outcome != notifiers.Refused {
		t.Errorf("a message that is gone: %v", send)
	}
	r.server.Order("editMessageText", platform.Fault{Kind: platform.TooMany, RetryAfter: 40})
	_, err = r.ShowProgress(t.Context(), to, "y", id)
	if send := sendError(t, err); send.Outcome != notifiers.NotSent || send.RetryAfter != 40*time.Second {
		t.Errorf("too many: %v", send)
	}
	before := len(r.server.Calls("editMessageText"))
	_, err = r.ShowProgress(t.Context(), to, "z", id)
	var send *notifiers.SendError
	if !errors.As(err, &send) || send.RetryAfter == 0 || len(r.server.Calls("editMessageText")) != before {
		t.Errorf("while Telegram asks to wait: %v", err)
	}
	if err := r.Typing(t.Context(), to); err != nil || len(r.server.Calls("sendChatAction")) > 0 {
		t.Errorf("it shows that it writes meanwhile, %v", err)
	}
}

// TestReactions proves that a message is marked, with one mark at a time, and that
// what is none is left alone.
func TestReactions(t *testing.T) {
	r := newRig(t)
	to := r.note("", "").Route
	asked := strconv.Itoa(r.server.Write(r.chat, r.ana, "hello"))
	for mark, want := range map[notifiers.Mark]string{notifiers.Seen: "👀", notifiers.Done: "👌", notifiers.None: ""} {
		if err := r.React(t.Context(), to, asked, mark); err != nil {
			t.Errorf("%q: %v", mark, err)
		}
		if got := r.server.Sees(r.chat)[0].Reaction; got != want {
			t.Errorf("marked %q, Ana sees %q", mark, got)
		}
	}
	if err := r.React(t.Context(), to, "press-1-2-3", notifiers.Seen); err != nil || len(r.server.Calls("setMessageReaction")) != 3 {
		t.Errorf("a button that was pressed: %v", err)
	}
	if err := r.React(t.Context(), to, "999", notifiers.Seen); err == nil {
		t.Error("a message that there is not is marked")
	}
}

// TestTooMany proves that what Telegram asks to wait is kept by everything that
// is sent to the chat, and by no other chat.
func TestTooMany(t *testing.T) {
	t.Parallel()
	r := rigWith(t, platform.Options{PerChat: -1, PerBot: -1}, telegram.Rates{Chat: 1, Group: 1, All: 1})
	r.server.Order("sendMessage", platform.Fault{Kind: platform.TooMany, RetryAfter: 2})
	_, err := r.Notify(t.Context(), r.note("k1", "one"))
	sendError(t, err)
	if _, err := r.Notify(t.Context(), r.note("k2", "two")); err != nil {
		t.Error(err)
	}
	calls := r.server.Calls("sendMessage")
	if len(calls) != 2 || calls[1].At.Sub(calls[0].At) < 2*time.Second {
		t.Errorf("calls: %+v", calls)
	}
	r.server.Order("sendMessage", platform.Fault{Kind: platform.TooMany, RetryAfter: 3600})
	_, err = r.Notify(t.Context(), r.note("k3", "three"))
	sendError(t, err)
	other := r.server.Start(r.server.AddPerson(platform.Person{Name: "Ben"}), r.bot)
	// Whoever would have to wait for longer than they have is told so at once.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := r.Notify(ctx, note(other, "k4", "four")); err != nil {
		t.Error(err)
	}
	_, err = r.Notify(ctx, r.note("k5", "five"))
	sendError(t, err)
	if calls := r.server.Calls("sendMessage"); len(calls) != 4 {
		t.Errorf("calls: %+v", calls[2:])
	}
}
