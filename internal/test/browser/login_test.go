package browser

import "testing"

// TestLogIn proves the ways in: one click on the link of the terminal, once; the key
// typed into the log-in page, from another machine without TLS too; and that a
// link does not make somebody who is logged in somebody else unasked.
func TestLogIn(t *testing.T) {
	in := start(t)
	owner, eve, far := atBrowser(t, "owner"), atBrowser(t, "eve"), atBrowser(t, "far")

	owner.open(in.url + "/tasks") // leads to the log-in page, which says what to do
	owner.sees("#owner", "go run ./starter open")
	link := in.link()
	owner.open(link)
	owner.sees("#who", "Admin")

	eve.open(link)
	eve.sees("#result", "this link was already used or is too old")
	eve.sees("#worn", "go run ./starter open")
	eve.open(in.url + "/")
	eve.sees("main", "Request access")

	// A link of somebody's: it says who one is before, and asks.
	owner.open(in.link())
	owner.sees("#other", "This browser is logged in as Owner")
	owner.clicks("#use")
	owner.sees("#who", "Admin")
	owner.open(in.url + "/nothing")
	owner.sees("main", "There is nothing here")
	owner.clicks("main .button")
	owner.sees("#who", "Admin")

	far.open(in.cfg.PublicURL + "/")
	far.sees("#plain", "This connection is not encrypted")
	far.types("#token", "wrong")
	far.clicks("#with-token button")
	far.sees("#result", "That token is not valid")
	far.run("empty the field", clear("#token"))
	far.types("#token", in.app.Key())
	far.clicks("#with-token button")
	far.sees("#who", "Admin")
	far.says("hello")
	far.sees("#log .reply", "Nikki heard: hello")
}

// TestLogInWithoutScripts proves that the form of the log-in page works by itself,
// from another machine without TLS.
func TestLogInWithoutScripts(t *testing.T) {
	in := start(t)
	far := atBrowser(t, "far")
	far.run("switch scripts off", scripts(false))
	far.open(in.cfg.PublicURL + "/login.html")
	far.types("#token", in.app.Key())
	far.clicks("#with-token button")
	far.until("the chat", func() bool { return far.at() == in.cfg.PublicURL+"/" })
	far.run("switch scripts on", scripts(true))
	far.open(in.cfg.PublicURL + "/")
	far.sees("#who", "Admin")
}
