package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/test/llmtest"
)

// TestVersions proves that *Try again* and *Edit* replace the last turn on every device; that people
// can read earlier versions and link to them; that later prompts leave them out; and that the page
// asks for confirmation first if the answer made changes.
func TestVersions(t *testing.T) {
	in, owner := atChat(t, staged)
	stage := in.model.(*llmtest.Stage)
	other := atBrowser(t, "elsewhere")
	other.open(in.link())
	other.sees("#who", "Admin")
	const again, edit = `#log .reply:last-child button[aria-label^="Try again"]`, `#log button[aria-label="Edit this message and send it again"]`
	reads := func(p *person, question, answer, version string) {
		t.Helper()
		p.until(version, func() bool {
			return p.count("#log .mine") == 1 && p.has("#log .mine", question) && p.count("#log .reply") == 1 && p.has("#log .reply", answer) && p.has("#log", version)
		})
	}

	stage.Plays("nikki", "say first", "say second", "say third")
	owner.says("tea")
	owner.sees("#log .reply", "first")
	owner.run("go there", chromedp.Focus(again, chromedp.ByQuery))
	owner.presses(kb.Enter)
	reads(owner, "tea", "second", "Version 2 of 2")
	reads(other, "tea", "second", "Version 2 of 2")

	owner.run("go there", chromedp.Focus(edit, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.hasFocus("#log .edit textarea")
	owner.accessible("changing the last message")
	owner.run("begin anew", clear("#log .edit textarea"))
	owner.presses(" ")
	owner.presses(kb.Enter, chromedp.KeyModifiers(2)) // Ctrl; without words, nothing is replaced
	owner.presses("coffee")
	owner.presses(kb.Enter, chromedp.KeyModifiers(2)) // Ctrl
	reads(owner, "coffee", "third", "Version 3 of 3")
	reads(other, "coffee", "third", "Version 3 of 3")
	owner.accessible("an answer with versions")
	owner.narrow()
	owner.picture("versions")

	owner.run("go there", chromedp.Focus(`#log button[aria-label="Earlier version"]`, chromedp.ByQuery))
	for _, step := range []struct{ button, question, answer, version string }{
		{"Earlier", "tea", "second", "Version 2 of 3"},
		{"Earlier", "tea", "first", "Version 1 of 3"},
		{"Later", "tea", "second", "Version 2 of 3"}, // no version is earlier, so the focus is on the other button
		{"Later", "coffee", "third", "Version 3 of 3"},
		{"Earlier", "tea", "second", "Version 2 of 3"},
		{"Earlier", "tea", "first", "Version 1 of 3"},
	} {
		owner.hasFocus(`#log button[aria-label="` + step.button + ` version"]`)
		owner.presses(kb.Enter)
		reads(owner, step.question, step.answer, step.version)
	}
	if owner.count(again) != 0 {
		t.Errorf("a replaced version offers another answer")
	}
	var address string
	owner.run("read the link", chromedp.Evaluate(`document.querySelector("#log .reply:last-child .meta a").href`, &address))
	other.open(address)
	reads(other, "tea", "first", "Version 1 of 3")
	owner.run("load it again", chromedp.Reload())
	reads(owner, "coffee", "third", "Version 3 of 3")

	stage.Plays("nikki", llmtest.Do(llmtest.Use("remember", map[string]string{"key": "drink", "value": "coffee"})), "say noted", "say it is noted")
	owner.says("note it")
	owner.sees("#log .reply:last-child", "noted")
	for _, said := range stage.Requests()[len(stage.Requests())-1].Messages {
		if said.Text == "tea" || said.Text == "first" || said.Text == "second" {
			t.Errorf("the model is sent %q, which was replaced", said.Text)
		}
	}
	owner.clicks(again)
	owner.sees("dialog", "Replace this answer?")
	owner.sees("dialog li", "Noted drink")
	owner.accessible("before an answer is replaced")
	owner.clicks(`dialog button[value="no"]`)
	owner.until("it stays", func() bool { return owner.count("dialog") == 0 && owner.count("#log .reply") == 2 })
	owner.clicks(again)
	owner.clicks(`dialog button[value="yes"]`)
	owner.sees("#log .reply:last-child", "it is noted")
	if owner.count("#log .mine") != 2 || owner.count("#log .reply") != 2 {
		t.Errorf("the chat has %s", owner.text("#log"))
	}

	// Two messages that were answered together are answered together again.
	owner.says("wait gate")
	owner.sees("#doing", "thinking")
	owner.says("milk")
	owner.says("sugar")
	owner.until("errand to have both", func() bool { return owner.count(`#queue button[aria-label="Take back the waiting message"]`) == 2 })
	stage.Open("gate")
	owner.sees("#log .reply:last-child", "you said milk + sugar")
	owner.run("go there", chromedp.Focus(edit, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.hasFocus("#log .edit textarea")
	owner.run("begin anew", clear("#log .edit textarea"))
	owner.presses("honey")
	owner.presses(kb.Enter, chromedp.KeyModifiers(2)) // Ctrl
	together := func() {
		t.Helper()
		owner.until("both answered again", func() bool {
			return owner.has("#log .reply:last-child", "you said milk + honey") && owner.has("#log .reply:last-child", "Version 2 of 2") && owner.count("#queue li") == 0
		})
		if said := owner.text("#log"); strings.Count(said, "milk\n") != 1 || strings.Contains(said, "sugar") {
			t.Errorf("the chat has %s", said)
		}
	}
	together()
	owner.run("load it again", chromedp.Reload())
	together()
}

// TestVersionsWithErrands proves that the card of an errand is shown with the version that started it;
// and that the panel of work leads to it.
func TestVersionsWithErrands(t *testing.T) {
	_, owner := atChat(t, staged)
	owner.says("hello")
	owner.sees("#log .reply", "you said hello")
	owner.says(llmtest.Do(llmtest.Send("finn", "wait gate")))
	owner.sees("#log .errands", "wait gate")
	owner.sees("#log .reply:nth-last-child(2)", "told: ")
	owner.clicks(`#log button[aria-label="Edit this message and send it again"]`)
	owner.hasFocus("#log .edit textarea")
	owner.run("begin anew", clear("#log .edit textarea"))
	owner.presses("tea")
	owner.presses(kb.Enter, chromedp.KeyModifiers(2)) // Ctrl
	owner.sees("dialog li", "wait gate")
	owner.clicks(`dialog button[value="yes"]`)
	owner.sees("#log .reply:last-child", "you said tea")
	owner.sees("#log .reply:last-child", "Version 2 of 2")
	if owner.count("#log .errands") != 0 {
		t.Errorf("the card of the earlier version is shown: %s", owner.text("#log"))
	}
	shown := func() {
		t.Helper()
		owner.sees("#log", "Version 1 of 2")
		owner.sees("#log .errands", "wait gate")
		if !owner.stands("#log .mine ~ .mine", "#log .errands") {
			t.Error("the card stands above the message that asked for it")
		}
		owner.sees("#log .reply ~ .reply .steps-toggle", "1 step")
	}
	owner.clicks(`#log button[aria-label="Earlier version"]`)
	shown()
	owner.clicks(`#log button[aria-label="Later version"]`)
	owner.sees("#log .reply:last-child", "you said tea")
	owner.until("no card", func() bool { return owner.count("#log .errands") == 0 })
	if owner.count(".work") == 0 {
		owner.clicks("#work-button")
	}
	owner.clicks(`.work li a[href^="/tasks/t-"]`)
	shown()
}
