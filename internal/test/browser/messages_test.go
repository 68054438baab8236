package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/test/llmtest"
)

// notifications has the browser take down what it is to tell, and be asked by a page that
// it has allowed nothing: without a window nobody sees either.
const notifications = `window.told = JSON.parse(sessionStorage.getItem("told") ?? "[]");
window.Notification = class {
	static permission = sessionStorage.getItem("permission") ?? "default";
	static requestPermission() { sessionStorage.setItem("permission", this.permission = "granted"); return Promise.resolve("granted"); }
	constructor(title, {body, tag}) { window.told.push({title, body, tag}); }
	close() { window.closed_ = (window.closed_ ?? 0) + 1; }
};`

// hides has a page be looked at, or not.
func (p *person) hides(hidden bool) {
	p.t.Helper()
	p.run("look at another tab", chromedp.Evaluate(fmt.Sprintf(
		`Object.defineProperty(document, "hidden", {value: %v, configurable: true}); document.dispatchEvent(new Event("visibilitychange")); undefined`, hidden), nil))
}

// hasFocus waits until the focus is on an element.
func (p *person) hasFocus(at string) {
	p.t.Helper()
	p.until("the focus on "+at, func() bool { return p.holds(`document.activeElement.matches(` + quoted(at) + `)`) })
}

// TestMessages proves that a message says when it was said, and can be copied and linked to;
// that a late result leads to its errand and back, with what was delegated below it in its
// card; that it reaches a tab which nobody looks at, by its title, its icon and the browser,
// with its words only for who wants that; and that a draft is kept.
func TestMessages(t *testing.T) {
	in, owner := atChat(t, staged)
	stage := in.model.(*llmtest.Stage)
	owner.run("take down what is told", chromedp.ActionFunc(func(ctx context.Context) error {
		_, err := page.AddScriptToEvaluateOnNewDocument(notifications).Do(ctx)
		return err
	}), chromedp.Reload())
	owner.sees("#who", "Admin")
	owner.says(llmtest.Do(llmtest.Send("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate")))))
	owner.sees("#log > .errands > .task > .below .task .title", "wait gate")
	if n := owner.count("#log > .errands > .task"); n != 1 {
		t.Errorf("%d cards stand by themselves", n)
	}
	owner.sees("#log .day", "Today")

	// What can be written is suggested.
	owner.types("#text", "/ta")
	owner.sees("#suggestions [aria-selected=true]", "/tasks")
	owner.accessible("commands")
	owner.presses(kb.ArrowDown)
	owner.sees("#suggestions [aria-selected=true]", "/task ID")
	owner.presses(kb.Enter)
	owner.until("it to be typed", func() bool {
		return owner.holds(`document.querySelector("#text").value.trim() === "/task"`) && owner.count("#suggestions") == 0
	})
	owner.run("begin again", clear("#text"))
	owner.types("#text", "ask @fi")
	owner.sees("#suggestions [aria-selected=true]", "Finn")
	owner.narrow()
	owner.presses(kb.Escape)
	owner.until("none", func() bool { return owner.count("#suggestions") == 0 })
	owner.types("#text", "n")
	owner.sees("#suggestions [aria-selected=true]", "Finn")
	owner.presses(kb.Tab)
	owner.until("the name", func() bool { return owner.holds(`document.querySelector("#text").value.trim() === "ask Finn"`) })
	owner.run("begin again", clear("#text"))
	owner.types("#text", "half a thought")
	owner.sees("#notify", "Should the browser notify you when a result arrives")
	owner.accessible("an offer to tell")
	owner.narrow()
	owner.clicks("#notify button")
	owner.until("no offer", func() bool { return owner.count("#notify") == 0 })
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .task .task", "wait gate")
	if !owner.holds(`document.querySelector("#text").value === "half a thought"`) {
		t.Error("the draft is lost")
	}

	owner.hides(true)
	stage.Open("gate")
	owner.until("the tab to say so", func() bool {
		return owner.holds(`/^\(\d\) errand/.test(document.title) && document.querySelector("link[rel=icon]").href.endsWith("/icon_news.svg")`)
	})
	owner.until("the browser to say so", func() bool { return owner.holds(`window.told.length === 1`) })
	if !owner.holds(`window.told[0].body === "A result has arrived." && window.told[0].title === "errand"`) {
		t.Error("it says something else")
	}
	owner.hides(false)
	owner.until("all of it to be gone", func() bool {
		return owner.holds(`document.title.startsWith("errand") && document.querySelector("link[rel=icon]").href.endsWith("/icon.svg") && window.closed_ === 1`)
	})

	owner.sees("#log .late .errand", "Result of")
	owner.clicks("#log .late .errand a")
	owner.hasFocus("#log > .errands > .task")
	owner.sees("#log > .errands > .task", "reported in the chat")
	owner.clicks(`#log > .errands > .task > .opened a[href^="#e"]`)
	owner.hasFocus("#log .late")
	if !owner.holds(`!isNaN(Date.parse(document.querySelector("#log .late time").dateTime))`) {
		t.Error("it does not say when it was said")
	}
	owner.accessible("a late result")
	owner.narrow()
	owner.run("go to a button", chromedp.Focus("#log .late .meta button", chromedp.ByQuery))
	owner.presses("\r")
	owner.sees("#log .late .meta", "Copied")
	owner.run("take the link", chromedp.Focus("#log .mine .meta a", chromedp.ByQuery))
	owner.presses("\r")
	owner.until("the address of it", func() bool { return strings.Contains(owner.at(), "/#e") })
	owner.run("load it again", chromedp.Reload())
	owner.hasFocus("#log .mine")

	owner.settings()
	owner.clicks(".preferences .check:last-of-type input")
	owner.presses(kb.Escape)
	owner.until("the dialog to close", func() bool { return owner.count("dialog") == 0 }) // it takes the focus back
	owner.run("forget the draft", chromedp.Evaluate(`document.querySelector("#text").value = ""`, nil))
	owner.says(llmtest.Do(llmtest.Send("sasha", "after second the night train is blue")))
	owner.sees("#log > .errands > .task", "the night train")
	owner.accessible("settings")
	owner.hides(true)
	stage.Open("second")
	owner.until("the browser to say what", func() bool { return owner.holds(`window.told.some(n => n.body.includes("the night train is blue"))`) })
	owner.hides(false)
	owner.announces()

	// The page opens where errand is away, with what is typed, and nothing that errand said.
	owner.evaluates("wait for what keeps the shell", `navigator.serviceWorker.ready.then(() => true)`, nil)
	owner.run("load all of it", chromedp.Reload())
	owner.sees("#log", "the night train")
	owner.types("#text", "for later")
	in.end()
	owner.run("load it again", chromedp.Reload())
	owner.sees("#connection", "Can't reach errand")
	owner.doesNotSee("body", "the night train")
	var kept []string
	owner.evaluates("look at what is kept", `caches.open("shell").then(c => c.keys()).then(keys => keys.map(k => new URL(k.url).pathname))`, &kept)
	if len(kept) < 10 || strings.Contains(strings.Join(kept, " "), "/api/") {
		t.Errorf("kept is %q", kept)
	}
	in.begin()
	owner.sees("#log", "the night train")
	owner.until("the draft", func() bool { return owner.holds(`document.querySelector("#text").value.trim() === "for later"`) })
}
