package intake_test

import (
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/intake"
)

// TestStatements counts what a message costs the store on its way in: who wrote it is
// read once, whatever it says, and a change that makes it read more shows here.
func TestStatements(t *testing.T) {
	byDoor := func(text string) func(*door) (intake.Outcome, error) {
		return func(d *door) (intake.Outcome, error) {
			return d.Accept(d.t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: "member", Role: core.Member, Text: text})
		}
	}
	byPlatform := func(text string, parcels ...*parcel) func(*door) (intake.Outcome, error) {
		return func(d *door) (intake.Outcome, error) {
			in := d.inbound(text, "7")
			for _, p := range parcels {
				in.Attachments = append(in.Attachments, p.attachment())
			}
			return d.Receive(d.t.Context(), in)
		}
	}
	for _, tt := range []struct {
		name       string
		send       func(*door) (intake.Outcome, error)
		statements int // of all kinds, those that begin and end a transaction left out
	}{
		// Of an id that nobody has, two lists of tasks are read, for the one that was meant.
		{"a message, by a door", byDoor("hello"), 4},
		{"a command that reads, by a door", byDoor("/help"), 1},
		{"a command that acts, by a door", byDoor("/cancel t-none"), 5},
		{"a message, by a platform", byPlatform("hello"), 4},
		{"a command that reads, by a platform", byPlatform("/help"), 3},
		{"a command that acts, by a platform", byPlatform("/cancel t-none"), 7},
		{"a message with a file, by a platform", byPlatform("look", &parcel{name: "a.txt", data: strings.NewReader("x")}), 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, limited(1000))
			if err := d.Link(t.Context(), d.admin(), "member", "whatsapp", "main", "7"); err != nil {
				t.Fatal(err)
			}
			var all, people []string
			d.trace = func(query string) {
				all = append(all, query)
				if strings.Contains(query, "FROM people") {
					people = append(people, query)
				}
			}
			out, err := tt.send(d)
			d.trace = nil
			if err != nil || out.Person != "member" || out.Refused != "" {
				t.Fatalf("it came to %+v, %v", out, err)
			}
			if len(people) != 1 {
				t.Errorf("who wrote it was read %d times:\n%s", len(people), strings.Join(people, "\n"))
			}
			if len(all) != tt.statements {
				t.Errorf("it took %d statements, want %d:\n%s", len(all), tt.statements, strings.Join(all, "\n"))
			}
		})
	}
}
