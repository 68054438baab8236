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

// TestTaskPage proves that the page of a task shows what was asked, what was done when, what
// was delegated and what all of it took, what came of it in Markdown, how it was told, and the
// files that were made; and that it is added to, gone on with and answered there.
func TestTaskPage(t *testing.T) {
	in, stage, owner := atBoard(t)
	top := owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate"), llmtest.Use("write_file", map[string]string{"path": "trains.md", "content": "two"})))
	owner.sees(state(top), "working")
	owner.toTask(top)
	owner.sees("#request", "wait gate")
	owner.sees("#delegated", "Finn: wait gate")
	owner.sees("#timeline .timeline", "Finn")
	owner.types(".steer input", "and the way back\r")
	owner.sees(".facts", "1 message")
	owner.accessible("a task at work")
	stage.Plays("sasha", "say "+table)
	stage.Open("gate")
	owner.sees(".task-head .state-word", "completed")
	owner.sees("#result table", "EuroNight")
	owner.sees("#result ol", "then that")
	owner.sees("#result h3, #result h4", "Trains")
	owner.sees("#announcer", "Sasha finished.")
	owner.sees("#delegated", "Whole task")
	owner.sees("#files a", "trains.md")
	owner.until("the ends of the bars", func() bool { return !owner.has(".timeline .took", "…") && owner.count(".timeline rect.at-model") > 1 })
	owner.clicks(".steps summary")
	owner.sees(".steps", "call_agent")
	owner.sees(".steps", "write_file")
	owner.sees("#delivery", "reported")
	owner.sees("#delivery table", "sent")
	owner.doesNotSee("#delivery", "Attempts") // the page reads what there is: nothing is attempted
	owner.unharmed("main")
	owner.accessible("a task that is over")
	owner.narrow()
	owner.clicks("#delegated tbody tr:nth-child(2) a")
	owner.sees("h1", "Finn: wait gate")
	owner.sees(".crumbs", "do [{")

	owner.run("back", chromedp.Navigate(in.url+"/tasks/"+top))
	owner.sees("h1", "Sasha")
	owner.types(".steer input", "say more\r")
	owner.sees(".steer", "It continues as t-")
	owner.clicks(".facts a[href^='/?chat']")
	owner.until("its card in the chat", func() bool { return owner.holds(`document.activeElement?.dataset.task === ` + quoted(top)) })
	owner.clicks(`.task[data-task="` + top + `"] a[href^="/tasks/"]`)
	owner.sees("h1", "Sasha")

	asks := owner.gives("sasha", asking(t, map[string]any{"question": "Which day? " + hostile, "options": []string{"Monday", "Tuesday"}}))
	owner.run("go there", chromedp.Navigate(in.url+"/tasks/"+asks))
	owner.sees(".asked", "Which day?")
	owner.unharmed("main")
	owner.accessible("a task that asks, alone")
	owner.clicks(".asked .choices button")
	owner.sees("#asked", "Answered: Monday")
	owner.sees(".task-head .state-word", "completed")
	owner.unharmed("main")

	lost := owner.gives("finn", "wait never")
	owner.run("go there", chromedp.Navigate(in.url+"/tasks/"+lost))
	owner.clicks(".task-head button")
	owner.sees(".task-head .state-word", "canceled")
	owner.until("the focus to stay", func() bool { return owner.holds(`document.activeElement.closest(".task-head") !== null`) })
	owner.clicks(".task-head button")
	owner.until("the new one", func() bool { return !strings.Contains(owner.at(), lost) && owner.has(".facts", lost) })

	owner.run("look for one that is not", chromedp.Navigate(in.url+"/tasks/t-nothing"))
	owner.sees("body", "There is nothing here")
}

// TestTaskPageOfAnother proves that a task of somebody else has no page for who may not see
// it, and one for who may.
func TestTaskPageOfAnother(t *testing.T) {
	in, _, owner := atBoard(t)
	mine := owner.gives("finn", "say a secret")
	owner.sees(state(mine), "completed")
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
	owner.sees("h1", "Sasha: do [{")

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
