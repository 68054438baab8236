package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/service"
)

// TestSessionShown proves that the page of a session says as whom its person is
// known now, which tools its agent has for them, and by which account they write.
func TestSessionShown(t *testing.T) {
	in := start(t, func(in *installation) {
		in.cfg.Access = map[string]config.Access{"telegram": {Mode: config.AccessOpen}}
	})
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.says("hello")
	owner.sees("#log .reply", "Nikki heard: hello")
	came, err := in.app.Intake.Receive(t.Context(), intake.Inbound{Route: errand.Route{Channel: "telegram", Account: "news", Chat: "4711"},
		Sender: intake.Sender{IDs: []string{"4711"}, Name: "Ana"}, MessageID: "1", Text: "good evening"})
	if err != nil || came.Refused != "" {
		t.Fatalf("%+v, %v", came, err)
	}

	owner.open(in.url + "/sessions.html")
	owner.clicks("#sessions .card")
	owner.sees("#shown", "You on web, main")
	owner.sees("#shown", "Role now: Admin.")
	owner.sees("#shown", "call_agent_async")

	owner.picks("#whose select", "*")
	owner.until("Ana's session", func() bool { return owner.has("#sessions", "telegram, 4711") })
	owner.clicks("#sessions .card:first-child")
	owner.sees("#shown", "Ana on telegram, 4711")
	owner.sees("#shown", "Account telegram/news")
	owner.sees("#shown", "Role now: Guest.")
	owner.sees("#shown .transcript", "good evening")
	owner.narrow()

	// What counts is what Ana is now.
	by := service.Actor{Person: app.Owner, Role: errand.MasterAdmin}
	if _, err := in.app.Service.SetRole(t.Context(), by, came.Person, errand.Partner); err != nil {
		t.Fatal(err)
	}
	owner.run("look again", chromedp.Reload())
	owner.sees("#shown", "Role now: Partner.")

	// The address may be anybody's.
	owner.open(in.url + "/sessions#../people")
	owner.run("load it", chromedp.Reload())
	owner.sees("#shown", "cannot be the id of a session")
}
