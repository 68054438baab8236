package browser

import (
	"testing"

	"github.com/chromedp/chromedp"
)

// TestTasksPage proves that the list goes on while something in it has the focus, that
// the focus stays where it was, that what changes is said in one sentence, and that
// rows which do not change are left alone.
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
	owner.sees("#tasks .working", "first")
	owner.run("focus its button", chromedp.Evaluate(`document.querySelector("#tasks .do button").focus(); window.focused = document.activeElement; window.held = document.querySelector("#tasks .what a")`, nil))
	ask("second")
	owner.sees("#tasks .group + .working", "second")
	stays := func(script string) (stays bool) {
		owner.run("look", chromedp.Evaluate(script, &stays))
		return stays
	}
	if !stays(`document.activeElement === focused && focused.tagName === "BUTTON" && focused.isConnected`) {
		t.Error("the focus is lost when another task comes")
	}
	owner.announces()
	owner.accessible("tasks at work, listed")
	owner.run("focus it again: a phone does not show it", chromedp.Evaluate(`focused.focus()`, nil))
	close(m.finish)
	owner.until("the ends", func() bool { return owner.count("#tasks .completed") == 2 })
	if !stays(`document.activeElement === held && held.isConnected`) {
		t.Error("the focus is lost when the task ends")
	}
	owner.sees("#announcer", "Sasha finished: ")
	ask("third")
	owner.sees("#tasks", "third")
	if !stays(`document.activeElement === held && held.isConnected`) {
		t.Error("the focus is lost when another task comes, once more")
	}
	owner.accessible("tasks done, listed")
	owner.narrow()
}
