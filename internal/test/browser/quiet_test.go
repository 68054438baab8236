package browser

import (
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
)

func (p *person) counts() {
	p.t.Helper()
	p.run("count what is asked", chromedp.Evaluate(`(() => {
		window.asked = [];
		const real = window.real ??= window.fetch;
		window.fetch = (path, options) => { window.asked.push(String(path)); return real(path, options); };
	})()`, nil))
}

func (p *person) asked() (paths []string) {
	p.t.Helper()
	p.evaluates("read what was asked", `window.asked`, &paths)
	return paths
}

// TestQuietPages proves that the pages of tasks and questions ask errand for nothing while
// nothing happens, and are told at once of what does: of a task, of what it uses, and of a
// question.
func TestQuietPages(t *testing.T) {
	in, stage, owner := atBoard(t)
	id := owner.gives("sasha", "wait gate")
	owner.sees(row(id)+" .state-word", "At work")
	seconds := func() (s float64) {
		owner.evaluates("read the clock of the page", `performance.now() / 1000`, &s)
		return s
	}
	still := func(what string) {
		t.Helper()
		owner.until("the page to have loaded", func() bool { return seconds() > 3 })
		begin := seconds()
		owner.counts()
		owner.until("some seconds to pass", func() bool { return seconds() > begin+5 })
		if asked := owner.asked(); len(asked) > 0 {
			t.Errorf("while nothing happens the page of %s asks for %q", what, asked)
		}
	}
	still("tasks")

	begun := time.Now()
	task, err := in.app.Store.CreateTask(t.Context(), core.Origin{Person: app.Owner, Role: core.MasterAdmin}, store.NewTask{Agents: []core.AgentName{"finn"}, Text: "by somebody else"}, "")
	owner.must("make a task", err)
	owner.sees(row(string(task.ID)), "by somebody else")
	stage.Open("gate")
	owner.sees(row(id)+" .state-word", "Done")
	took := time.Since(begun)
	t.Logf("two changes were shown within %s, by %d requests", took.Round(time.Millisecond), len(owner.asked()))
	if took > 10*time.Second {
		t.Errorf("changes are shown after %s", took)
	}

	owner.run("go to the questions", chromedp.Navigate(strings.Replace(owner.at(), "/tasks", "/questions", 1)))
	owner.sees("main", "Nothing is waiting for an answer.")
	still("questions")
	begun = time.Now()
	owner.gives("sasha", asking(t, map[string]any{"question": "Which day?", "options": []string{"Monday", "Tuesday"}}))
	owner.sees("#waiting", "1 waits for an answer")
	if took := time.Since(begun); took > 10*time.Second {
		t.Errorf("a question is shown after %s", took)
	}
}
