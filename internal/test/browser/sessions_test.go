package browser

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/servicetest"
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
	came, err := in.app.Intake.Receive(t.Context(), intake.Inbound{Route: core.Route{Channel: "telegram", Account: "news", Chat: "4711"},
		Sender: intake.Sender{IDs: []string{"4711"}, Name: "Ana"}, MessageID: "1", Text: "good evening"})
	if err != nil || came.Refused != "" {
		t.Fatalf("%+v, %v", came, err)
	}

	owner.open(in.url + "/sessions.html")
	owner.clicks("#sessions .card")
	owner.sees("#shown", "You on Web")
	owner.sees("#shown", "Role now: Admin.")
	owner.clicks("#shown details.muted > summary")
	owner.sees("#shown", "call_agent_async")

	owner.picks("#whose select", "*")
	owner.until("Ana's session", func() bool { return owner.has("#sessions", "Telegram, 4711") })
	owner.clicks("#sessions .card:first-child")
	owner.sees("#shown", "Ana on Telegram, 4711")
	owner.sees("#shown", "Account telegram/news")
	owner.sees("#shown", "Role now: Guest.")
	owner.sees("#shown .transcript", "good evening")
	owner.narrow()

	// What counts is what Ana is now.
	by, people := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}, servicetest.PeopleCalls{Operations: in.app.Service.Runner}
	if _, err := people.SetRole(t.Context(), by, came.Person, core.Partner); err != nil {
		t.Fatal(err)
	}
	owner.run("look again", chromedp.Reload())
	owner.sees("#shown", "Role now: Partner.")

	// The address may be anybody's.
	owner.open(in.url + "/sessions#../people")
	owner.run("load it", chromedp.Reload())
	owner.sees("#shown", "cannot be the id of a session")
}

// TestFoundInSession proves that a session is called as its chat, and that what was found leads
// to where it stands there.
func TestFoundInSession(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.says("where is the xylophone?")
	owner.sees("#log .reply", "Nikki heard: where is the xylophone?")
	for i := range 8 {
		owner.posts("/api/sessions/main/messages", map[string]any{"text": fmt.Sprint(i, strings.Repeat(" and so on", 60))})
	}
	owner.sees("#log", "Nikki heard: 7 and so on")
	owner.open(in.url + "/sessions")
	owner.sees("#sessions .title", "where is the xylophone?")
	owner.sees("#sessions .card", "Nikki")
	owner.clicks("#sessions a")
	owner.sees("#shown h2", "where is the xylophone?")
	owner.sees("#shown .transcript", "7 and so on")
	for _, words := range []string{"xylophone", "7 and"} {
		owner.open(in.url + "/sessions?q=" + url.QueryEscape(words))
		owner.sees("#filters", "A search looks through all agents, states and channels.")
		owner.sees("#sessions .excerpt", words)
		owner.clicks("#sessions a")
		owner.until("the message with "+words, func() bool {
			return owner.has("#shown .found", words) && owner.measures("#shown .found", "top") >= 0 && owner.measures("#shown .found", "bottom") <= 800
		})
	}
	owner.picture("found")
}

// TestPagesOnPhone proves that a phone has a bar of four places at its bottom, and the other pages in the menu.
func TestPagesOnPhone(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.run("take a phone", chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	owner.open(in.link())
	owner.sees("#who", "Admin")
	for _, page := range []struct{ path, name, at string }{{"/", "Chat", "#nav"}, {"/questions", "Questions", "#nav"}, {"/audit", "Audit", "#menu"}} {
		owner.open(in.url + page.path)
		owner.sees("#who", "Admin")
		owner.clicks("#who")
		owner.sees(page.at+" [aria-current]", page.name)
		if n, top, bottom := owner.count("#nav a"), owner.measures("#nav", "top"), owner.measures("#nav", "bottom"); n != 4 || top < 780 || bottom > 844 {
			t.Errorf("on %s there are %d places from %v to %v pixels", page.path, n, top, bottom)
		}
		owner.picture("phone" + page.path)
	}
}
