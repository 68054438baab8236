package intake_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/test/intaketest"
	"errand/internal/test/servicetest"
)

func paced(r intake.Rates) func(*intaketest.Deps) {
	return func(deps *intaketest.Deps) { deps.Rates = r }
}

// flood receives so many messages and returns how many were too fast.
func (d *door) flood(n int, change func(*intake.Inbound)) (tooFast int) {
	d.t.Helper()
	for range n {
		in := d.inEnglish("")
		change(&in)
		_, err := d.Receive(d.t.Context(), in)
		var no *service.Error
		switch {
		case errors.As(err, &no) && no.Code == "too_fast":
			tooFast++
		case err != nil && no == nil:
			d.t.Fatal(err)
		}
	}
	return tooFast
}

// TestFloodOfRefusedMessages proves that what nobody can read, and what is refused,
// is counted as any message is, and that a flood of it is not answered with one.
func TestFloodOfRefusedMessages(t *testing.T) {
	tests := []struct {
		name    string
		rates   intake.Rates
		in      intake.Inbound
		tooFast int
		told    int
	}{
		{"stickers", intake.Rates{Person: 3}, intake.Inbound{Unreadable: intake.Sticker}, 27, 3 + 1},
		{"stickers, where no rate is set", intake.Rates{}, intake.Inbound{Unreadable: intake.Sticker}, 0, 10},
		{"pictures with words", intake.Rates{Person: 3}, intake.Inbound{Unreadable: intake.Image, Text: "this"}, 27, 10 + 1},
		{"too long", intake.Rates{Person: 3}, intake.Inbound{Text: strings.Repeat("x", 70<<10)}, 27, 3 + 1},
		{"empty", intake.Rates{Person: 3}, intake.Inbound{Text: "\u200b"}, 27, 3 + 1},
		{"too long, and called a /stop", intake.Rates{Person: 3}, intake.Inbound{Text: "/stop " + strings.Repeat("x", 70<<10)}, 27, 3 + 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, paced(tt.rates))
			tooFast := d.flood(30, func(in *intake.Inbound) { in.Text, in.Unreadable = tt.in.Text, tt.in.Unreadable })
			if notices := d.notices(); tooFast != tt.tooFast || len(notices) != tt.told {
				t.Errorf("%d were too fast, and %d answered: %q", tooFast, len(notices), notices)
			}
			before := len(d.notices())
			d.now = d.now.Add(time.Minute)
			d.flood(1, func(in *intake.Inbound) { in.Unreadable = intake.Sticker })
			if notices := d.notices(); len(notices) != before+1 {
				t.Errorf("a minute later they are told %q", notices[before:])
			}
		})
	}
}

