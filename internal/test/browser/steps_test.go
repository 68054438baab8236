package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
)

// TestSteps proves that one button below an answer counts its steps and sources, also after a reload
// and in another language; that the page requests the calls only when the button is pressed; and that
// the page shows the arguments and results of calls as text, whatever they contain.
func TestSteps(t *testing.T) {
	in, owner := atChat(t, func(in *installation) {
		staged(in)
		in.cfg.Demo = true // web tools work without a network
		nikki, _ := in.cfg.Roster.Agent("nikki")
		nikki.Tools = []string{"remember", "web_search", "web_fetch", "call_agent"}
	})
	const page = "small-gardens.example/balcony-tomatoes"
	owner.says(llmtest.Do(
		llmtest.Use("remember", map[string]string{"key": "trains " + hostile, "value": hostile}),
		llmtest.Use("web_search", map[string]string{"query": "tomatoes on a balcony"}),
		llmtest.Use("web_fetch", map[string]string{"url": "https://" + page}),
		llmtest.Use("web_fetch", map[string]string{"url": "ftp://no.example"}),
		llmtest.Ask("finn", "find fares")))
	button := "#log .reply .steps-toggle"
	owner.sees(button, "5 steps, ")
	owner.sees(button, " source")
	owner.sees("#log .reply", "told: ")
	owner.run("load it again", chromedp.Reload())
	owner.sees(button, "5 steps, ")
	owner.sees("#log .errands", "find fares")
	if !owner.stands("#log .errands", "#log .reply") {
		t.Error("a card whose errand the answer waited for stands below it")
	}
	if owner.count("#log .steps") != 0 || owner.count("#log .steps-toggle") != 1 {
		t.Error("there is more than one button")
	}
	owner.counts()
	owner.run("go there", chromedp.Focus(button, chromedp.ByQuery))
	if owner.holds(`window.asked.some(path => path.includes("/calls"))`) {
		t.Error("the page requested the calls before the list was open")
	}
	owner.presses(kb.Enter)
	owner.until("the steps and the sources", func() bool { return owner.count("#log .steps li") == 6 })
	row := func(n string) string { return "#log .steps li:nth-child(" + n + ")" }
	owner.sees(row("1"), "Noted trains "+hostile)
	owner.sees(row("2"), "Searched the web tomatoes on a balcony")
	owner.sees(row("2")+" .out", "result")
	owner.sees(row("3")+" a", page)
	owner.sees(row("3")+" .out", "words")
	owner.sees(row("4")+".bad .out", "ftp")
	owner.sees(row("5"), "Asked Finn find fares")
	owner.sees(row("5")+" .out", "completed")
	owner.sees(row("6"), "1 Tomatoes on a balcony, with numbers")
	owner.accessible("steps of an answer")
	owner.run("open one", chromedp.Focus(row("1")+" .toggle", chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.sees(row("1")+" .details", "Input")
	owner.sees(row("1")+" pre", `"value": "`+hostile)
	owner.unharmed("#log .steps")
	owner.accessible("a call of a tool")
	owner.narrow()

	by, people := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}, servicetest.PeopleCalls{Operations: in.app.Service.Runner}
	owner.must("speak Spanish", people.SetLanguage(t.Context(), by, app.Owner, "es"))
	owner.run("load it again", chromedp.Reload())
	owner.sees(button, "5 pasos, ")
	owner.clicks(button)
	owner.until("the steps in Spanish", func() bool { return strings.HasPrefix(owner.text(row("2")), "Buscó en la web") })
}
