package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestNewest proves that what comes does not scroll away what somebody reads, a message of
// their own from another device neither; that they are told how much is new; and that a
// button leads there.
func TestNewest(t *testing.T) {
	m := &dictated{}
	in, owner := atChat(t, dictating(m))
	owner.says("a long one " + strings.Repeat("word ", 600))
	owner.sees("#log .reply", "Nikki heard: a long one")
	owner.until("nothing to stop", func() bool { return owner.count("#stop") == 0 })
	top := func() (y int) {
		owner.run("look where it is", chromedp.Evaluate(`Math.round(document.querySelector("main").scrollTop)`, &y))
		return y
	}
	owner.scrollsUp(100000)
	other := atBrowser(t, "elsewhere")
	other.open(in.link())
	other.says("from elsewhere")
	other.sees("#log .reply:last-child", "Nikki heard: from elsewhere")
	owner.sees("#newest", "1 new")
	owner.has("#log", "from elsewhere")
	if y := top(); y != 0 {
		t.Errorf("the view was moved to %d", y)
	}
	owner.accessible("something new below")
	owner.narrow()
	owner.run("go to the beginning", chromedp.Evaluate(`document.querySelector("main").scrollTop = 0; undefined`, nil), chromedp.Focus("#newest", chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.until("the end", func() bool {
		return owner.count("#newest") == 0 && owner.holds(`(() => { const m = document.querySelector("main"); return m.scrollHeight - m.scrollTop - m.clientHeight < 80; })()`)
	})
	owner.hasFocus("#log")
	if !owner.holds(`document.querySelector("#log .mine .hidden").textContent.startsWith("You")`) {
		t.Error("a screen reader is not told who says it")
	}
}

// TestFollows proves that the view follows what comes, also cards that grow later, as long as the
// person does not scroll up; and that it stays where they have scrolled to.
func TestFollows(t *testing.T) {
	_, owner := atChat(t, dictating(&dictated{}))
	gap := func() (pixels int) {
		owner.run("look at the end", chromedp.Evaluate(`(() => { const m = document.querySelector("main"); return Math.round(m.scrollHeight - m.scrollTop - m.clientHeight); })()`, &pixels))
		return pixels
	}
	for i := range 10 {
		owner.says(fmt.Sprintf("trains %d", i))
		owner.until("the answer, and all of it in view", func() bool {
			return owner.count("#log .task") == i+1 && owner.count("#log .reply") == i+1 && owner.count("#newest") == 0 && gap() == 0
		})
	}
	owner.scrollsUp(40)
	owner.run("have a card grow", chromedp.Evaluate(`document.querySelector("#log").lastElementChild.style.paddingBottom = "300px"; undefined`, nil))
	owner.settles()
	if n := gap(); n < 300 {
		t.Errorf("the view was moved to %d pixels from the end", n)
	}
}

// TestScrollAsItDraws proves that a scroll counts in whose moment the page draws something else.
func TestScrollAsItDraws(t *testing.T) {
	_, owner := atChat(t, dictating(&dictated{}))
	owner.says("a long one " + strings.Repeat("word ", 600))
	owner.sees("#log .reply", "Nikki heard: a long one")
	owner.clicks(`#log .reply:last-child button[aria-label^="Try again"]`)
	owner.sees("#log .reply", "Version 2 of 2")
	owner.settles()
	owner.run("scroll, and draw at once", chromedp.Evaluate(`document.querySelector("main").scrollBy(0, -100); document.querySelector('#log button[aria-label="Earlier version"]').click()`, nil))
	owner.sees("#log .reply", "Version 1 of 2")
	owner.sees("#newest", "Newest")
}

// scrollsUp scrolls the view up, once.
func (p *person) scrollsUp(pixels int) {
	p.t.Helper()
	p.run("scroll up", chromedp.Evaluate(fmt.Sprintf(`document.querySelector("main").scrollBy(0, -%d); undefined`, pixels), nil))
	p.sees("#newest", "Newest")
}
