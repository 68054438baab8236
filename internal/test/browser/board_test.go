package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/llmtest"
)

func atBoard(t *testing.T) (*installation, *llmtest.Stage, *person) {
	t.Helper()
	in, owner := atChat(t, staged)
	owner.run("go to the tasks", chromedp.Navigate(owner.at()+"tasks"))
	owner.sees("main", "No tasks yet.")
	return in, in.model.(*llmtest.Stage), owner
}

func row(id string) string { return `#tasks [data-task="` + id + `"]` }

func state(id string) string { return row(id) + " .state-word" }

// countsOf waits until the page says that so many tasks are in a state.
func (p *person) countsOf(state, n string) {
	p.t.Helper()
	p.sees(`.states [data-state="`+strings.TrimPrefix(state, "all")+`"] .n`, n)
}

func (p *person) toTask(id string) {
	p.t.Helper()
	p.clicks(row(id) + " a.title")
	p.until("the page of the task", func() bool { return p.count(`.one-task[data-task="`+id+`"]`) == 1 })
}

// TestBoard proves that the page of tasks shows a tree as it grows and ends, folded to one row; that
// people can cancel and retry a task there; and that a task that waits for this person is one row,
// which leads to its question.
func TestBoard(t *testing.T) {
	_, stage, owner := atBoard(t)
	top := owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate")))
	owner.until("one row with one below", func() bool {
		return owner.count("#tasks tbody[data-task]") == 1 && owner.count(row(top)+" button.fold") == 1
	})
	if high := owner.measures(row(top), "height"); high > 40 {
		t.Errorf("a row is %v pixels high", high)
	}
	owner.clicks(row(top) + " .fold")
	finn := `#tasks [data-level="1"]`
	owner.sees(finn, "wait gate")
	owner.sees(finn+" .agent", "Finn")
	owner.accessible("a tree at work")
	stage.Open("gate")
	owner.sees(state(top), "Done")
	owner.sees(finn+" .state-word", "Done")
	owner.countsOf("completed", "2")
	owner.clicks(row(top) + " .fold")
	owner.until("it to be folded", func() bool { return owner.count("#tasks tbody[data-task]") == 1 })
	owner.accessible("a tree that is over")
	owner.narrow()

	lost := owner.gives("finn", "wait never")
	owner.sees(state(lost), "At work")
	owner.clicks(row(lost) + " .do button")
	owner.sees(state(lost), "Canceled")
	owner.clicks(row(lost) + " .do button")
	again := `#tasks .group:first-of-type + tbody:not(` + strings.TrimPrefix(row(lost), "#tasks ") + `)`
	owner.sees(again+" .state-word", "At work")
	owner.clicks(again + " .do button")
	owner.until("two canceled", func() bool { return owner.count("#tasks .canceled") == 2 })

	asks := owner.gives("sasha", asking(t, map[string]any{"question": "Which day? " + hostile, "options": []string{"Monday", "Tuesday"}}))
	owner.sees(state(asks), "Waits for you")
	if high := owner.measures(row(asks), "height"); high > 40 {
		t.Errorf("a row with a question is %v pixels high", high)
	}
	owner.unharmed("#tasks")
	owner.accessible("a task that asks")
	owner.narrow()
	owner.sees("#tasks .group", "Open 1")
	owner.sees("#tasks .group ~ .group", "Ended today 3")
	owner.announces()
	owner.clicks(row(asks) + " .to-question")
	owner.sees(".asked", "Which day?")
	owner.clicks(".asked .choices button")
	owner.sees(".state-line .state-word", "Done")
}

