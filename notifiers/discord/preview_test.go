package discord_test

import (
	"slices"
	"strings"
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/discord"
	"errand/notifiers"
)

func (r *rig) show(n core.Notification, id string) string {
	r.t.Helper()
	id, err := r.Preview(r.t.Context(), n, id)
	if err != nil {
		r.t.Fatal(err)
	}
	return id
}

// TestReplaced proves that a reply is told in the place of the message which showed it: its
// first part, and the others behind it; that this may be done again; and that it is told
// anew where the message is gone.
func TestReplaced(t *testing.T) {
	r := newRig(t)
	n := r.note("k", "the night")
	n.ReplyTo = r.server.Write(r.chat, r.ana, "how?")
	id := r.show(n, "")
	if again := r.show(n, ""); again != id {
		t.Errorf("what is shown again is another message: %s, %s", again, id)
	}
	n.Text = "the **night** train"
	r.show(n, id)
	if lines := r.server.Lines(r.chat); len(lines) != 1 || lines[0].Text != "the **night** train" || lines[0].ReplyTo != n.ReplyTo {
		t.Errorf("Ana sees %+v", lines)
	}
	n.Text, n.Replaces, n.Options = strings.Repeat("the night train leaves at ten. ", 100), id, []string{"Book it"}
	for range 2 { // the second time as after a crash
		r.Notifier = r.restart(1)
		receipt, err := r.Notify(t.Context(), n)
		if err != nil || len(receipt.IDs) != 2 || receipt.IDs[0] != id {
			t.Fatalf("%+v, %v", receipt, err)
		}
	}
	lines := r.server.Lines(r.chat)
	if len(lines) != 2 || !strings.HasPrefix(lines[0].Text, "the night train leaves") || len(lines[0].Buttons) > 0 || !slices.Equal(lines[1].Buttons, []string{"Book it"}) {
		t.Errorf("Ana sees %+v", lines)
	}
	r.Notifier = r.restart(1)
	if receipt, ok, err := r.Delivered(t.Context(), n); !ok || err != nil || len(receipt.IDs) != 2 || receipt.IDs[0] != id {
		t.Errorf("whether it was told: %+v, %t, %v", receipt, ok, err)
	}
	r.server.Delete(r.chat, id)
	_, err := r.Preview(t.Context(), n, id)
	if send := sendError(t, err); send.Outcome != notifiers.Refused {
		t.Errorf("that it is deleted is %v", send)
	}
	n.Text = "by train"
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if lines := r.server.Lines(r.chat); len(lines) != 2 || lines[1].Text != "by train" || lines[1].ReplyTo != n.ReplyTo {
		t.Errorf("where it was deleted Ana sees %+v", lines)
	}
}

// TestReplacedInDoubt proves that what is told in the place of a message is not in doubt
// when nobody answers: it is told again, without a mark, and is there once.
func TestReplacedInDoubt(t *testing.T) {
	for _, kind := range []platform.FaultKind{platform.DieAfter, platform.DieBefore, platform.Broken, platform.TooMany} {
		t.Run(string(kind), func(t *testing.T) {
			r := newRig(t)
			n := r.note("k", "the night")
			n.Replaces = r.show(n, "")
			n.Text = "the night train"
			r.server.Order(platform.EditMessage, platform.Fault{Kind: kind})
			_, err := r.Notify(t.Context(), n)
			if send := sendError(t, err); send.Outcome != notifiers.NotSent {
				t.Errorf("it is %v", send)
			}
			if _, err := r.Notify(t.Context(), n); err != nil {
				t.Error(err)
			}
			if lines := r.server.Lines(r.chat); len(lines) != 1 || lines[0].Text != "the night train" {
				t.Errorf("Ana sees %+v", lines)
			}
		})
	}
}

// TestDeleted proves that a message that shows a reply can be deleted, also twice, and after the
// platform took the call and did not answer.
func TestDeleted(t *testing.T) {
	r := newRig(t)
	n := r.note("k", "the night")
	id := r.show(n, "")
	n = core.Notification{Key: "delete", Route: n.Route, Event: core.EventNotice, Replaces: id}
	r.server.Order(platform.DeleteMessage, platform.Fault{Kind: platform.DieAfter})
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
	if lines := r.server.Lines(r.chat); len(lines) > 0 {
		t.Errorf("Ana sees %+v", lines)
	}
}
