package browser

import (
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/agents"
	"errand/internal/core"
)

// TestStartOver proves that a new beginning leaves a line in the chat, on every device and after a
// reload, and that what is above it is paler.
func TestStartOver(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	other := atBrowser(t, "elsewhere")
	other.open(in.link())
	owner.says("My name is Bea")
	owner.sees("#log .reply", "Nikki heard: My name is Bea")
	const line = "Nikki no longer knows what is above."
	owner.startsOver()
	owner.sees("#log > .anew", line)
	other.sees("#log > .anew", line)
	owner.startsOver() // nothing was said since: there is no second line
	owner.until("the second beginning", func() bool {
		var n int
		owner.evaluates("count them", `fetch("/api/sessions/main/events?before=1000").then(answer => answer.json()).then(list => list.filter(e => e.type === "session").length)`, &n)
		return n == 2
	})
	owner.says("hello again")
	owner.sees("#log > .reply", "Nikki heard: hello again")
	owner.run("load it again", chromedp.Reload())
	for _, p := range []*person{owner, other} {
		p.sees("#log > .reply", "Nikki heard: hello again")
		p.sees("#log > .anew", "Started over on ")
		p.sees("#log > .past", "My name is Bea")
		p.doesNotSee("#log > .past", "hello again")
		p.doesNotSee("#log", "A new session begins")
		if n := p.count("#log .anew"); n != 1 {
			t.Errorf("%s sees %d lines", p.name, n)
		}
		if !p.holds(`getComputedStyle(document.querySelector(".past .reply")).color !== getComputedStyle(document.querySelector("#log > .reply")).color`) {
			t.Errorf("%s sees what is above as what is below", p.name)
		}
	}
	owner.accessible("a chat that was started over")
	owner.narrow()
}

// TestIdeas proves that an empty chat names agents that there are, and no others.
func TestIdeas(t *testing.T) {
	_, owner := atChat(t, func(in *installation) {
		dictating(&dictated{})(in)
		roster, err := agents.New("mia", []agents.Agent{
			{Name: "mia", Instructions: "You are Mia.", Delegates: []core.AgentName{"otto", "sasha"}},
			{Name: "otto", Instructions: "You are Otto."},
			{Name: "sasha", Instructions: "You are Sasha."},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		in.cfg.Roster = roster
	})
	owner.sees("#empty", "ask Sasha to compare night trains")
	owner.doesNotSee("#empty", "Finn")
	owner.accessible("an empty chat")
	owner.narrow()
}
