package intake_test

import (
	"strings"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/rights"
)

// TestScopeOfTypedCommands proves that a token which may talk cannot do by typing what it is
// not for.
func TestScopeOfTypedCommands(t *testing.T) {
	d := newDoor(t, nil)
	by := d.admin().Scoped(rights.ScopeChat)
	for text, want := range map[string]string{"/tasks": "only for chat", "/cancel t-7k3m9q2x": "only for chat", "/status": ""} {
		var in api.SendMessageInput
		in.Body.Text = text
		got, err := d.Intake.AcceptMessage(t.Context(), by, core.WebRoute("main"), in)
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(got.Answer, "only for chat"); has != (want != "") {
			t.Errorf("%s is answered %q", text, got.Answer)
		}
	}
}
