package intake_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/intaketest"
)

// TestAnswersOnPlatforms proves that whoever writes on a platform is told what no
// agent says, in reply to what they wrote, once however often it is received.
func TestAnswersOnPlatforms(t *testing.T) {
	tests := []struct {
		name    string
		arrival intake.Inbound
		refused bool
		want    string
	}{
		{"a command", intake.Inbound{Text: "/whoami"}, false, "GUEST"},
		{"a command there is not", intake.Inbound{Text: "/taks"}, false, "no command /taks"},
		{"too long", intake.Inbound{Text: strings.Repeat("x", 70<<10)}, true, "demasiado largo"},
		{"nothing to read", intake.Inbound{Unreadable: intake.Sticker}, false, "no puedo"},
		{"a picture with words", intake.Inbound{Unreadable: intake.Image, Text: "what is this?"}, false, "imágenes"},
		{"words", intake.Inbound{Text: "hello"}, false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, nil)
			if err := d.Link(t.Context(), d.admin(), "guest", "whatsapp", "", "7"); err != nil {
				t.Fatal(err)
			}
			in := d.inbound(tt.arrival.Text, "7")
			in.Unreadable = tt.arrival.Unreadable
			for range 3 {
				_, err := d.Receive(t.Context(), in)
				var no *service.Error
				if errors.As(err, &no) != tt.refused || err != nil && no == nil {
					t.Fatalf("Receive: %v", err)
				}
			}
			rows, err := d.store.Deliveries(t.Context(), nil, store.Page{})
			if err != nil {
				t.Fatal(err)
			}
			if tt.want == "" {
				if len(rows) > 0 {
					t.Errorf("they are told %q", rows[0].Text)
				}
				return
			}
			if len(rows) != 1 || rows[0].ReplyTo != in.MessageID || rows[0].Route != in.Route || rows[0].Event != core.EventNotice {
				t.Fatalf("they are told %+v", rows)
			}
			if !strings.Contains(strings.ToLower(rows[0].Text), strings.ToLower(tt.want)) {
				t.Errorf("they are told %q, want %q", rows[0].Text, tt.want)
			}
			if !slices.ContainsFunc(d.signals.IDs, func(id string) bool { return strings.HasPrefix(id, "outbox/") }) {
				t.Errorf("nobody delivers it: %v", d.signals.IDs)
			}
		})
	}
}

// TestTooFastIsAnsweredOnce proves that a flood is not answered with a flood.
func TestTooFastIsAnsweredOnce(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Rates = intake.Rates{Person: 2} })
	if err := d.Link(t.Context(), d.admin(), "guest", "whatsapp", "", "7"); err != nil {
		t.Fatal(err)
	}
	refused := 0
	for range 20 {
		if _, err := d.Receive(t.Context(), d.inbound("hello", "7")); err != nil {
			refused++
		}
	}
	if notices := d.notices(); refused != 18 || len(notices) != 1 || !strings.Contains(notices[0], "dentro de 30 s") {
		t.Errorf("%d messages were refused, and %q told", refused, notices)
	}
}

// TestDrawnIDs proves that what a sender has drawn as the id of a message can
// keep no other message from coming in: it is refused for good, and a reply to
// nothing is no reply.
func TestDrawnIDs(t *testing.T) {
	d := newDoor(t, nil)
	if err := d.Link(t.Context(), d.admin(), "guest", "whatsapp", "", "7"); err != nil {
		t.Fatal(err)
	}
	for _, drawn := range []string{"", "\x00", "\xff", strings.Repeat("x", 300)} {
		for _, text := range []string{"hello", "/pair", ""} {
			in := d.inbound(text, "7")
			in.MessageID, in.Deleted = drawn, text == ""
			var no *service.Error
			if _, err := d.Receive(t.Context(), in); !errors.As(err, &no) {
				t.Errorf("%q with the id %.5q: %v", text, drawn, err)
			}
		}
		in := d.inbound("hello", "7")
		in.ReplyTo, in.Album = drawn, drawn
		if out, err := d.Receive(t.Context(), in); err != nil || out.Refused != "" {
			t.Errorf("in reply to %.5q: %+v, %v", drawn, out, err)
		}
	}
	if notices := d.notices(); len(notices) > 0 {
		t.Errorf("%q is told", notices)
	}
}
