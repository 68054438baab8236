package browser

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"errand"
	"errand/internal/app"
	"errand/internal/llm/llmtest"
	"errand/internal/store"
)

// atBoard opens the page of tasks of an installation whose agents do what they are told.
func atBoard(t *testing.T) (*installation, *llmtest.Stage, *person) {
	t.Helper()
	in, owner := atChat(t, staged)
	owner.run("go to the tasks", chromedp.Navigate(owner.at()+"tasks"))
	owner.sees("main", "No tasks yet.")
	return in, in.model.(*llmtest.Stage), owner
}

// card is the selector of the card of a task.
func card(id string) string { return `[data-task="` + id + `"]` }

// TestBoard proves that the page of tasks shows a tree as it grows and ends, with what
// all of it came to and who was at work when; and that a task is added to, canceled, tried
// again and gone on with there, and its question answered.
func TestBoard(t *testing.T) {
	_, stage, owner := atBoard(t)
	top := owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate")))
	owner.sees("#tasks > .node > "+card(top), "from you")
	finn := "#tasks .below .task"
	owner.sees(finn, "Finn: wait gate")
	owner.sees(finn, "from Sasha")
	owner.sees("#tasks .sum", "In all: 2 tasks, 2 open")

	owner.types(finn+" .steer input", "and the way back\r")
	owner.sees(finn, "1 message added")
	owner.clicks("#tasks .branch summary")
	owner.until("two rows", func() bool { return owner.count("#tasks .timeline li") == 2 })
	owner.accessible("a tree at work")
	stage.Open("gate")
	owner.sees("#tasks > .node > "+card(top)+" .state-word", "completed")
	owner.sees(finn+" .state-word", "completed")
	owner.clicks(finn + " summary")
	owner.sees(finn+" .result", "and the way back")
	owner.sees("#tasks .sum", "In all: 2 tasks, 4 steps")
	owner.sees("#tasks .timeline li:nth-child(2)", "Finn")
	owner.until("the ends of the bars", func() bool { return !owner.has("#tasks .timeline .took", "…") })
	owner.accessible("a tree that is over")
	owner.narrow()

	lost := owner.gives("finn", "wait never")
	owner.sees(card(lost)+" .state-word", "working")
	owner.clicks(card(lost) + " > .row button")
	owner.sees(card(lost)+" .state-word", "canceled")
	owner.clicks(card(lost) + " > .row button")
	again := `#tasks > .node:first-child > .task:not(` + card(lost) + `)`
	owner.sees(again+" .state-word", "working")
	owner.clicks(again + " > .row button")
	owner.sees(again+" .state-word", "canceled")
	owner.clicks(card(lost) + " .go-on summary")
	owner.types(card(lost)+" .steer input", "say here I am\r")
	owner.sees("#tasks > .node:first-child > .task summary", "Result: here I am")
	owner.sees("#tasks > .node:first-child > .task", "goes on with")

	asks := owner.gives("sasha", asking(t, map[string]any{"question": "Which day? " + hostile, "options": []string{"Monday", "Tuesday"}}))
	owner.sees(card(asks)+" .asked", "Which day?")
	owner.sees(card(asks)+" .state-word", "waits for an answer")
	owner.unharmed("#tasks")
	owner.accessible("a task that asks")
	owner.clicks(card(asks) + " .choices button")
	owner.sees(card(asks)+" .state-word", "completed")
	owner.announces()
}

