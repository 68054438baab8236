package browser

import (
	"context"
	"testing"

	"github.com/chromedp/chromedp"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
)

// A planner has Sasha write down what she means to do, twice, and go on when a test lets
// her.
type planner struct {
	dictated
	next chan struct{}
}

var plans = []string{
	`{"items": [{"text": "search <img src=x onerror=window.harmed=true>", "state": "doing"}, {"text": "read", "state": "pending"}]}`,
	`{"items": [{"text": "search", "state": "done"}, {"text": "read", "state": "doing"}]}`,
}

func (m *planner) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	steps := 0
	for _, said := range r.Messages {
		if said.Speaker == core.FromTool {
			steps++
		}
	}
	if llmtest.Speaker(r) != "Sasha" || steps == len(plans) {
		return m.dictated.Complete(ctx, r, deltas)
	}
	if steps > 0 {
		select {
		case <-m.next:
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
	}
	usage := core.Usage{Model: "dictated", Provider: "test", InputTokens: 1, OutputTokens: 1}
	return llm.Response{Usage: usage, Calls: []core.ToolCall{{ID: "p", Name: "plan", Arguments: plans[steps]}}}, nil
}

// TestPlanOnCard proves that the card of a task shows what its agent means to do while it
// works, that markup in it does nothing, and that it is folded away afterwards.
func TestPlanOnCard(t *testing.T) {
	m := &planner{next: make(chan struct{})}
	dictate := dictating(&m.dictated)
	_, owner := atChat(t, func(in *installation) { dictate(in); in.model = m })
	owner.says("trains")
	owner.sees("#log .task li[data-state=doing]", "search <img")
	owner.sees("#log .task li[data-state=pending]", "read")
	owner.accessible("a plan at work")
	// Its words for who listens are hidden in the log, and must not make the page longer.
	owner.run("look at it in a low window", chromedp.EmulateViewport(800, 330))
	owner.settles()
	var heights struct{ Page, Window int }
	owner.evaluates("measure it", `({page: document.documentElement.scrollHeight, window: innerHeight})`, &heights)
	if heights.Page > heights.Window {
		t.Errorf("the page is %d pixels high, the window %d", heights.Page, heights.Window)
	}
	owner.run("back to the desk", chromedp.EmulateViewport(1280, 800))
	m.next <- struct{}{}
	owner.sees("#log .task li[data-state=done]", "search")
	owner.sees("#log .task li[data-state=doing]", "read")
	close(m.finish)
	owner.until("the line to close", func() bool { return owner.count("#log .task.completed .opened") == 0 })
	owner.clicks("#log .task.completed .toggle")
	owner.sees("#log .task.completed summary", "Plan: 1 of 2 done")
	var harmed bool
	owner.evaluates("look for harm", `!!window.harmed || document.querySelector("#log .task img") !== null`, &harmed)
	if harmed {
		t.Error("markup in a plan is taken for the page's")
	}
	owner.accessible("a plan that is over")
	owner.narrow()
}

// An organizer has Nikki write down what she means to do, a list for each time that
// somebody writes one into lists, and answer when it is empty.
type organizer struct {
	dictated
	lists chan string
}

func (m *organizer) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	last := r.Messages[len(r.Messages)-1]
	if last.Speaker == core.FromPerson && core.Unmarked(last.Text) != "organize" {
		return m.dictated.Complete(ctx, r, deltas)
	}
	usage := core.Usage{Model: "dictated", Provider: "test", InputTokens: 1, OutputTokens: 1}
	select {
	case list := <-m.lists:
		if list == "" {
			return llm.Response{Text: "That is how far I am.", Usage: usage}, nil
		}
		return llm.Response{Usage: usage, Calls: []core.ToolCall{{ID: "p", Name: "plan", Arguments: list}}}, nil
	case <-ctx.Done():
		return llm.Response{}, context.Cause(ctx)
	}
}

// TestPlanInChat proves that the page of a chat shows what its agent means to do as soon as
// that is written down, also to who comes later; that it is folded when nobody is at work
// or somebody wants it so; and that a plan goes with the turn after the one that ended it,
// or with its session.
func TestPlanInChat(t *testing.T) {
	m := &organizer{lists: make(chan string)}
	dictate := dictating(&m.dictated)
	_, owner := atChat(t, func(in *installation) { dictate(in); in.model = m })
	writes := func(list string) {
		t.Helper()
		select {
		case m.lists <- list:
		case <-t.Context().Done():
			t.Fatal("nobody plans")
		}
	}
	isOpen := func() (open bool) {
		owner.evaluates("look at the plan", `document.querySelector("#plan")?.open ?? false`, &open)
		return open
	}

	owner.says("organize")
	writes(plans[0])
	owner.sees("#plan summary", "Plan: 0 of 2 done")
	owner.sees("#plan li[data-state=doing]", "search <img")
	owner.sees("#plan li[data-state=pending]", "read")
	owner.accessible("a plan of a chat")
	owner.narrow()
	owner.announces()
	var harmed bool
	owner.evaluates("look for harm", `!!window.harmed || document.querySelector("#plan img") !== null`, &harmed)
	if harmed {
		t.Error("markup in a plan is taken for the page's")
	}
	owner.run("load it again", chromedp.Reload())
	owner.sees("#plan li[data-state=doing]", "search <img")
	writes(plans[1])
	owner.sees("#plan li[data-state=done]", "search")
	owner.sees("#plan li[data-state=doing]", "read")
	owner.clicks("#plan summary")
	owner.sees("#plan summary .current", "read")
	if isOpen() {
		t.Error("a plan that somebody has folded is open")
	}
	owner.clicks("#plan summary")
	owner.until("the plan to be open", isOpen)
	owner.run("load it again", chromedp.Reload())
	owner.until("the plan to be open while she is at work", isOpen)
	writes("")
	owner.sees("#log .reply", "That is how far I am.")
	owner.until("the plan to be folded when nobody is at work", func() bool { return !isOpen() })
	owner.sees("#plan summary", "Plan: 1 of 2 done")

	owner.says("organize")
	writes(`{"items": [{"text": "search", "state": "done"}, {"text": "read", "state": "done"}]}`)
	owner.sees("#plan summary", "Plan: 2 of 2 done")
	writes("")
	owner.until("a second reply", func() bool { return owner.count("#log .reply:not(.live)") == 2 })
	owner.sees("#plan summary", "Plan: 2 of 2 done")
	owner.says("thanks")
	owner.sees("#log .reply:last-child", "Nikki heard: thanks")
	owner.until("the plan to be gone", func() bool { return owner.count("#plan") == 0 })

	owner.says("organize")
	writes(plans[1])
	owner.sees("#plan summary", "Plan: 1 of 2 done")
	writes("")
	owner.until("a fourth reply", func() bool { return owner.count("#log .reply:not(.live)") == 4 })
	owner.startsOver()
	owner.until("the plan to be gone with its session", func() bool { return owner.count("#plan") == 0 })
}
