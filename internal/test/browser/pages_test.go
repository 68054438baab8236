package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestPagesAreAccessible proves that everybody can use the pages that are neither the
// chat nor the tasks, in their states, and that each has one live region.
func TestPagesAreAccessible(t *testing.T) {
	in := start(t)
	owner, ann := atBrowser(t, "owner"), atBrowser(t, "ann")
	looks := func(p *person, state string) {
		t.Helper()
		p.announces()
		p.accessible(state)
	}
	ann.open(in.url + "/login.html")
	ann.sees("#owner", "Is this errand yours?")
	looks(ann, "log in")
	ann.types("#token", "wrong")
	ann.clicks("#with-token button")
	ann.sees("#result", "not valid")
	looks(ann, "wrong token")
	ann.types("#ask-name", "Ann")
	ann.clicks("#ask button")
	code := strings.ToLower(ann.reads("#code"))
	looks(ann, "waiting to be let in")
	ann.run("look at the link of nobody", chromedp.Navigate(in.url+"/open#nothing"))
	ann.sees("#worn", "A link works once")
	looks(ann, "worn link")

	link := in.link()
	owner.open(link)
	owner.sees("#who", "Admin")
	owner.open(in.link())
	owner.sees("#other", "This browser is logged in as Owner")
	looks(owner, "another link")
	owner.open(in.url + "/login.html")
	owner.sees("#in", "You are logged in")
	looks(owner, "logged in")
	owner.open(in.url + "/people")
	owner.sees("#pairings", "Ann")
	looks(owner, "people")
	owner.types("#code", code)
	owner.clicks("#approve button")
	owner.sees("#approved", "Ann has access now.")
	owner.sees("#people", "Ann")
	owner.clicks("#people .card:has(.role) summary")
	owner.types("#people .card:has(.role) .new-token input", "a script")
	owner.clicks("#people .card:has(.role) .new-token button")
	owner.sees("#people .secret", "This is shown only once.")
	owner.sees("#people", "a script")
	looks(owner, "people with a token")
	owner.clicks("#people .card:not(:has(.role)) .end button")
	owner.sees("dialog", "Remove Ann?")
	looks(owner, "dialog")
	owner.clicks("dialog button[value=no]")
	owner.until("the dialog to close", func() bool { return owner.count("dialog") == 0 })
	owner.clicks("#people .card:not(:has(.role)) .end button")
	owner.clicks("dialog button[value=yes]")
	owner.until("Ann to be gone", func() bool { return !owner.has("#people", "Ann") })

	owner.open(in.url + "/audit")
	owner.sees("#audit", "removed p-")
	owner.sees("#audit", "approved p-")
	owner.sees("#audit", "created the token")
	owner.sees("#audit", "on the page")
	looks(owner, "audit")
	owner.picks("#filters [name=deed]", "tokens")
	owner.until("only the tokens", func() bool { return !owner.has("#audit", "removed p-") })
	owner.sees("#audit", "created the token")

	owner.open(in.url + "/channels")
	owner.sees("#channels", "No accounts are connected yet.")
	looks(owner, "channels")
	owner.open(in.url + "/")
	owner.says("hello **world**")
	owner.sees("#log .reply", "Nikki heard")
	owner.open(in.url + "/sessions")
	owner.sees("#sessions", "1 turn")
	owner.sees("#reminders", "None.")
	looks(owner, "sessions")
	owner.clicks("#sessions a")
	owner.sees("#shown .transcript", "hello **world**")
	looks(owner, "one session")
	owner.types("#filters [name=q]", "world")
	owner.sees("#sessions .excerpt", "world")
	owner.until("the search in the address", func() bool { return strings.Contains(owner.at(), "?q=world#") })
	owner.run("load it again", chromedp.Reload())
	owner.sees("#sessions .excerpt", "world")
	owner.sees("#shown .transcript", "hello **world**")
	looks(owner, "sessions found")
	owner.open(in.url + "/nothing")
	owner.sees("main", "There is nothing here")
	owner.accessible("failure")

	// In Spanish, with the language named for screen readers.
	owner.open(in.url + "/")
	owner.says("/language es")
	for _, page := range []struct{ path, heading string }{{"/people", "Solicitudes de acceso"}, {"/sessions", "Sesiones"},
		{"/questions", "Preguntas"}, {"/channels", "Canales"}, {"/tokens", "Tus tokens"}, {"/audit", "Quién hizo qué"}} {
		owner.open(in.url + page.path)
		owner.sees("main", page.heading)
		owner.sees("nav", "Tareas")
		owner.until("the language to be named", func() bool { return owner.count("html[lang=es]") == 1 })
	}
	owner.accessible("audit in Spanish")
}
