package whatsapp_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	platform "errand/internal/channels/whatsapp"
	"errand/internal/core"
	"errand/notifiers"
	"errand/notifiers/whatsapp"
)

// TestShape proves how a notification looks on a phone.
func TestShape(t *testing.T) {
	r := newRig(t)
	r.MessageText = func(_ context.Context, _ core.Route, id string) (string, error) {
		return "shall I? " + strings.Repeat("long ", 100), nil
	}
	asked, err := r.ana.Write(t.Context(), r.account.JID(), "shall I?")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	send := func(change func(*core.Notification), as string) {
		t.Helper()
		n := r.note("k"+as, "**Yes** or _no_?")
		change(&n)
		if _, err := r.Notify(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		want = append(want, as)
		r.reads(want...)
	}
	send(func(n *core.Notification) { n.ReplyTo = asked }, "*Yes* or _no_?")
	if l := r.lines()[0]; l.ReplyTo != asked || !strings.HasPrefix(l.Quote, "shall I? long") || utf8.RuneCountInString(l.Quote) > 301 {
		t.Errorf("it quotes %q: %q", l.ReplyTo, l.Quote)
	}
	send(func(n *core.Notification) { n.Options = []string{"Yes", "", " book\nit "} }, "*Yes* or _no_?\n\n1. Yes\n2. book it")
	send(func(n *core.Notification) { n.Text = "" }, "…")
	send(func(n *core.Notification) { n.Event, n.Text = core.EventNotice, "one\ntwo\n\n  three" }, "one\ntwo\n\n  three")
	send(func(n *core.Notification) { n.Text, n.Route.Chat = "by LID", r.ana.LID().String() }, "by LID")
	send(func(n *core.Notification) { n.Text, n.Route.Chat = "by digits", "+49 171 1234567" }, "by digits")
	send(func(n *core.Notification) {
		n.Text, n.Route.Chat = "to the session's", ""
		n.Session = core.NewSessionKey(core.Route{Channel: "whatsapp", Account: "main", Chat: r.ana.LID().String()}, "p")
	}, "to the session's")
}

// TestMarksAreSeen proves that of what errand says itself a phone obeys no marks.
func TestMarksAreSeen(t *testing.T) {
	r := newRig(t)
	n := r.note("k", "task *t-1* of _finn_: 2*3, a_b, `x`, ~y~")
	n.Event = core.EventNotice
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	r.until("it is there", func() bool { return len(r.lines()) == 1 })
	text := r.lines()[0].Text
	if strings.ReplaceAll(text, "\u200b", "") != n.Text {
		t.Errorf("Ana reads %q", text)
	}
	for _, styled := range []string{"*t-1*", "_finn_", "`x`", "~y~"} {
		if strings.Contains(text, " "+styled) {
			t.Errorf("%s is shown as a style in %q", styled, text)
		}
	}
}

// TestLongText proves that a long text arrives whole and in order.
func TestLongText(t *testing.T) {
	r := newRig(t)
	text := strings.Repeat("a line of what is a long answer 😀\n", 3000)
	receipt, err := r.Notify(t.Context(), r.note("k", text))
	if err != nil || len(receipt.IDs) < 2 {
		t.Fatal(receipt, err)
	}
	r.until("all is there", func() bool { return len(r.lines()) == len(receipt.IDs) })
	var all []string
	for i, l := range r.lines() {
		if l.ID != receipt.IDs[i] {
			t.Errorf("part %d is %s, want %s", i, l.ID, receipt.IDs[i])
		}
		all = append(all, l.Text)
	}
	if got := strings.Join(strings.Fields(strings.Join(all, "\n")), " "); got != strings.Join(strings.Fields(text), " ") {
		t.Error("something is missing")
	}
}

// TestSigns proves what is shown besides messages: that somebody writes, that a
// message was seen and answered, and how far something is.
func TestSigns(t *testing.T) {
	r := newRig(t)
	route := r.note("", "").Route
	id, err := r.ana.Write(t.Context(), r.account.JID(), "hello")
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Typing(t.Context(), route); err != nil {
		t.Fatal(err)
	}
	r.until("Ana sees that somebody writes", func() bool { return r.ana.Typing(r.account.JID()) })
	for _, mark := range []struct {
		mark notifiers.Mark
		want string
	}{{notifiers.Seen, "👀"}, {notifiers.Done, "✅"}, {notifiers.None, ""}} {
		if err := r.React(t.Context(), route, id, mark.mark); err != nil {
			t.Fatal(err)
		}
		r.until("the mark "+mark.want, func() bool { return r.ana.Sees(r.account.JID())[0].Reactions["Errand"] == mark.want })
	}
	first, err := r.ShowProgress(t.Context(), route, "step 1: *searching*", "")
	if err != nil {
		t.Fatal(err)
	}
	same, err := r.ShowProgress(t.Context(), route, "step 2", first)
	if err != nil || same != first {
		t.Errorf("then it is %q, %v", same, err)
	}
	r.until("the step", func() bool { l := r.lines(); return len(l) == 1 && l[0].Edited && l[0].Text == "step 2" })
}

// TestGroup proves that in a group it is seen whose message is answered.
func TestGroup(t *testing.T) {
	r := newRig(t)
	ben, err := r.server.AddPerson("Ben", "+491719999999")
	if err != nil {
		t.Fatal(err)
	}
	group := r.server.AddGroup("Team", r.account.Person, r.ana, ben)
	id, err := r.ana.Write(t.Context(), group.JID, "which train?")
	if err != nil {
		t.Fatal(err)
	}
	// What comes while something is encrypted for its sender has that encrypted anew.
	r.until("it is taken", func() bool { return r.account.Waiting() == 0 })
	by := platform.FormatMessageID(id, r.ana.JID().String())
	n := r.note("k", "the late one")
	n.Route.Chat, n.ReplyTo = group.JID.String(), by
	if _, err := r.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	if err := r.React(t.Context(), n.Route, by, notifiers.Done); err != nil {
		t.Fatal(err)
	}
	r.until("Ben sees both", func() bool {
		l := ben.Sees(group.JID)
		return len(l) == 2 && l[1].Text == "the late one" && l[1].ReplyTo == id && l[0].Reactions["Errand"] == "✅"
	})
	group.Kick(r.account.Person)
	// What comes behind is handled behind: whatsmeow changes its list of members
	// while others read it.
	if _, err := r.ana.Write(t.Context(), r.account.JID(), "they are out"); err != nil {
		t.Fatal(err)
	}
	r.until("it was told", func() bool { return r.account.Waiting() == 0 })
	r.until("it is known", func() bool {
		n.Key += "x"
		_, err := r.Notify(t.Context(), n)
		return err != nil && sendError(t, err).Outcome == notifiers.Refused && strings.Contains(err.Error(), "not in the group")
	})
}

// TestOrder proves that what many send to a chat at once arrives in the order in
// which it was given to send, one by one, at its pace.
func TestOrder(t *testing.T) {
	r := rigWith(t, whatsapp.Options{Timeout: 10 * time.Second, Rates: whatsapp.Rates{Chat: 20 * time.Millisecond, All: 1}}, time.Millisecond)
	var want []string
	begun := time.Now()
	for i := range 10 {
		want = append(want, "message "+string(rune('a'+i)))
		if _, err := r.Notify(t.Context(), r.note(want[i], want[i])); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(begun); d < 6*20*time.Millisecond {
		t.Errorf("ten messages took %s", d)
	}
	var got []string
	for _, l := range r.reads(want...) {
		got = append(got, l.Text)
	}
	if !slices.Equal(got, want) {
		t.Errorf("Ana sees %q", got)
	}
}

// TestBlocked proves what is known of a message to somebody who has blocked the
// account: nothing. WhatsApp takes it as any other, so that nobody learns of it.
func TestBlocked(t *testing.T) {
	r := newRig(t)
	r.ana.Block(r.account.Person, true)
	if _, err := r.Notify(t.Context(), r.note("k", "the late one")); err != nil {
		t.Errorf("it is told of: %v", err)
	}
	r.ana.Block(r.account.Person, false)
	if _, err := r.Notify(t.Context(), r.note("k2", "another one")); err != nil {
		t.Error(err)
	}
	r.reads("another one")
}
