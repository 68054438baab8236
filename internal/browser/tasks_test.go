package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTasksPage proves that the list goes on while something in it has the focus, that
// the focus stays where it was, that what changes is said in one sentence, and that
// cards which do not change are left alone.
func TestTasksPage(t *testing.T) {
	m := &dictated{}
	in, owner := atChat(t, dictating(m))
	owner.open(in.url + "/tasks")
	owner.sees("main", "No tasks yet.")
	owner.accessible("no tasks")
	ask := func(task string) {
		owner.evaluates("give "+task, `fetch("/api/tasks", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({agent: "sasha", text: `+quoted(task)+`})}).then(answer => answer.status)`, new(int))
	}
	ask("first")
	owner.sees("#tasks .working", "Sasha: first")
	owner.run("focus its button", chromedp.Evaluate(`document.querySelector("#tasks button").focus(); window.focused = document.activeElement; window.card = document.querySelector("#tasks article")`, nil))
	ask("second")
	owner.sees("#tasks .working:first-child", "Sasha: second")
	stays := func(script string) (stays bool) {
		owner.run("look", chromedp.Evaluate(script, &stays))
		return stays
	}
	if !stays(`document.activeElement === focused && focused.tagName === "BUTTON" && focused.isConnected`) {
		t.Error("the focus is lost when another task comes")
	}
	owner.announces()
	owner.accessible("tasks at work, listed")
	close(m.finish)
	owner.until("the ends", func() bool { return owner.count("#tasks .completed") == 2 })
	if !stays(`document.activeElement === card && card.isConnected`) {
		t.Error("the focus is lost when the task ends")
	}
	owner.sees("#announcer", "Sasha has finished: ")
	owner.clicks("#tasks summary")
	owner.sees("#tasks .result", "The train leaves at nine.")
	ask("third")
	owner.sees("#tasks", "Sasha: third")
	owner.sees("#tasks .result", "The train leaves at nine.")
	owner.accessible("tasks done, listed")
	owner.narrow()
}