// TestEveryStopIsHeard proves that whoever was let in can always stop, however
// many messages came before, and that only so many of the stops are answered; where
// the platform waits for an answer, each.
func TestEveryStopIsHeard(t *testing.T) {
	for _, text := range []string{"/stop", "/STOP\nnow", "\u200b/stop"} {
		d := newDoor(t, paced(intake.Rates{Person: 1, Channel: 1}))
		if tooFast := d.flood(5, func(in *intake.Inbound) { in.Text = "hello" }); tooFast != 4 {
			t.Fatalf("%d were too fast", tooFast)
		}
		before := len(d.notices())
		if tooFast := d.flood(30, func(in *intake.Inbound) { in.Text = text }); tooFast != 0 {
			t.Errorf("%q: %d were too fast", text, tooFast)
		}
		if notices := d.notices(); len(notices) != before+10 {
			t.Errorf("%q: %d were answered", text, len(notices)-before)
		}
		db, err := sql.Open("sqlite", d.path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var carried int
		if err := db.QueryRow(`SELECT COUNT(*) FROM inbox`).Scan(&carried); err != nil || carried != 31 {
			t.Errorf("%q: the inbox has %d (%v)", text, carried, err)
		}
		in := d.inEnglish(text)
		in.Private = true
		if out, err := d.Receive(t.Context(), in); err != nil || out.Answer == "" {
			t.Errorf("%q: to a platform that waits: %+v, %v", text, out, err)
		}
	}
}

// TestStrangersKeepNobodyWaiting proves that however many people come where anybody
// is let in, those who were known before write on, and so do those on other
// accounts of the same platform.
func TestStrangersKeepNobodyWaiting(t *testing.T) {
	for _, role := range []core.Role{core.Guest, core.Member} {
		d := newDoor(t, func(deps *intaketest.Deps) {
			deps.Rates = intake.Rates{Channel: 5}
			open := service.Access{Mode: service.AccessOpen, Role: role}
			deps.Access = map[string]service.Access{"whatsapp/main": open, "whatsapp/second": open}
		})
		if err := d.Link(t.Context(), d.admin(), "partner", "whatsapp", "", "7"); err != nil {
			t.Fatal(err)
		}
		from := func(account, sender string) error {
			in := d.inbound("hello", sender)
			in.Route.Account = account
			_, err := d.Receive(t.Context(), in)
			return err
		}
		for i := range 5 {
			if err := from("main", fmt.Sprint("1", i%2)); err != nil { // the second time they are known
				t.Fatal(err)
			}
		}
		servicetest.WantRefusal(t, from("main", "10"), service.KindTooMany, "12 seconds")
		servicetest.WantRefusal(t, from("main", "99"), service.KindTooMany, "12 seconds")
		if err := from("second", "10"); err != nil {
			t.Errorf("%s: on another account: %v", role, err)
		}
		for range 5 {
			if err := from("main", "7"); err != nil {
				t.Errorf("%s: somebody who was known before: %v", role, err)
			}
		}
		servicetest.WantRefusal(t, from("main", "7"), service.KindTooMany, "12 seconds")
		if err := from("second", "7"); err != nil {
			t.Errorf("%s: known, on another account: %v", role, err)
		}
	}
}

// TestStrangersKeepNoGuestWaiting proves that where somebody has to be let in, a
// flood of those who were not keeps none who was from writing, whatever their role.
func TestStrangersKeepNoGuestWaiting(t *testing.T) {
	for _, mode := range []service.AccessMode{service.AccessPairing, service.AccessAllowlist} {
		d := newDoor(t, func(deps *intaketest.Deps) {
			deps.Rates = intake.Rates{Channel: 5}
			deps.Access = map[string]service.Access{"whatsapp/main": {Mode: mode, Allow: []string{"7"}}}
		})
		if err := d.Link(t.Context(), d.admin(), "guest", "whatsapp", "", "7"); err != nil {
			t.Fatal(err)
		}
		from := func(sender string) error {
			_, err := d.Receive(t.Context(), d.inbound("hello", sender))
			return err
		}
		for i := range 5 {
			if err := from(fmt.Sprint("1", i)); err != nil {
				t.Fatal(err)
			}
		}
		servicetest.WantRefusal(t, from("19"), service.KindTooMany, "12 seconds")
		for range 5 {
			if err := from("7"); err != nil {
				t.Errorf("%s: a guest who was let in: %v", mode, err)
			}
		}
		servicetest.WantRefusal(t, from("7"), service.KindTooMany, "12 seconds")
	}
}

// TestCheckRate proves that it is said beforehand whether somebody would be too fast, and
// for how long, and that asking counts nothing.
func TestCheckRate(t *testing.T) {
	d := newDoor(t, paced(intake.Rates{Person: 2}))
	by, at := d.admin(), core.WebRoute("").At()
	for range 2 {
		for range 5 {
			if err := d.CheckRate(by, at); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.AllowMessage(by, at); err != nil {
			t.Fatal(err)
		}
	}
	var no *service.Error
	if err := d.CheckRate(by, at); !errors.As(err, &no) || no.Code != "too_fast" || no.RetryAfter != 30*time.Second {
		t.Errorf("whoever is too fast is told %v, and to come again after %s", err, no.RetryAfter)
	}
}
