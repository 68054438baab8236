package browser

import (
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/test/llmtest"
)

// TestEnlarged proves that pages at 200 % of their size need no scrolling sideways, and that
// one can write in the chat.
func TestEnlarged(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.says("hello")
	owner.sees("#log .reply", "Nikki heard: hello")
	for _, path := range []string{"/", "/tasks", "/questions", "/sessions", "/usage", "/tokens", "/channels", "/tools", "/models", "/people", "/audit"} {
		owner.open(in.url + path)
		owner.sees("#who", "Admin")
		owner.run("enlarge it", chromedp.EmulateViewport(640, 400, chromedp.EmulateScale(2)))
		owner.settles()
		var over int
		owner.evaluates("measure it", `document.documentElement.scrollWidth - document.documentElement.clientWidth`, &over)
		if over > 0 {
			t.Errorf("%s is %d pixels too wide at 200 %%", path, over)
		}
		owner.picture("enlarged" + path)
		if path == "/" {
			var reachable bool
			owner.evaluates("look for the message box", `(() => {
				const box = document.querySelector("#text").getBoundingClientRect();
				return box.bottom <= innerHeight && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)?.id === "text";
			})()`, &reachable)
			if !reachable {
				t.Error("the message box is out of sight at 200 %")
			}
		}
		owner.run("back to the desk", chromedp.EmulateViewport(1280, 800))
	}
}

// TestReducedMotion proves that nothing moves for who does not want it, also while an agent
// is at work.
func TestReducedMotion(t *testing.T) {
	in := start(t, func(in *installation) { in.model = llmtest.NewStage() })
	owner := atBrowser(t, "owner")
	owner.run("want no motion", emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}))
	owner.open(in.link())
	owner.says(llmtest.Do(llmtest.Send("sasha", "wait gate")))
	owner.sees("#log .task.working", "wait gate")
	var moving []string
	owner.evaluates("look for what moves", `document.getAnimations().filter(a => a.playState === "running" && a.effect.getComputedTiming().duration > 1).map(a => a.animationName ?? a.transitionProperty)`, &moving)
	if len(moving) > 0 {
		t.Errorf("these move: %q", moving)
	}
	in.model.(*llmtest.Stage).Open("gate")
	owner.sees("#log .late", "gate")
}

// TestRightToLeft proves that what is written from right to left is shown so, with its code
// from left to right, and that the page around it stays as it is.
func TestRightToLeft(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.says("hello")
	owner.sees("#log .reply", "Nikki heard: hello")
	owner.evaluates("write paragraphs", `(() => {
		const box = document.querySelector("#text");
		box.value = "ما هي القطارات الليلية إلى أوسلو؟\n\nقطار **الليل** يغادر في العاشرة\n\n- أوسلو\n- برلين\n\n`+"```js\\nlet night = 1;\\n```"+`";
		box.dispatchEvent(new Event("input", {bubbles: true}));
		box.form.requestSubmit();
	})()`, nil)
	owner.sees("#log .reply:last-child", "برلين")
	owner.until("the code", func() bool { return owner.count("#log .reply:last-child pre code") == 1 })
	var begins struct{ Said, Greeting, Paragraph, Item, Code string }
	owner.evaluates("look where texts begin", `(() => {
		const side = block => {
			const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT, node => node.parentElement.closest(".hidden") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
			const text = texts.nextNode(), first = document.createRange(), box = block.getBoundingClientRect();
			first.setStart(text, 0);
			first.setEnd(text, 1);
			return first.getBoundingClientRect().x > box.x + box.width / 2 ? "right" : "left";
		}, last = at => [...document.querySelectorAll(at)].at(-1), reply = "#log .reply:last-child ";
		return {said: getComputedStyle(last("#log .bubble")).direction === "rtl" ? "right" : "left", greeting: side(document.querySelector("#log .reply p")), paragraph: side(last(reply + "p")), item: side(last(reply + "li")), code: side(last(reply + "pre"))};
	})()`, &begins)
	if want := (struct{ Said, Greeting, Paragraph, Item, Code string }{"right", "left", "right", "right", "left"}); begins != want {
		t.Errorf("they begin %+v, want %+v", begins, want)
	}
	owner.accessible("a chat in Arabic")
	owner.narrow()
}

// TestTypingGoesOn proves that what is typed after a search goes where it went before, with no
// click in between.
func TestTypingGoesOn(t *testing.T) {
	in := start(t)
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.clicks("#text")
	owner.presses("k", chromedp.KeyModifiers(2)) // Ctrl
	owner.until("the search", func() bool { return owner.holds(`document.activeElement.matches(".search input")`) })
	owner.presses("trains")
	owner.presses(kb.Escape)
	owner.until("no search", func() bool { return owner.count("dialog") == 0 })
	owner.settles()
	owner.presses("on")
	owner.until("the message box to have it", func() bool { return owner.holds(`document.querySelector("#text").value === "on"`) })
}