// TestBulkOnBoard proves that several tasks are picked with the keyboard alone and canceled
// and tried again at once, and that what is wrong with one is told.
func TestBulkOnBoard(t *testing.T) {
	_, _, owner := atBoard(t)
	ids := []string{owner.gives("finn", "wait one"), owner.gives("finn", "wait two"), owner.gives("finn", "wait three"), owner.gives("finn", "say done")}
	owner.until("all of them", func() bool {
		return owner.count("#tasks tbody[data-task]") == len(ids) && owner.count(`#tasks .working`) == 3
	})
	press := func(id, key string) {
		t.Helper()
		owner.run("focus the box of "+id, chromedp.Focus(row(id)+" .pick input", chromedp.ByQuery))
		owner.presses(key)
	}
	press(ids[0], " ")
	press(ids[1], " ")
	owner.sees("#bulk", "2 selected")
	owner.sees("#bulk", "Cancel 2 open tasks")
	owner.accessible("tasks picked")
	owner.narrow()
	owner.clicks("#bulk .act button")
	owner.sees(state(ids[0]), "Canceled")
	owner.sees(state(ids[1]), "Canceled")
	owner.sees("#announcer", "2 canceled")
	owner.sees("#announcer", "Finn was canceled: wait one") // just before or after
	owner.until("nothing to be picked", func() bool { return owner.count("#bulk") == 0 })
	if owner.has(state(ids[2]), "Canceled") {
		t.Error("one is canceled that was not picked")
	}

	owner.clicks("#tasks thead input")
	owner.sees("#bulk", "4 selected")
	owner.sees("#bulk", "Cancel 1 open task")
	owner.sees("#bulk", "Try 2 again")
	owner.clicks("#bulk .act:nth-of-type(3) button")
	owner.until("two more", func() bool { return owner.count("#tasks tbody[data-task]") == 6 && owner.count("#tasks .working") == 3 })
	owner.sees("#announcer", "2 started again")
}

// TestDecisionOnPage proves that the page of a decision says how it was decided, and of
// each agent what it answered and why, in words that are words; and leads to what follows.
func TestDecisionOnPage(t *testing.T) {
	_, stage, owner := atBoard(t)
	verdict := func(answer, why string) string {
		return llmtest.Do(llmtest.ToolCall{Tool: "submit_verdict", Args: fmt.Sprintf(`{"answer":%q,"reasoning":%q,"confidence":0.9}`, answer, why)})
	}
	stage.Plays("finn", verdict("YES", hostile+strings.Repeat("w", 200)))
	stage.Plays("priest", verdict("NO", "it is a sin"))
	stage.Plays("vera", "say I like it", "say I do like it")
	id := owner.posts("/api/tasks", map[string]any{"agents": []string{"finn", "priest", "vera"}, "text": "is it good?", "expect": "decision",
		"else": map[string]any{"agents": []string{"sasha"}, "task": "say what a pity"}}).Body.ID
	owner.sees(state(id), "No decision, 2 of 3 voted")
	owner.toTask(id)
	owner.sees(".state-line .state-word", "No decision, 2 of 3 voted")
	owner.sees(".decision .answer", "No quorum")
	owner.sees(".decision", "3 asked: 2 counted, 1 without a verdict")
	owner.clicks(".decision li:nth-child(1) summary")
	owner.sees(".decision li:nth-child(1)", "Finn: yes (90 % sure)")
	owner.sees(".decision li:nth-child(1)", "<img src=x onerror=")
	owner.sees(".decision li:nth-child(3)", "Vera: no verdict, not counted")
	owner.until("a row for each agent", func() bool { return owner.count(".bars li") == 3 })
	owner.unharmed("main")
	owner.accessible("a decision")
	owner.narrow()
	owner.clicks(".decision p a")
	owner.sees("h1", "say what a pity")
	owner.sees(".facts", id)
}

// TestNewcomerOnTheBoard proves that somebody who has come since the page was opened is called
// by their name, and that one who is nobody's any more is looked for once.
func TestNewcomerOnTheBoard(t *testing.T) {
	in, _, owner := atBoard(t)
	owner.run("look at everybody's", chromedp.Navigate(in.url+"/tasks?person=*"))
	owner.sees("main", "No tasks yet.")
	asked := owner.asks()
	if _, err := in.app.Store.EnsurePerson(t.Context(), "p-2222bbbb", "Bob Newcomer", core.Member); err != nil {
		t.Fatal(err)
	}
	for _, person := range []core.PersonID{"p-2222bbbb", "p-gone"} {
		_, err := in.app.Store.CreateTask(t.Context(), core.Origin{Person: person, Role: core.Member}, store.NewTask{Agents: []core.AgentName{"priest"}, Text: "say a prayer"}, "")
		owner.must("make a task", err)
	}
	owner.sees("#tasks", "Bob Newcomer")
	owner.sees("#tasks", "p-gone")
	reads := 0
	for _, request := range asked.settled(owner) {
		if request == "GET people" {
			reads++
		}
	}
	if reads < 1 || reads > 2 {
		t.Errorf("names are read %d times", reads)
	}
}

