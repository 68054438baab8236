package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/llmtest"
)

func (p *person) measures(at, length string) (pixels float64) {
	p.t.Helper()
	p.run("measure "+at, chromedp.Evaluate(`document.querySelector(`+quoted(at)+`).getBoundingClientRect().`+length, &pixels))
	return pixels
}

const table = "# Trains\n\n| train | hours |\n|---|---|\n| EuroNight | 14 |\n| day train | 11 |\n\n1. **first** this\n2. then that\n\n" + "```go\nfmt.Println(1)\n```\n"

// TestTaskPage proves that the page of a task shows the request, what happened in order, subtasks,
// files and the answer in Markdown; and that people can add to the task, continue it and answer
// its question on that page.
func TestTaskPage(t *testing.T) {
	in, stage, owner := atBoard(t)
	write := llmtest.Use("write_file", map[string]string{"path": "trains.md", "content": "two " + hostile})
	top := owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate"), write, llmtest.Use("read_file", map[string]string{"path": "gone.md"})))
	owner.sees(state(top), "At work")
	owner.toTask(top)
	owner.sees("#request", "wait gate")
	owner.sees("#delegated", "wait gate")
	owner.sees(".bars", "Finn")
	owner.sees(".events", "Asked Finn wait gate")
	owner.types("#steer input", "and the way back\r")
	owner.sees(".events", "You added “and the way back”")
	owner.accessible("a task at work")
	stage.Plays("sasha", "say "+table)
	stage.Open("gate")
	owner.sees(".state-line .state-word", "Done")
	owner.sees("#result table", "EuroNight")
	owner.sees("#result ol", "then that")
	owner.sees("#result h3, #result h4", "Trains")
	owner.sees("#announcer", "Sasha finished.")
	owner.sees("#files a", "trains.md")
	owner.until("the ends of the bars", func() bool { return !owner.has(".bars .took", "…") && owner.count(".bar-of .at-model") > 1 })
	owner.sees(".events", "Wrote trains.md")
	owner.sees(".events .bad .out", "failed: ")
	owner.sees(".events .delivered", "Delivered the answer")
	owner.sees(".events .delivered .out", "once")
	if before, after := owner.text(".events li:first-child"), owner.text(".events li:last-child"); !strings.Contains(before, "Asked Finn") || !strings.Contains(after, "Delivered the answer") {
		t.Errorf("the first event is %q, the last one %q", before, after)
	}
	owner.clicks(`.events li:has(a[href*="trains.md"]) button`)
	owner.sees(".events .below pre", hostile)
	owner.unharmed("main")
	owner.clicks(".steps summary")
	owner.sees(".steps", "Tokens used")
	owner.picture("task")
	owner.accessible("a task that is over")
	owner.narrow()
	owner.clicks("#delegated a")
	owner.sees("h1", "wait gate")
	owner.sees(".crumbs", "do [{")

	owner.run("back", chromedp.Navigate(in.url+"/tasks/"+top))
	owner.types("#steer input", "say more\r")
	owner.until("the new task", func() bool { return !strings.Contains(owner.at(), top) && owner.has(".facts", top) })
	owner.clicks(".facts a[href='/tasks/" + top + "']")
	owner.clicks(".state-line a")
	owner.until("its card in the chat", func() bool { return owner.holds(`document.activeElement?.dataset.task === ` + quoted(top)) })
	owner.clicks(`.task[data-task="` + top + `"] a[href^="/tasks/"]`)
	owner.sees("h1", "do [{")

	asks := owner.gives("sasha", asking(t, map[string]any{"question": "Which day? " + hostile, "options": []string{"Monday", "Tuesday"}}))
	owner.run("go there", chromedp.Navigate(in.url+"/tasks/"+asks))
	owner.sees(".asked", "Which day?")
	owner.unharmed("main")
	owner.accessible("a task that asks, alone")
	owner.clicks(".asked .choices button")
	owner.sees(".events .asked-row", "Answered: Monday")
	owner.sees(".state-line .state-word", "Done")
	owner.unharmed("main")

	lost := owner.gives("finn", "wait never")
	owner.run("go there", chromedp.Navigate(in.url+"/tasks/"+lost))
	owner.clicks(".task-head button")
	owner.sees(".state-line .state-word", "Canceled")
	owner.until("the focus to stay", func() bool { return owner.holds(`document.activeElement.closest(".task-head") !== null`) })
	owner.clicks(".task-head button")
	owner.until("the new one", func() bool { return !strings.Contains(owner.at(), lost) && owner.has(".facts", lost) })

	owner.run("look for one that is not", chromedp.Navigate(in.url+"/tasks/t-nothing"))
	owner.sees("body", "There is nothing here")
}

