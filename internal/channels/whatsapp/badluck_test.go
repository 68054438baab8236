package whatsapp_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.mau.fi/whatsmeow/proto/waE2E"

	"errand/internal/service"
	"errand/internal/test/intaketest"
	platform "errand/internal/test/sim/whatsapp"
)

// TestRefusedAttachments proves that whoever sends what errand cannot take reads so.
func TestRefusedAttachments(t *testing.T) {
	large := func(m *waE2E.ImageMessage) { m.FileLength = ptr(uint64(50 << 20)) }
	tests := []struct {
		name string
		send func(*rig)
		told string
	}{
		{"a sticker", func(r *rig) { r.sent(r.ana.SendSticker(r.t.Context(), r.account.JID(), []byte("webp"))) },
			"I cannot take stickers yet. Please write it as text."},
		{"a vCard", func(r *rig) { r.sent(r.ana.SendContact(r.t.Context(), r.account.JID(), "Cleo", "491700")) }, cannotTake},
		{"a poll", func(r *rig) { r.sent(r.ana.SendPoll(r.t.Context(), r.account.JID(), "lunch?", "yes", "no")) }, cannotTake},
		{"a place", func(r *rig) { r.sent(r.ana.SendLocation(r.t.Context(), r.account.JID(), 52.5, 13.4)) }, cannotTake},
		{"50 MB", func(r *rig) { r.image(large) }, "file.png is too large. I can take at most 20 MB with a message."},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, service.AccessOpen, func(d *intaketest.Deps) { d.AttachmentBytes = 20_000_000 })
			r.connect()
			tt.send(r)
			r.write(r.ana, r.account.JID(), "and?")
			r.accepted(2)
			if notices := r.notices(); !slices.Equal(notices, []string{tt.told}) {
				t.Errorf("Ana is told %q", notices)
			}
			if in := r.inbox(anasChat, r.gate.Outcomes()[0].Person); !slices.Equal(in, []string{"and?"}) {
				t.Errorf("the session has %q", in)
			}
		})
	}
}

// sent checks that something was sent.
func (r *rig) sent(_ string, err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

// TestUnpaired proves that somebody who was not let in starts nothing, whichever
// of their addresses WhatsApp shows, and is asked for one pairing, not for two.
func TestUnpaired(t *testing.T) {
	r := newRig(t, service.AccessPairing)
	r.connect()
	for i, as := range []platform.Addressing{platform.ByLID, platform.ByPhone, platform.ByPhoneOnly, platform.ByLIDOnly} {
		r.ana.ShowAs(as)
		r.write(r.ana, r.account.JID(), fmt.Sprint("let me in ", i))
		r.accepted(i + 1)
	}
	for _, got := range r.gate.Outcomes() {
		if got.Refused == "" || got.Code != r.gate.Outcomes()[0].Code {
			t.Errorf("it became %+v, the first %+v", got, r.gate.Outcomes()[0])
		}
	}
	notices := r.notices()
	if len(notices) == 0 || slices.ContainsFunc(notices, func(text string) bool { return !strings.Contains(text, strings.ToUpper(r.gate.Outcomes()[0].Code)) }) {
		t.Errorf("Ana is told %q", notices)
	}
}

// TestHundred proves that a hundred messages at once are taken in order, none
// twice, and that who is too fast is told so rather than ignored.
func TestHundred(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.connect()
	release := r.account.Hold()
	var want []string
	for i := range 100 {
		want = append(want, fmt.Sprint("message ", i))
		r.write(r.ana, r.account.JID(), want[i])
	}
	release()
	r.accepted(100)
	in := r.inbox(anasChat, r.gate.Outcomes()[0].Person)
	if len(in) == 0 || !slices.Equal(in, want[:len(in)]) {
		t.Errorf("the session has %q", in)
	}
	notices := r.notices()
	if len(in) < 100 && (len(notices) == 0 || len(notices) > 2 || !strings.Contains(notices[0], "too fast")) {
		t.Errorf("%d are taken, and Ana is told %q", len(in), notices)
	}
}

// TestControlCharacters proves that what nobody can see costs nobody their
// message, and that a text of nothing else is said to be empty rather than kept.
func TestControlCharacters(t *testing.T) {
	r := newRig(t, service.AccessOpen)
	r.connect()
	texts := []string{"a\x00b\x07c", "שלום \u202eevil\u202c עולם", "👨\u200d👩\u200d👧\u200d👦 family", "@everyone", "\u0000\u0007"}
	for _, text := range texts {
		r.write(r.ana, r.account.JID(), text)
	}
	r.write(r.ana, r.account.JID(), "last")
	r.until("all came", func() bool { return r.account.Waiting() == 0 && len(r.gate.Arrivals()) >= 5 })
	in := r.inbox(anasChat, r.gate.Outcomes()[0].Person)
	if len(in) != 5 || in[0] != "abc" || !strings.Contains(in[1], "שלום") || in[2] != texts[2] || in[3] != "@everyone" || in[4] != "last" {
		t.Errorf("the session has %q", in)
	}
}
