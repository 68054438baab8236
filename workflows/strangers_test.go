package workflows_test

import (
	"reflect"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/workflowtest"
)

// TestStrangerOnPlatform proves what a stranger sees on a platform: a code, word
// that they are in once it is approved, and then answers, from whichever of their
// ids they write. What they wrote before is answered then.
func TestStrangerOnPlatform(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{Dedupe: true, ReadBack: true}, func(in *workflowtest.Installation) {
		arrive := func(text string, ids ...string) intake.Outcome {
			t.Helper()
			return in.Receive(intake.Inbound{Route: c1, Sender: intake.Sender{IDs: ids, Name: "Cleo"}, MessageID: text, Text: text})
		}
		code := arrive("let me in", "+49171", "1@lid").Code
		if n := len(in.Platform.Seen("c1")); n != 1 {
			t.Errorf("a stranger sees %d messages", n)
		}
		by, err := in.House.Logins.ActorOf(in.T.Context(), workflowtest.Owner)
		if err != nil {
			t.Fatal(err)
		}
		_, cleo, err := in.House.Approve(in.T.Context(), by, code, core.Member, "")
		if err != nil {
			t.Fatal(err)
		}
		in.Settle()
		for _, id := range []string{"1@lid", "+49171"} {
			if out := arrive("hello from "+id, id); out.Person != cleo.ID {
				t.Errorf("%s is %q, want %q", id, out.Person, cleo.ID)
			}
		}
		want := []string{
			"I don't know you yet. The person who runs this errand can give you access with the code " + strings.ToUpper(code),
			"You have access now, Cleo. I am looking at what you wrote.", "you said let me in", "you said hello from 1@lid", "you said hello from +49171",
		}
		got := in.Platform.Seen("c1")
		got[0], _, _ = strings.Cut(got[0], ":")
		if !reflect.DeepEqual(got, want) {
			t.Errorf("the stranger sees %q, want %q", got, want)
		}
		if err := in.House.RemovePerson(in.T.Context(), by, workflowtest.Owner); err == nil {
			t.Error("the owner was removed")
		}
	})
}
