package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// TestSearchLeadsToMessage proves that the search takes every key from the first one on, shows what
// it finds in a chat together with the words marked, and leads to the message itself, also to one
// that is not loaded yet.
func TestSearchLeadsToMessage(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	owner.says("the password is elderberry")
	owner.sees("#log .reply", "Nikki heard: the password is elderberry")
	in.fills(owner, 250)
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log", "number 250.")
	owner.doesNotSee("#log", "elderberry")

	owner.run("search at once", chromedp.KeyEvent("k", chromedp.KeyModifiers(2)), chromedp.KeyEvent("elderberry"))
	owner.until("all that was typed", func() bool { return owner.holds(`document.querySelector(".search input")?.value === "elderberry"`) })
	owner.until("what was found", func() bool { return owner.count(".found > li") == 1 && owner.count(".found ul a") == 2 })
	owner.until("the marks", func() bool { return strings.Count(strings.ToLower(owner.text(".found mark")), "elderberry") >= 2 })
	owner.accessible("what was found")
	owner.narrow()
	if !owner.holds(`document.querySelector(".found > li > a, .found > li > p").textContent.includes("the password is")`) {
		t.Errorf("the chat is not named: %s", owner.text(".found"))
	}
	for !owner.holds(`document.activeElement.matches(".found ul li:last-child a")`) {
		owner.presses(kb.ArrowDown)
	}
	mine := strings.Contains(owner.text(".found ul li:last-child"), "You")
	owner.presses(kb.Enter)
	owner.sees("#log .target", "the password is elderberry")
	owner.hasFocus("#log .target")
	if !mine || !owner.holds(`document.querySelector("#log .target").matches(".mine")`) {
		t.Error("the last hit does not lead to the question")
	}
	if !owner.holds(`(() => { const at = document.querySelector("#log .target").getBoundingClientRect(), m = document.querySelector("main").getBoundingClientRect(); return at.top >= m.top && at.bottom <= m.bottom; })()`) {
		t.Error("it is not in view")
	}
	if !strings.Contains(owner.at(), "#e") {
		t.Errorf("the address is %s", owner.at())
	}
	owner.accessible("a message that was found")
	link := owner.at()
	owner.open("about:blank")
	owner.open(link)
	owner.sees("#log .target", "the password is elderberry")
}
