package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/test/llmtest"
)

// TestWaitingMessages proves that messages which wait while the agent is busy stand above the input
// box, on other devices and after a reload too; that they can be changed and taken back there; that
// each gets its place in the chat when the agent reads it, before its answer, and keeps it. The test
// uses only the keyboard.
func TestWaitingMessages(t *testing.T) {
	in, owner := atChat(t, staged)
	stage := in.model.(*llmtest.Stage)
	other := atBrowser(t, "elsewhere")
	other.open(in.link())
	other.sees("#who", "Admin")
	owner.says("wait gate")
	owner.sees("#doing", "thinking")
	owner.says("by day")
	owner.says("and one more")
	waits := func(p *person, n int) {
		t.Helper()
		p.until("what waits", func() bool { return p.count(`#queue button[aria-label="Edit the waiting message"]`) == n })
	}
	waits(owner, 2)
	waits(other, 2)
	owner.sees("#queue", "Waiting for Nikki")
	owner.run("load it again", chromedp.Reload())
	waits(owner, 2)
	if owner.count("#log .mine") != 1 {
		t.Errorf("what waits is in the chat: %s", owner.text("#log"))
	}
	owner.accessible("messages that wait")
	owner.narrow()

	owner.run("go there", chromedp.Focus(`#queue button[aria-label="Edit the waiting message"]`, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.hasFocus("#queue .edit textarea")
	owner.accessible("changing a message that waits")
	owner.run("begin anew", clear("#queue .edit textarea"))
	owner.presses("by night")
	owner.presses(kb.Enter, chromedp.KeyModifiers(2)) // Ctrl
	owner.until("the new words", func() bool { return owner.count("#queue .edit") == 0 && owner.has("#queue", "by night") })
	owner.doesNotSee("#queue", "by day")
	other.sees("#queue", "by night")
	owner.hasFocus("#text")
	owner.presses(kb.ArrowUp)
	owner.until("the last one to be changed", func() bool { return owner.holds(`document.activeElement.value === "and one more"`) })
	owner.presses(kb.Escape)
	owner.hasFocus("#text")
	owner.run("take the other back", chromedp.Evaluate(`[...document.querySelectorAll('#queue button[aria-label="Take back the waiting message"]')].at(-1).click()`, nil))
	waits(owner, 1)
	waits(other, 1)
	owner.doesNotSee("body", "and one more")
	other.doesNotSee("body", "and one more")

	stage.Open("gate")
	owner.sees("#log .reply:last-child", "you said by night")
	other.sees("#log .reply:last-child", "you said by night")
	inOrder := func(p *person) {
		t.Helper()
		at := 0
		for _, text := range []string{"wait gate", "done gate", "by night", "you said by night"} {
			found := strings.Index(p.text("#log")[at:], text)
			if found < 0 {
				t.Fatalf("%s does not read %q in its place: %s", p.name, text, p.text("#log"))
			}
			at += found + len(text)
		}
		if n := p.count("#log .mine"); n != 2 || p.count("#queue") != 0 {
			t.Errorf("%s sees %d messages, and waiting: %q", p.name, n, p.text("#queue"))
		}
	}
	inOrder(owner)
	inOrder(other)
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply:last-child", "you said by night")
	inOrder(owner)
	owner.doesNotSee("#log", "and one more")
	owner.doesNotSee("#log", "by day")
}

// TestPartial proves that what was said of an answer that was stopped is there on another
// device, and after a reload.
func TestPartial(t *testing.T) {
	m := &dictated{}
	in, owner := atChat(t, dictating(m))
	owner.says("dictate")
	m.stream(t, "half of ", "an **answer** ")
	owner.sees("#log .live strong", "answer")
	owner.clicks("#stop")
	owner.sees("#log .reply .ending", "Stopped")
	if n := owner.count("#log .reply"); n != 1 {
		t.Errorf("%d answers are shown", n)
	}
	other := atBrowser(t, "elsewhere")
	other.open(in.link())
	other.sees("#log .reply", "half of an answer")
	other.sees("#log .reply .ending", "Stopped")
	other.sees("#log .reply strong", "answer")
}
