package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"errand/internal/test/llmtest"
)

// tabsTo goes with the Tab key alone to an element, and fails where that leads nowhere.
func (p *person) tabsTo(at string) {
	p.t.Helper()
	for range 80 {
		if p.holds(`document.activeElement.matches(` + quoted(at) + `)`) {
			if !p.holds(`(() => { const style = getComputedStyle(document.activeElement), around = document.activeElement.closest("label"); return style.outlineStyle !== "none" || around && getComputedStyle(around).outlineStyle !== "none"; })()`) {
				p.t.Errorf("nobody sees that the focus is on %s", at)
			}
			return
		}
		p.presses(kb.Tab)
	}
	p.picture("failed")
	p.t.Fatalf("%s: the Tab key does not lead to %s", p.name, at)
}

// TestTasksByKeyboard proves that the page of tasks needs no mouse: tasks are filtered,
// unfolded, picked, canceled, opened and tried again with the keyboard alone, and one sees
// where one is.
func TestTasksByKeyboard(t *testing.T) {
	in, stage, owner := atBoard(t)
	tree := owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate")))
	one, two := owner.gives("finn", "wait one"), owner.gives("finn", "wait two")
	owner.until("all of them", func() bool {
		return owner.count("#tasks tbody[data-task]") == 3 && owner.count(row(tree)+" button.fold") == 1
	})

	owner.tabsTo(row(one) + " .pick input")
	owner.presses(" ")
	owner.tabsTo("#bulk .act button")
	owner.presses(kb.Enter)
	owner.sees(state(one), "Canceled")
	owner.open(in.url + "/tasks")
	owner.until("all of them", func() bool {
		return owner.count("#tasks tbody[data-task]") == 3 && owner.count(row(tree)+" button.fold") == 1
	})
	owner.tabsTo(row(two) + " .do button")
	owner.presses(kb.Enter)
	owner.sees(state(two), "Canceled")
	owner.until("the focus to stay in the row", func() bool {
		return owner.holds(`document.activeElement.closest(` + quoted(row(two)) + `) !== null`)
	})
	owner.tabsTo(row(tree) + " .fold")
	owner.presses(kb.Enter)
	owner.sees(`#tasks [data-level="1"]`, "wait gate")
	stage.Open("gate")
	owner.sees(state(tree), "Done")

	owner.open(in.url + "/tasks")
	owner.until("all of them", func() bool { return owner.count("#tasks tbody[data-task]") == 3 })
	owner.tabsTo(`.states input`)
	for range 10 {
		if owner.holds(`document.activeElement.value === "canceled"`) {
			break
		}
		owner.presses(kb.ArrowRight)
		owner.settles()
	}
	owner.until("the canceled ones", func() bool {
		return owner.count("#tasks tbody[data-task]") == 2 && strings.Contains(owner.at(), "state=canceled")
	})
	owner.tabsTo(row(two) + " a.title")
	owner.presses(kb.Enter)
	owner.sees(".one-task h1", "wait two")
	owner.tabsTo(".task-head button")
	owner.presses(kb.Enter)
	owner.until("the new one", func() bool { return !strings.Contains(owner.at(), two) && owner.has(".rail", two) })
}

// TestQuestionsByKeyboard proves that questions are answered with the keyboard alone, by a
// button, by a text and not at all, and that the focus goes on to the next.
func TestQuestionsByKeyboard(t *testing.T) {
	_, owner := atChat(t, staged)
	owner.run("go to the questions", chromedp.Navigate(owner.at()+"questions"))
	owner.sees("main", "Nothing is waiting for an answer.")
	owner.gives("sasha", asking(t, map[string]any{"question": "Which day?", "options": []string{"Monday", "Tuesday"}}))
	owner.sees("#waiting", "1 waits for an answer")
	owner.gives("finn", asking(t, map[string]any{"question": "Where to?"}))
	owner.sees("#waiting", "2 wait for an answer")
	owner.gives("sasha", asking(t, map[string]any{"question": "Shall I?", "options": []string{"Yes", "No"}}))
	owner.sees("#waiting", "3 wait for an answer")

	owner.tabsTo("#waiting .card .choices button:nth-child(2)")
	first := owner.text("#waiting .card:focus-within .asked-text")
	owner.presses(kb.Enter)
	owner.sees("#over", strings.TrimSpace(first))
	owner.until("the next to have the focus", func() bool { return owner.holds(`document.activeElement.closest("#waiting .card") !== null`) })
	owner.tabsTo("#waiting textarea")
	owner.presses("Oslo")
	owner.presses(kb.Enter)
	owner.sees("#over", "Answered: Oslo")
	owner.tabsTo("#waiting .decline")
	owner.presses(kb.Enter)
	owner.sees("#over", "Declined")
	owner.sees("main", "Nothing is waiting for an answer.")
}
