package browser

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/llm"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestTasksOnPhone proves that on a phone the tasks come before filters that nobody has asked
// for, that a row says whose task it is and how long it has taken, and that the buttons for picked tasks
// stay in the window.
func TestTasksOnPhone(t *testing.T) {
	in, _, owner := atBoard(t)
	phone := func() { owner.run("take a phone", chromedp.EmulateViewport(390, 600, chromedp.EmulateMobile)) }
	phone()
	var last string
	for i := range 12 {
		last = owner.gives("finn", fmt.Sprint("wait ", i))
	}
	owner.until("all of them", func() bool { return owner.count("#tasks tbody[data-task]") == 12 })
	owner.sees(row(last)+" .agent", "Finn")
	owner.until("how long it has taken", func() bool { return owner.measures(row(last)+" .took", "height") > 0 })
	owner.until("no filter", func() bool { return owner.measures("#filters [name=agent]", "height") == 0 })
	if top := owner.measures("#tasks", "top"); top > 400 {
		t.Errorf("the tasks begin %v pixels down", top)
	}
	owner.run("pick one", chromedp.Evaluate(`document.querySelector(`+quoted(row(last)+" .pick input")+`).click()`, nil))
	owner.sees("#bulk", "1 selected")
	if bottom := owner.measures("#bulk", "bottom"); bottom > 600 {
		t.Errorf("what is done with it ends %v pixels down, below the window", bottom)
	}
	owner.picture("tasks-picked-phone")
	owner.accessible("tasks on a phone")
	phone()

	owner.clicks("#filters .more")
	owner.until("the filters", func() bool { return owner.measures("#filters [name=agent]", "height") > 0 })
	owner.picture("filters-phone")
	owner.picks("#filters [name=agent]", "sasha")
	owner.sees("#none", "Nothing was found.")
	owner.run("load it again", chromedp.Reload())
	owner.until("the filter that is set", func() bool { return owner.measures("#filters [name=agent]", "height") > 0 })
	owner.open(in.url + "/tasks")
	owner.until("no filter", func() bool {
		return owner.count("#tasks tbody[data-task]") == 12 && owner.measures("#filters [name=agent]", "height") == 0
	})
}

// TestTaskTitles proves that titles of tasks stand out, and that they are aligned in rows with and
// without subtasks.
func TestTaskTitles(t *testing.T) {
	_, stage, owner := atBoard(t)
	one, tree := owner.gives("finn", "wait gate"), owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "wait gate")))
	owner.until("a tree", func() bool { return owner.count(row(tree)+" button.fold") == 1 })
	if !owner.holds(`getComputedStyle(document.querySelector(` + quoted(row(one)+" .title") + `)).fontWeight === "500"`) {
		t.Error("a title does not stand out")
	}
	if a, b := owner.measures(row(one)+" .title", "left"), owner.measures(row(tree)+" .title", "left"); a != b {
		t.Errorf("a title begins at %v, that of a tree at %v", a, b)
	}
	stage.Open("gate")
	owner.sees(state(tree), "Done")
	owner.until("no column of costs where nothing has a price", func() bool { return owner.count("#tasks thead .cost") == 0 })
}

// A priced model costs a quarter of a dollar a call.
type priced struct{ *llmtest.Stage }

func (p priced) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	resp, err := p.Stage.Complete(ctx, r, deltas)
	resp.Usage.Cost = 0.25
	return resp, err
}

// TestTaskCosts proves that tasks say what they cost where that is known, and that those on
// the page of a task do.
func TestTaskCosts(t *testing.T) {
	in, owner := atChat(t, func(in *installation) {
		in.cfg.Roster, in.model = workflowtest.Cast(), priced{llmtest.NewStage()}
	})
	owner.open(in.url + "/tasks")
	id := owner.gives("sasha", llmtest.Do(llmtest.Ask("finn", "say it")))
	owner.sees(state(id), "Done")
	owner.sees("#tasks thead .cost", "Cost")
	owner.sees(row(id)+" .cost", "total $0.75")
	owner.sees("#filters .sum", "2 tasks, $0.75")
	owner.toTask(id)
	owner.sees("#delegated .num", "$0.25")
	owner.sees(".facts", "With subtasks")
	owner.sees(".facts", "$0.75")
	owner.clicks(".steps summary")
	owner.sees(".steps .num:last-child", "0.25")
}
