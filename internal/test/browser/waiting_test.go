package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/test/llmtest"
)

// TestWaitingMessages proves that messages which wait while the agent is busy are marked and
// counted, also when the page is loaded again; that they can be changed and taken back until
// a turn has taken them, on other devices too; that the last message can be sent again, and
// answered again; and all of it with the keyboard.
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
	owner.sees("#held", "2 messages are waiting for the agent")
	other.sees("#held", "2 messages are waiting")
	owner.sees("#log .mine:last-of-type .waits, #log .waits", "Waiting")
	if n := owner.count("#log .waits"); n != 2 {
		t.Errorf("%d messages are marked", n)
	}
	owner.run("load it again", chromedp.Reload())
	owner.sees("#held", "2 messages are waiting")
	owner.accessible("messages that wait")

	const second = `#log .waits button[aria-label="Edit the waiting message"]`
	owner.run("go there", chromedp.Focus(second, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.hasFocus("#log .edit textarea")
	owner.accessible("changing a message that waits")
	owner.run("begin anew", clear("#log .edit textarea"))
	owner.presses("by night")
	owner.presses(kb.Enter, chromedp.KeyModifiers(2)) // Ctrl
	owner.until("the new words", func() bool { return owner.count("#log .edit") == 0 && owner.has("#log", "by night") })
	owner.doesNotSee("#log", "by day")
	other.sees("#log", "by night")
	owner.hasFocus("#text")
	owner.run("take the other back", chromedp.Evaluate(`[...document.querySelectorAll('#log .waits button[aria-label="Take back the waiting message"]')].at(-1).click()`, nil))
	owner.sees("#held", "1 message is waiting for the agent")
	owner.doesNotSee("#log", "and one more")
	other.until("it to be gone", func() bool { return !other.has("#log", "and one more") && other.count("#log .waits") == 1 })
	owner.narrow()

	stage.Open("gate")
	owner.sees("#log .reply:last-child", "you said by night")
	owner.until("nothing to wait", func() bool { return owner.count("#held") == 0 && owner.count("#log .waits") == 0 })
	owner.run("load it again", chromedp.Reload())
	owner.sees("#log .reply:last-child", "you said by night")
	owner.doesNotSee("#log", "and one more")
	owner.doesNotSee("#log", "by day")

	// Once more, and in other words.
	owner.run("go there", chromedp.Focus(`#log .reply:last-child button[aria-label^="Try again"]`, chromedp.ByQuery))
	owner.accessible("what can be done again")
	owner.presses(kb.Enter)
	owner.until("a second answer", func() bool {
		return owner.count("#log .reply") == 3 && owner.has("#log .reply:last-child", "you said by night")
	})
	owner.run("go there", chromedp.Focus(`#log button[aria-label="Edit this message and send it again"]`, chromedp.ByQuery))
	owner.presses(kb.Enter)
	owner.hasFocus("#text")
	owner.until("its words", func() bool { return owner.holds(`document.querySelector("#text").value === "by night"`) })
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
	owner.sees("#log .notice", "The turn was stopped.")
	if n := owner.count("#log .reply"); n != 1 {
		t.Errorf("%d answers are shown", n)
	}
	other := atBrowser(t, "elsewhere")
	other.open(in.link())
	other.sees("#log .reply", "half of an answer")
	other.sees("#log .reply .ending", "Stopped")
	other.sees("#log .reply strong", "answer")
}
