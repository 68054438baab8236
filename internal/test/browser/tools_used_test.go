package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
)

// TestToolsUsed proves that an answer says what tools did for it, also when the page is
// loaded again and on another page; that what they were given and what came of it is asked
// for only when somebody unfolds it, and is text whatever is in it.
func TestToolsUsed(t *testing.T) {
	in, owner := atChat(t, func(in *installation) {
		staged(in)
		nikki, _ := in.cfg.Roster.Agent("nikki")
		nikki.Tools = []string{"remember", "recall"}
	})
	use := func(name, key, value string) llmtest.ToolCall {
		return llmtest.Use(name, map[string]string{"key": key, "value": value})
	}
	owner.says(llmtest.Do(use("remember", "trains "+hostile, hostile), use("recall", "shoes", ""), use("recall", "hats", "")))
	owner.sees("#log .reply .tool.used", `Noted “trains `+hostile)
	owner.sees("#log .reply .tool.used", "Looked up the note “shoes” (2×)")
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply .tool.used", "(2×)")
	owner.counts()
	owner.run("go there", chromedp.Focus("#log .tool.used > summary", chromedp.ByQuery))
	if owner.holds(`window.asked.some(path => path.includes("/calls"))`) {
		t.Error("the calls were asked for before anybody wanted them")
	}
	owner.presses(kb.Enter)
	owner.until("the calls", func() bool { return owner.count("#log .tool.used li") == 3 })
	owner.accessible("calls of tools")
	owner.run("unfold one", chromedp.Focus("#log .tool.used li:first-child summary", chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.sees("#log .tool.used li:first-child", "Input")
	owner.sees("#log .tool.used li:first-child pre", `"value": "`+hostile)
	owner.unharmed("#log .tool")
	owner.accessible("a call of a tool")
	owner.narrow()

	by, people := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}, servicetest.PeopleCalls{Operations: in.app.Service.Runner}
	owner.must("speak Spanish", people.SetLanguage(t.Context(), by, app.Owner, "es"))
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply .tool.used", "Consultó la nota «shoes» (2×)")
}
