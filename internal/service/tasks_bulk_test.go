package service_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"errand"
	"errand/internal/service"
	"errand/internal/service/servicetest"
	"errand/internal/store"
)

// TestBulk proves that several tasks are canceled and tried again at once, that what is wrong
// with one keeps none of the others, that nobody changes what they may not, and that there is
// an end to how many.
func TestBulk(t *testing.T) {
	h := newHouse(t, nil)
	ctx, by := t.Context(), as(errand.Member)
	give := func(by service.Actor) string {
		return string(servicetest.Must(h.Delegate(ctx, by, service.Delegation{Agents: []errand.AgentName{"sasha"}, Text: "find trains"}))(t).ID)
	}
	one, two, others := give(by), give(by), give(as(errand.Partner))

	list := servicetest.Must(h.CancelTasks(ctx, by, []string{one, others, "t-none", two, one, " " + two}, "", "enough"))(t)
	if len(list) != 4 {
		t.Fatalf("of four different tasks %+v came", list)
	}
	for i, id := range []string{one, others, "t-none", two} {
		if ok := id == one || id == two; list[i].ID != id || ok != (list[i].Err == nil) || ok != (list[i].Task.State == errand.Canceled) {
			t.Errorf("%s: %+v", id, list[i])
		}
	}
	servicetest.WantRefusal(t, list[1].Err, service.KindNotFound, "not found")
	if task := servicetest.Must(h.store.Task(ctx, errand.TaskID(others)))(t); task.State.Terminal() {
		t.Errorf("somebody else's task is %s", task.State)
	}
	audit := servicetest.Must(h.Audit(ctx, as(errand.MasterAdmin), service.AuditFilter{}))(t)
	if len(audit) != 2 || audit[0].Person != by.Person {
		t.Errorf("the log has %+v", audit)
	}

	tooFast := errors.New("too fast")
	list = servicetest.Must(h.RetryTasks(ctx, by, []string{one, two}, "", func() error { return tooFast }))(t)
	if len(list) != 2 || list[0].Err != nil || list[0].Task.RetryOf != errand.TaskID(one) || !errors.Is(list[1].Err, tooFast) {
		t.Errorf("tried again is %+v", list)
	}

	_, err := h.CancelTasks(ctx, by, nil, "", "")
	servicetest.WantRefusal(t, err, service.KindInvalid, "which tasks")
	many := make([]string, service.MostInBulk+1)
	for i := range many {
		many[i] = fmt.Sprint("t-", i)
	}
	_, err = h.RetryTasks(ctx, by, many, "", nil)
	servicetest.WantRefusal(t, err, service.KindTooLarge, "at most 100")
}

// TestTaskDetails proves that what belongs to a task is there for whoever may look at it, and
// for nobody else: its tree, what was asked, how it was told, and its steps in the timeline.
func TestTaskDetails(t *testing.T) {
	h := newHouse(t, nil)
	ctx, by := t.Context(), as(errand.Member)
	top := servicetest.Must(h.Delegate(ctx, by, service.Delegation{Agents: []errand.AgentName{"sasha"}, Text: "find trains"}))(t)
	key := errand.StepKey{Owner: errand.SubAgentOwner(top.ID, "sasha"), Turn: 1, Step: 1}
	b := servicetest.Must(h.store.BeginStep(ctx, store.BeginStep{Key: key, Results: true, Window: 40}))(t)
	h.now = h.now.Add(3 * time.Second)
	done := servicetest.Must(h.store.CommitStep(ctx, store.CommitStep{Step: b, Usage: []errand.Usage{{Model: "m", InputTokens: 90, OutputTokens: 10, Cost: 0.5}},
		Calls:   []errand.ToolCall{{ID: "a", Name: "search_web", Arguments: "{}"}, {ID: "b", Name: "call_agent", Arguments: "{}"}},
		Planned: []store.PlannedCall{{By: store.ByActivity, Tool: "search_web"}, {By: store.ByDelegation, Tool: "call_agent"}},
		Tasks:   map[int]store.NewTask{2: {Agents: []errand.AgentName{"finn"}, Text: "and the fares", Waits: true}}}))(t)
	below := done.Calls[1].Task
	h.now = h.now.Add(2 * time.Second)

	line := servicetest.Must(h.TaskTimeline(ctx, by, string(top.ID), "", true))(t)
	steps := line.Rows[0].Steps
	if len(steps) != 3 || steps[0].Kind != service.StepModel || steps[0].Name != "m" || steps[0].Ended.Sub(steps[0].Begun) != 3*time.Second || steps[0].Tokens != 100 ||
		steps[1].Kind != service.StepTool || !steps[1].Ended.IsZero() || steps[2].Kind != service.StepTask || steps[2].Task != below {
		t.Errorf("the steps are %+v", steps)
	}
	if plain := servicetest.Must(h.TaskTimeline(ctx, by, string(top.ID), "", false))(t); plain.Rows[0].Steps != nil {
		t.Error("steps are there that nobody asked for")
	}

	d := servicetest.Must(h.TaskDetails(ctx, by, string(below), ""))(t)
	if len(d.Above) != 1 || d.Above[0].ID != top.ID || len(d.Tree) != 1 {
		t.Errorf("around the lower one is %+v", d)
	}
	d = servicetest.Must(h.TaskDetails(ctx, by, string(top.ID), ""))(t)
	if len(d.Above) != 0 || len(d.Tree) != 2 || d.Tree[0].Branch.Tasks != 2 || d.Tree[1].ID != below {
		t.Errorf("around the upper one is %+v", d)
	}
	if _, err := h.TaskDetails(ctx, as(errand.Partner), string(top.ID), ""); !isNotFound(err) {
		t.Errorf("another finds it as their own: %v", err)
	}
	servicetest.Must(h.TaskDetails(ctx, as(errand.Partner), string(top.ID), "*"))(t)

	counts := servicetest.Must(h.CountTasks(ctx, by, service.TaskFilter{}))(t)
	if counts[errand.Submitted]+counts[errand.Working] != 2 {
		t.Errorf("counted are %v", counts)
	}
	groups := servicetest.Must(h.UsageGroups(ctx, by, "", noon.AddDate(0, 0, -1), service.UsageByTree, 10))(t)
	if len(groups) != 1 || groups[0].Task != top.ID || groups[0].Title != "find trains" || groups[0].Calls != 1 {
		t.Errorf("by tree it is %+v", groups)
	}
}
