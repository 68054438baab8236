package browser

import (
	"strings"
	"testing"
)

// TestTwoPeople proves, in two browsers, that one person lets another in and
// promotes them, that each has their own conversation, and that a conversation
// that was handed over stays so over a restart of errand.
func TestTwoPeople(t *testing.T) {
	in := start(t)
	owner, bob := atBrowser(t, "owner"), atBrowser(t, "bob")
	owner.open(in.link())
	owner.sees("#who", "Admin")

	bob.open(in.url + "/login.html")
	bob.types("#ask-name", "Bob")
	bob.clicks("#ask button")
	code := strings.ToLower(bob.reads("#code")) // it is shown in capitals

	owner.open(in.url + "/people.html")
	owner.sees("#pairings", "Bob")
	owner.sees("#pairings", "in a browser at 127.0.0.1")
	owner.doesNotSee("#pairings", code) // the owner has it from Bob
	owner.types("#code", code)
	owner.picks("#as select", "member")
	owner.clicks("#approve button")
	owner.sees("#approved", "Bob has access now.")

	bob.sees("#who", "Bob") // the page goes on to the chat by itself
	bob.sees("#who", "Member")
	bob.says("hand over to sasha")
	bob.sees("#log .notice", "Sasha takes over.")
	bob.sees("#log .reply", "Sasha heard: hand over to sasha")

	owner.open(in.url + "/")
	owner.says("hello")
	owner.sees("#log .reply", "Nikki heard: hello")
	owner.doesNotSee("#log", "Sasha")

	owner.open(in.url + "/people.html")
	person := bob.me().ID
	owner.picks(`[data-person="`+person+`"] select`, "partner")
	bob.until("the role to change", func() bool { return bob.me().Role == "partner" })
	bob.open(in.url + "/")
	bob.sees("#who", "Partner")

	in.restart()
	bob.says("are you still there?")
	bob.sees("#log", "Sasha heard: are you still there?")

	// A question comes with buttons, and a button answers it.
	bob.says("hand over to finn")
	bob.clicks(".question .choices button")
	bob.sees("#log", "Finn takes over.")
	bob.sees("#log", "Finn heard: Yes")
	bob.narrow()
	owner.open(in.url + "/sessions.html")
	owner.sees("main", "1 turn")
	owner.narrow()
}
