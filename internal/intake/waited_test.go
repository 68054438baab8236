package intake_test

import (
	"errors"
	"testing"
	"time"

	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/test/intaketest"
	"errand/internal/test/servicetest"
)

// TestWhatWaited proves that what somebody wrote over hours is taken when it all
// comes at once, in whatever order, and that of each minute of it as much is taken
// as would have been; no date that is none makes room for more.
func TestWhatWaited(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		sent    func(i int) time.Duration // ago
		tooFast int                       // of 30
	}{
		{"spread over an hour", func(i int) time.Duration { return time.Hour - time.Duration(i)*2*time.Minute }, 0},
		{"of two chats, one after the other", func(i int) time.Duration { return time.Hour - time.Duration(i%15)*2*time.Minute }, 0},
		{"three in each minute", func(i int) time.Duration { return time.Hour - time.Duration(i/3)*time.Minute }, 0},
		{"all in one minute", func(i int) time.Duration { return time.Hour - time.Duration(i)*time.Second }, 27},
		{"in two minutes", func(i int) time.Duration { return time.Hour - time.Duration(i%2)*time.Minute }, 24},
		{"just now", func(i int) time.Duration { return time.Duration(i) * time.Second }, 27},
		{"in the future", func(i int) time.Duration { return -time.Duration(i) * time.Hour }, 27},
		{"long ago", func(i int) time.Duration { return 100*24*time.Hour + time.Duration(i)*time.Hour }, 27},
	}
	for _, tt := range tests {
		for _, known := range []bool{true, false} {
			d := newDoor(t, paced(intake.Rates{Person: 3, Channel: 4}))
			n := 0
			got := d.flood(30, func(in *intake.Inbound) {
				in.Text, in.Sent = "hello", d.now.Add(-tt.sent(n))
				if n++; !known {
					in.Sender.IDs = []string{"99"}
				}
			})
			if got != tt.tooFast {
				t.Errorf("%s (known: %t): %d were too fast, want %d", tt.name, known, got, tt.tooFast)
			}
		}
	}
}

// TestCountedOnce proves that what the inbox has already costs nothing when it is
// delivered again, and is not refused either.
func TestCountedOnce(t *testing.T) {
	for text, tooFast := range map[string]int{"hello": 1, "/language es": 1, "/stop": 0} {
		d := newDoor(t, paced(intake.Rates{Person: 3, Channel: 3}))
		first := d.inEnglish(text)
		again := func(when string) {
			t.Helper()
			if _, err := d.Receive(t.Context(), first); err != nil {
				t.Errorf("%s, %s: %v", text, when, err)
			}
		}
		for range 1 + 3 {
			again("while there is room")
		}
		reported := len(d.notices())
		if got := d.flood(3, func(in *intake.Inbound) { in.Text = "hello" }); got != tooFast {
			t.Errorf("%s: then %d of 3 are too fast, want %d", text, got, tooFast)
		}
		again("when others are too fast")
		if n := len(d.notices()); n != reported+tooFast {
			t.Errorf("%s: %d are told something more", text, n-reported)
		}
		if d.flood(1, func(in *intake.Inbound) { in.Text = "/stop" }); len(d.notices()) != reported+tooFast+1 {
			t.Errorf("%s: the next /stop is not answered", text)
		}
	}
}

// TestOneMessageWithoutEnd proves that nobody gets around the rate with messages
// that all have one id, and that none of them is answered.
func TestOneMessageWithoutEnd(t *testing.T) {
	d := newDoor(t, paced(intake.Rates{Person: 3}))
	in := d.inEnglish("hello")
	d.signals.IDs = nil
	for range 100 {
		if out, err := d.Receive(t.Context(), in); err != nil || out.Refused != "" {
			t.Fatal(out, err)
		}
	}
	if n := len(d.signals.IDs); n > 3+3 {
		t.Errorf("the session was signalled %d times", n)
	}
	if got := d.flood(1, func(in *intake.Inbound) { in.Text = "another" }); got != 1 || len(d.reads()) != 1 || len(d.notices()) != 1 {
		t.Errorf("of another %d are too fast; they say %q and are told %q", got, d.reads(), d.notices())
	}
}

// TestMessageIsCountedWhenAccepted proves that a message that has to come again, because of
// something that is not its own fault, is counted when it is taken.
func TestMessageIsCountedWhenAccepted(t *testing.T) {
	for _, mode := range []service.AccessMode{service.AccessPairing, service.AccessOpen} {
		d := newDoor(t, func(deps *intaketest.Deps) {
			deps.AttachmentBytes, deps.Rates = 1000, intake.Rates{Person: 1, Channel: 1}
			deps.Access = map[string]service.Access{"whatsapp/main": {Mode: mode}}
		})
		in := d.with("read it", &parcel{name: "a.txt", err: errors.New("no connection")})
		if mode == service.AccessOpen {
			in.Sender.IDs = []string{"99"} // a stranger, the first time
		}
		for i := range 3 {
			_, err := d.Receive(t.Context(), in)
			var no *service.Error
			if errors.As(err, &no) || (err == nil) != (i == 2) {
				t.Errorf("%s: attempt %d: %v", mode, i+1, err)
			}
		}
		in.MessageID = "next"
		_, err := d.Receive(t.Context(), in)
		servicetest.WantRefusal(t, err, service.KindTooMany, "60 seconds")
	}
}
