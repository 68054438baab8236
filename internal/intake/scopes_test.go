package intake_test

import (
	"strings"
	"testing"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
)

// TestScopeOfTypedCommands proves that a token which may talk cannot do by typing what it is
// not for.
func TestScopeOfTypedCommands(t *testing.T) {
	d := newDoor(t, nil)
	by := d.admin().Scoped(rights.ScopeChat)
	for text, want := range map[string]string{"/tasks": "for chat only", "/cancel t-7k3m9q2x": "for chat only", "/status": ""} {
		got, err := d.Intake.AcceptMessage(t.Context(), by, errand.WebRoute("main"), service.Message{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if has := strings.Contains(got.Answer, "for chat only"); has != (want != "") {
			t.Errorf("%s is answered %q", text, got.Answer)
		}
	}
}
