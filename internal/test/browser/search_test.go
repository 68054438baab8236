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
	owner.until("what was found", func() bool {
		return owner.count("[data-group=chats] .found > li") == 1 && owner.count(".found ul a") == 2
	})
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

// TestSearchFindsTasksAndAgents proves that the search also finds tasks and agents, under separate
// headings, and that people can open a task and begin a message to an agent with the keyboard.
func TestSearchFindsTasksAndAgents(t *testing.T) {
	in, owner := atChat(t, dictating(&dictated{}))
	owner.says("compare trains to Oslo")
	owner.sees("#log .reply", "Sasha is on it.")
	search := func(words string) {
		t.Helper()
		owner.presses("k", chromedp.KeyModifiers(2))
		owner.until("the search", func() bool { return owner.holds(`document.activeElement.matches(".search input")`) })
		owner.presses(words)
	}
	search("Oslo")
	owner.sees("[data-group=tasks] h2", "Tasks")
	owner.until("the task and its mark", func() bool {
		return owner.has("[data-group=tasks] a", "at work") && owner.has("[data-group=tasks] mark", "Oslo")
	})
	owner.sees("[data-group=chats] .excerpt", "trains to Oslo")
	owner.sees("[data-group=do]", "New chat: “Oslo”")
	owner.accessible("tasks in the search")
	owner.narrow()
	owner.picture("search")
	for !owner.holds(`document.activeElement.matches("[data-group=tasks] a")`) {
		owner.presses(kb.ArrowDown)
	}
	owner.presses(kb.Enter)
	owner.sees("h1", "compare trains to Oslo")
	if !strings.Contains(owner.at(), "/tasks/t-") {
		t.Errorf("the task leads to %s", owner.at())
	}

	search("@sas") // on a page without a message box
	owner.sees("[data-group=agents] a", "Sasha")
	owner.sees("[data-group=agents] mark", "Sas")
	owner.presses(kb.Enter)
	owner.until("a message to Sasha", func() bool { return owner.holds(`document.querySelector("#text")?.value === "Ask Sasha to "`) })
	owner.sees("#log .reply", "Sasha is on it.")
	owner.run("empty it", clear("#text"))

	search("@finn") // in the chat itself
	owner.sees("[data-group=agents] a", "Finn")
	owner.presses(kb.Enter)
	owner.until("a message to Finn", func() bool {
		return owner.holds(`document.activeElement.matches("#text") && document.activeElement.value === "Ask Finn to "`)
	})
	if strings.TrimPrefix(owner.at(), in.url) != "/?chat=main" {
		t.Errorf("it is at %s", owner.at())
	}
	search("elderberry wine")
	owner.sees("[data-group=do] a", "elderberry wine")
	owner.until("nothing else", func() bool { return owner.has(".search > p", "Nothing was found.") })
	owner.presses(kb.Enter)
	owner.until("a new chat with the words", func() bool {
		return owner.at() != in.url+"/?chat=main" && owner.holds(`document.querySelector("#text")?.value === "elderberry wine"`)
	})
}
