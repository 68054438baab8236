package telegram_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	platform "errand/internal/test/sim/telegram"
	"errand/notifiers"
	"errand/notifiers/telegram"
)

func (r *rig) show(n core.Notification, id string) string {
	r.t.Helper()
	id, err := r.Preview(r.t.Context(), n, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

func in(c *platform.Chat, n core.Notification) core.Notification {
	n.Route.Chat = strconv.FormatInt(c.ID, 10)
	return n
}

// TestDraft proves that a private chat shows a reply in a draft while it is written, with
// its marks, and has one message of it in the end.
func TestDraft(t *testing.T) {
	r := newRig(t)
	for _, text := range []string{"the **night", "the **night train** leaves"} {
		if id := r.show(r.note("k", text), ""); id != "" {
			t.Errorf("it is a message: %q", id)
		}
	}
	drafts := r.server.Calls("sendMessageDraft")
	if got := r.server.Draft(r.chat); got != "the night train leaves" || drafts[0].Params["draft_id"] != drafts[1].Params["draft_id"] || !strings.Contains(drafts[1].Params["entities"], "bold") {
		t.Errorf("Ana sees %q, by %+v", got, drafts)
	}
	r.server.Order("sendMessageDraft", platform.Fault{Kind: platform.TooMany, RetryAfter: 60})
	_, err := r.Preview(t.Context(), r.note("k", "the night train leaves at"), "")
	if send := sendError(t, err); send.Outcome != notifiers.NotSent || send.RetryAfter != time.Minute {
		t.Errorf("too many are %v", send)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // the answer does not wait for that
	defer cancel()
	if _, err := r.Notify(ctx, r.note("k", "the night train leaves at ten")); err != nil {
		t.Fatal(err)
	}
	if lines := r.server.Lines(r.chat); len(lines) != 1 || r.server.Draft(r.chat) != "" {
		t.Errorf("Ana sees %+v, and %q", lines, r.server.Draft(r.chat))
	}
}

// TestNoDrafts proves that a server which knows no drafts has a message in their place.
func TestNoDrafts(t *testing.T) {
	r := rigWith(t, platform.Options{PerChat: -1, PerBot: -1, PerGroup: -1, NoDrafts: true}, telegram.Rates{Chat: 1, All: 1})
	_, err := r.Preview(t.Context(), r.note("k", "the night"), "")
	if send := sendError(t, err); send.Outcome != notifiers.NotSent {
		t.Errorf("it is %v", send)
	}
	id := r.show(r.note("k", "the night"), "")
	r.show(r.note("k", "the night train"), id)
	if lines := r.server.Lines(r.chat); len(lines) != 1 || lines[0].Text != "the night train" {
		t.Errorf("Ana sees %+v", lines)
	}
}

// TestReplaced proves that a reply is told in the place of the message which showed it: its
// first part, and the others behind it; that this may be done again; and that it is told
// anew where the message is gone or cannot be changed.
func TestReplaced(t *testing.T) {
	r := newRig(t)
	group := r.server.AddGroup("Team", false, r.bot)
	asked := strconv.Itoa(r.server.Write(group, r.ana, "how?"))
	n := in(group, r.note("k", "the night"))
	n.ReplyTo = asked
	id := r.show(n, "")
	if lines := r.server.Lines(group); lines[0].Text != "…" || strconv.Itoa(lines[0].ReplyTo) != asked {
		t.Errorf("before anybody knows which message it is it says %+v", lines)
	}
	r.show(n, id)
	n.Text, n.Replaces, n.Options = strings.Repeat("the night train leaves at ten. ", 200), id, []string{"Book it"}
	for range 2 { // the second time as after a crash
		receipt, err := r.Notify(t.Context(), n)
		if err != nil || len(receipt.IDs) != 2 || receipt.IDs[0] != id {
			t.Fatalf("%+v, %v", receipt, err)
		}
		lines := r.server.Lines(group)
		if !strings.HasPrefix(lines[0].Text, "the night train leaves at ten. the") || len(lines[0].Buttons) > 0 || len(lines[1].Buttons) != 1 {
			t.Errorf("Ana sees %+v", lines)
		}
		r.server.Remove(group, lines[1].ID)
		if _, ok, err := r.Delivered(t.Context(), n); ok || err != nil {
			t.Errorf("whether it may be told again: %t, %v", ok, err)
		}
	}
	r.server.Remove(group, int(r.server.Lines(group)[0].ID))
	n.Text = "by train"
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if lines := r.server.Lines(group); len(lines) != 1 || lines[0].Text != "by train" || strconv.Itoa(lines[0].ReplyTo) != asked {
		t.Errorf("where it was deleted Ana sees %+v", lines)
	}
	_, err := r.Preview(t.Context(), n, id)
	if send := sendError(t, err); send.Outcome != notifiers.Refused {
		t.Errorf("that it is deleted is %v", send)
	}
	n.Attempts = 1
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if lines := r.server.Lines(group); len(lines) != 2 || !strings.HasPrefix(lines[1].Text, core.Repeating) {
		t.Errorf("what may have been told already is %+v", lines)
	}
}

// TestReplacedInDoubt proves that what is told in the place of a message is not in doubt
// when nobody answers: it is told again, without a mark, and is there once.
func TestReplacedInDoubt(t *testing.T) {
	for kind, want := range map[platform.FaultKind]time.Duration{platform.DieAfter: 0, platform.DieBefore: 0, platform.Broken: 0, platform.TooMany: time.Second} {
		t.Run(string(kind), func(t *testing.T) {
			r := newRig(t)
			group := r.server.AddGroup("Team", false, r.bot)
			n := in(group, r.note("k", "the night"))
			n.Replaces = r.show(n, "")
			n.Text = "the night train"
			r.server.Order("editMessageText", platform.Fault{Kind: kind})
			_, err := r.Notify(t.Context(), n)
			if send := sendError(t, err); send.Outcome != notifiers.NotSent || send.RetryAfter != want {
				t.Errorf("it is %v", send)
			}
			n.Attempts = 1
			if _, ok, err := r.Delivered(t.Context(), n); ok || err != nil {
				t.Errorf("whether it may be told again: %t, %v", ok, err)
			}
			if _, err := r.Notify(t.Context(), n); err != nil {
				t.Error(err)
			}
			if lines := r.server.Lines(group); len(lines) != 1 || lines[0].Text != "the night train" {
				t.Errorf("Ana sees %+v", lines)
			}
		})
	}
}

// TestReplacedWithoutMarks proves that a reply whose marks Telegram does not take is told
// without them.
func TestReplacedWithoutMarks(t *testing.T) {
	r := newRig(t)
	group := r.server.AddGroup("Team", false, r.bot)
	n := in(group, r.note("k", "the **night**"))
	n.Replaces = r.show(n, "")
	r.server.Order("editMessageText", platform.Fault{Kind: platform.BadEntities})
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if lines := r.server.Lines(group); len(lines) != 1 || lines[0].Text != "the night" {
		t.Errorf("Ana sees %+v", lines)
	}
}

// TestDeleted proves that a message that shows a reply can be deleted, also twice, and after the
// platform took the call and did not answer.
func TestDeleted(t *testing.T) {
	r := newRig(t)
	group := r.server.AddGroup("Team", false, r.bot)
	n := in(group, r.note("k", "the night"))
	id := r.show(n, "")
	n = core.Notification{Key: "delete", Route: n.Route, Event: core.EventNotice, Replaces: id}
	r.server.Order("deleteMessage", platform.Fault{Kind: platform.DieAfter})
	_, err := r.Notify(t.Context(), n)
	if send := sendError(t, err); send.Outcome != notifiers.NotSent {
		t.Errorf("it is %v", send)
	}
	for range 2 {
		if receipt, ok, err := r.Delivered(t.Context(), n); ok || err != nil {
			t.Errorf("whether it is done: %+v, %t, %v", receipt, ok, err)
		}
		if receipt, err := r.Notify(t.Context(), n); err != nil || len(receipt.IDs) > 0 {
			t.Errorf("%+v, %v", receipt, err)
		}
	}
	if lines := r.server.Lines(group); len(lines) > 0 {
		t.Errorf("Ana sees %+v", lines)
	}
}