// TestTaskFilters proves that tasks are found by state, agent, chat, time and text, with their
// trees, that the states say how many there are of each, that what is looked for stays in the
// address, and that a long list stays usable.
func TestTaskFilters(t *testing.T) {
	in, _, owner := atBoard(t)
	owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "say the night train is blue")))
	owner.countsOf("completed", "2")
	for i := range 120 {
		task, err := in.app.Store.CreateTask(t.Context(), core.Origin{Person: app.Owner, Role: core.MasterAdmin},
			store.NewTask{Agents: []core.AgentName{"priest"}, Text: fmt.Sprint(i, hostile, strings.Repeat("z", 80))}, "")
		if err == nil {
			_, _, err = in.app.Store.FinishTask(t.Context(), task.ID, core.Failed, strings.Repeat("no ", 400))
		}
		owner.must("make a task", err)
	}
	owner.countsOf("failed", "120")
	owner.countsOf("all", "122")
	owner.until("a page of tasks", func() bool { return owner.count("#tasks tbody[data-task]") == 100 })
	owner.unharmed("#tasks")
	owner.narrow()
	asked := owner.asks()
	owner.clicks("#more")
	owner.until("the older ones", func() bool { return owner.count("#tasks tbody[data-task]") == 121 })
	if list := asked.sofar(); !strings.Contains(list[0], "after=") || !strings.Contains(list[0], "limit=100") {
		t.Errorf("for the older ones it is asked for %q, not for the next page alone", list)
	}

	owner.picks("#filters [name=agent]", "finn")
	owner.until("what Finn did, in its tree", func() bool {
		return owner.count("#tasks tbody[data-task]") == 2 && owner.count(`#tasks [data-level="0"].other`) == 1 && owner.count(`#tasks [data-level="1"]:not(.other)`) == 1
	})
	owner.countsOf("all", "1")
	owner.run("load it again", chromedp.Reload())
	owner.until("the same", func() bool {
		return owner.count("#tasks tbody[data-task]") == 2 && strings.Contains(owner.at(), "?agent=finn")
	})
	owner.picks("#filters [name=agent]", "")
	owner.types("#filters [name=q]", "TRAIN IS blue")
	owner.until("what was found", func() bool {
		return owner.count("#tasks tbody[data-task]") == 1 && owner.count("#tasks button.fold") == 1 && strings.Contains(owner.at(), "?q=TRAIN+IS+blue")
	})
	owner.run("look for failed ones", chromedp.Navigate(owner.at()+"&state=failed"))
	owner.sees("#none", "Nothing was found.")
	owner.accessible("nothing found")
	owner.clicks(`.states [data-state=""]`)
	owner.until("what was found, again", func() bool { return owner.count("#tasks tbody[data-task]") == 1 })

	var chat string
	owner.evaluates("read the choices of chats", `document.querySelector("#filters [name=chat] option:nth-child(2)").value`, &chat)
	owner.run("look in the chat", chromedp.Navigate(in.url+"/tasks?chat="+chat))
	owner.until("those of the chat", func() bool {
		return owner.count("#tasks tbody[data-task]") == 1 && owner.has(`.states [data-state=""] .n`, "2")
	})
	owner.run("look at a time before", chromedp.Navigate(in.url+"/tasks?until=2020-02-29"))
	owner.sees("#none", "Nothing was found.")
	owner.run("look at a time since", chromedp.Navigate(in.url+"/tasks?since=2020-02-29&state=failed"))
	owner.until("a page of tasks", func() bool { return owner.count("#tasks tbody[data-task]") == 100 })

	in.end()
	owner.sees("#connection", "Can't reach errand")
	in.begin()
	owner.until("errand to be back", func() bool { return owner.text("#connection") == "" })
	owner.clicks(`.states [data-state="completed"]`)
	owner.until("what is completed", func() bool { return owner.count("#tasks tbody[data-task]") == 1 })
}