// TestFailedTaskPage proves that the page of a failed task shows the reason and what to do in red,
// and no answer.
func TestFailedTaskPage(t *testing.T) {
	in, _, owner := atBoard(t)
	task, err := in.app.Store.CreateTask(t.Context(), core.Origin{Person: app.Owner, Role: core.MasterAdmin}, store.NewTask{Agents: []core.AgentName{"priest"}, Text: "pray"}, "")
	owner.must("make a task", err)
	_, _, err = in.app.Store.FinishTask(t.Context(), task.ID, core.Failed, "the model does not answer")
	owner.must("let it fail", err)
	owner.sees(state(string(task.ID)), "Failed")
	owner.toTask(string(task.ID))
	owner.sees("#result.failure", "the model does not answer")
	owner.sees("#result.failure", "runs this task as a new task")
	owner.doesNotSee("#result", "Answer")
	owner.picture("task-failed")
	owner.accessible("a failed task")
	owner.narrow()
}

// TestTaskPageOfAnother proves that a task of somebody else has no page for who may not see
// it, and one for who may.
func TestTaskPageOfAnother(t *testing.T) {
	in, _, owner := atBoard(t)
	mine := owner.gives("finn", "say a secret")
	owner.sees(state(mine), "Done")
	for role, sees := range map[core.Role]bool{core.Member: false, core.Partner: true} {
		other := atBrowser(t, string(role))
		other.open(in.linkOf(core.PersonID(role), role))
		other.sees("#who", role.Display())
		other.open(in.url + "/tasks/" + mine)
		if sees {
			other.sees("#result", "a secret")
		} else {
			other.sees("body", "There is nothing here")
			other.doesNotSee("body", "secret")
		}
	}
}

// TestUsagePage proves that what was used is shown by day, agent, model and errand, with bars
// beside the numbers, and says so where there is nothing.
func TestUsagePage(t *testing.T) {
	in, _, owner := atBoard(t)
	owner.run("go to the usage", chromedp.Navigate(in.url+"/usage"))
	owner.sees("#none", "Nothing was used")
	owner.accessible("nothing used")
	top := owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "say the night train is blue")))
	owner.until("it to end", func() (over bool) {
		owner.evaluates("read the task", `fetch("/api/tasks/`+top+`").then(answer => answer.json()).then(task => task.state === "completed")`, &over)
		return over
	})
	owner.run("look again", chromedp.Reload())
	owner.sees("#by-agent", "Sasha")
	owner.sees("#by-agent", "Finn")
	owner.sees("#by-tree a", "do [{")
	owner.until("a column for each day", func() bool { return owner.count("#by-day svg .hit") == 30 })
	owner.clicks("#by-day summary")
	owner.until("a row for the day", func() bool { return owner.count("#by-day tbody tr") == 1 })
	owner.announces()
	owner.accessible("what was used")
	owner.narrow()
	owner.picks("[name=days]", "7")
	owner.until("a column for each of fewer days", func() bool { return owner.count("#by-day svg .hit") == 7 && strings.Contains(owner.at(), "days=7") })
	owner.picks("[name=person]", "*")
	owner.sees("#by-person", "you")
	owner.clicks("#by-tree a")
	owner.sees("h1", "do [{")

	// What the title of a chat has cost is no message's.
	owner.posts("/api/sessions/tea/messages", map[string]any{"text": "is there tea?"})
	chat, err := in.app.Store.Current(t.Context(), core.NewSessionKey(core.WebRoute("tea"), app.Owner))
	if err != nil {
		t.Fatal(err)
	}
	c := store.UntitledChat{Session: chat.ID, Key: chat.Key, Person: chat.Person, Agent: chat.Agent}
	if err := in.app.Store.EndTitle(t.Context(), c, "", []core.Usage{{Model: "small", InputTokens: 10}}); err != nil {
		t.Fatal(err)
	}
	owner.run("look at it", chromedp.Navigate(in.url+"/usage"))
	owner.sees("#by-tree", "the title of “is there tea?”")
}