// TestDecisionOnBoard proves that the card of a decision says how it was decided, and of
// each agent what it answered and why, in words that are words; and leads to what follows.
func TestDecisionOnBoard(t *testing.T) {
	_, stage, owner := atBoard(t)
	verdict := func(answer, why string) string {
		return llmtest.Do(llmtest.ToolCall{Tool: "submit_verdict", Args: fmt.Sprintf(`{"answer":%q,"reasoning":%q,"confidence":0.9}`, answer, why)})
	}
	stage.Plays("finn", verdict("YES", hostile+strings.Repeat("w", 200)))
	stage.Plays("priest", verdict("NO", "it is a sin"))
	stage.Plays("vera", "say I like it", "say I do like it")
	id := owner.posts("/api/tasks", map[string]any{"agents": []string{"finn", "priest", "vera"}, "text": "is it good?", "expect": "decision",
		"else": map[string]any{"agents": []string{"sasha"}, "task": "say what a pity"}}).Body.ID
	owner.sees(card(id)+" .decision .answer", "No quorum")
	owner.sees(card(id)+" .decision", "3 asked: 2 counted, 1 without a verdict")
	owner.clicks(card(id) + " .decision li:nth-child(1) summary")
	owner.sees(card(id)+" .decision li:nth-child(1)", "Finn: yes (90 % sure)")
	owner.sees(card(id)+" .decision li:nth-child(1)", "<img src=x onerror=")
	owner.sees(card(id)+" .decision li:nth-child(3)", "Vera: no verdict, not counted")
	owner.unharmed("#tasks")
	owner.accessible("a decision")
	owner.narrow()
	owner.clicks(card(id) + " .decision a")
	owner.until("what follows to have the focus", func() bool {
		return owner.holds(`document.activeElement.matches(".task") && document.activeElement.innerText.includes("what a pity")`)
	})
}

// TestTaskFilters proves that tasks are found by state, agent and text, with their trees,
// that what is looked for stays in the address, and that a long list stays usable.
func TestTaskFilters(t *testing.T) {
	in, _, owner := atBoard(t)
	owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "say the night train is blue")))
	owner.sees("#tasks .below summary", "the night train is blue")
	for i := range 120 {
		task, err := in.app.Store.CreateTask(t.Context(), errand.Origin{Person: app.Owner, Role: errand.MasterAdmin},
			store.NewTask{Agents: []errand.AgentName{"priest"}, Text: fmt.Sprint(i, hostile, strings.Repeat("z", 80))}, "")
		if err == nil {
			_, _, err = in.app.Store.FinishTask(t.Context(), task.ID, errand.Failed, strings.Repeat("no ", 400))
		}
		owner.must("make a task", err)
	}
	owner.until("a page of tasks", func() bool { return owner.count("#tasks > .node") == 100 })
	owner.unharmed("#tasks")
	owner.narrow()
	owner.clicks("#tasks .failed summary")
	owner.until("all of what went wrong", func() bool { return strings.Count(owner.text("#tasks details[open] .result"), "no") == 400 })
	owner.clicks("#more")
	owner.until("the older ones", func() bool { return owner.count("#tasks > .node") == 121 })

	owner.picks("#filters [name=agent]", "finn")
	owner.until("what Finn did, in its tree", func() bool { return owner.count("#tasks > .node") == 1 && owner.count("#tasks .below .task") == 1 })
	if !owner.holds(`document.querySelector("#tasks > .node").matches(".other") && !document.querySelector("#tasks .below > .node").matches(".other")`) {
		t.Error("what was looked for is not told from the rest of its tree")
	}
	owner.run("load it again", chromedp.Reload())
	owner.until("the same", func() bool { return owner.count("#tasks > .node") == 1 && owner.count("#tasks .below .task") == 1 })
	owner.picks("#filters [name=agent]", "")
	owner.types("#filters [name=q]", "TRAIN IS blue")
	owner.until("what was found", func() bool {
		return owner.count("#tasks .task") == 2 && strings.Contains(owner.at(), "?q=TRAIN+IS+blue")
	})
	owner.picks("#filters [name=state]", "failed")
	owner.sees("#none", "Nothing was found.")
	owner.accessible("nothing found")
	owner.sees("#announcer", "Nothing was found.")

	in.end()
	owner.sees("#connection", "not reachable")
	in.begin()
	owner.until("errand to be back", func() bool { return owner.text("#connection") == "" })
	owner.picks("#filters [name=state]", "completed")
	owner.until("what was found, again", func() bool { return owner.count("#tasks .task") == 2 })
}
