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
	reads(owner, "tea", "second", "2 of 2 versions")
	reads(other, "tea", "second", "2 of 2 versions")

	owner.run("go there", chromedp.Focus(edit, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.hasFocus("#log .edit textarea")
	owner.accessible("changing the last message")
	owner.run("begin anew", clear("#log .edit textarea"))
	owner.presses("coffee")
	owner.presses(kb.Enter, chromedp.KeyModifiers(2)) // Ctrl
	reads(owner, "coffee", "third", "3 of 3 versions")
	reads(other, "coffee", "third", "3 of 3 versions")
	owner.accessible("an answer with versions")
	owner.narrow()
	owner.picture("versions")

	owner.run("go there", chromedp.Focus(`#log button[aria-label="Earlier version"]`, chromedp.ByQuery))
	owner.presses(kb.Enter)
	reads(owner, "tea", "second", "2 of 3 versions")
	owner.presses(kb.Enter)
	reads(owner, "tea", "first", "1 of 3 versions")
	if owner.count(again) != 0 {
		t.Errorf("a replaced version offers another answer")
	}
	var address string
	owner.run("read the link", chromedp.Evaluate(`document.querySelector("#log .reply:last-child .meta a").href`, &address))
	other.open(address)
	reads(other, "tea", "first", "1 of 3 versions")
	owner.run("load it again", chromedp.Reload())
	reads(owner, "coffee", "third", "3 of 3 versions")

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
	owner.until("what waits", func() bool { return owner.count("#queue li") == 2 })
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
			return owner.has("#log .reply:last-child", "you said milk + honey") && owner.has("#log .reply:last-child", "2 of 2 versions") && owner.count("#queue li") == 0
		})
		if said := owner.text("#log"); strings.Count(said, "milk\n") != 1 || strings.Contains(said, "sugar") {
			t.Errorf("the chat has %s", said)
		}
	}
	together()
	owner.run("load it again", chromedp.Reload())
	together()
}
