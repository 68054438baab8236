package browser

import (
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
	owner.run("read from the beginning", chromedp.Evaluate(`document.querySelector("main").scrollTop = 0; undefined`, nil))
	owner.sees("#newest", "Newest")
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
