package service_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// TestBulk proves that one call cancels or retries several tasks, that an error of one does not
// stop the others, that people change only what they may, and that the number of tasks is limited.
func TestBulk(t *testing.T) {
	counted := 0
	h := newHouse(t, func(d *service.Deps) {
		d.Runner.Count = func(actor.Actor) error {
			if counted++; counted == 2 { // the second task of one request
				return service.TooMany("too_fast", time.Second, "refusal.role")
			}
			return nil
		}
	})
	ctx, by := t.Context(), as(core.Member)
	give := func(by actor.Actor) string {
		return string(servicetest.Must(h.CreateTask(ctx, by, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains"}}))(t).ID)
	}
	one, two, others := give(by), give(by), give(as(core.Partner))

	list := servicetest.Must(h.CancelTasks(ctx, by, []string{one, others, "t-none", two, one, " " + two}, "", "enough"))(t)
	if len(list) != 4 {
		t.Fatalf("of four different tasks %+v came", list)
	}
	for i, id := range []string{one, others, "t-none", two} {
		if ok := id == one || id == two; list[i].ID != id || ok != (list[i].Error == nil) || ok != (list[i].Task != nil && list[i].Task.State == core.Canceled) {
			t.Errorf("%s: %+v", id, list[i])
		}
	}
	require.Equal(t, "not_found", list[1].Error.Code)
	if task := servicetest.Must(h.store.Task(ctx, core.TaskID(others)))(t); task.State.Terminal() {
		t.Errorf("somebody else's task is %s", task.State)
	}
	audit := servicetest.Must(h.Audit(ctx, as(core.MasterAdmin), ""))(t)
	if len(audit) != 2 || audit[0].Person != by.Person {
		t.Errorf("the log has %+v", audit)
	}

	list = servicetest.Must(h.RetryTasks(ctx, by, []string{one, two}, ""))(t)
	if len(list) != 2 || list[0].Error != nil || list[0].Task.RetryOf != core.TaskID(one) || list[1].Error == nil || list[1].Error.Code != "too_fast" {
		t.Errorf("tried again is %+v", list)
	}

	_, err := h.CancelTasks(ctx, by, nil, "", "")
	servicetest.WantRefusal(t, err, service.KindInvalid, "name the tasks")
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint("t-", i)
	}
	counted = 2
	_, err = h.RetryTasks(ctx, by, many, "")
	servicetest.WantRefusal(t, err, service.KindTooLarge, "at most 100")
}

// TestTaskDetails proves that people who may read a task, and no others, get what belongs to it:
// its tree, questions, deliveries, and steps in the timeline.
func TestTaskDetails(t *testing.T) {
	h := newHouse(t, nil)
	ctx, by := t.Context(), as(core.Member)
	top := servicetest.Must(h.CreateTask(ctx, by, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: "find trains"}}))(t)
	key := core.StepKey{Owner: core.SubAgentOwner(top.ID, "sasha"), Turn: 1, Step: 1}
	b := servicetest.Must(h.store.BeginStep(ctx, store.BeginStep{Key: key, Results: true, Window: 40}))(t)
	h.now = h.now.Add(3 * time.Second)
	done := servicetest.Must(h.store.CommitStep(ctx, store.CommitStep{Step: b, Usage: []core.Usage{{Model: "m", InputTokens: 90, OutputTokens: 10, Cost: 0.5}},
		Calls:   []core.ToolCall{{ID: "a", Name: "search_web", Arguments: "{}"}, {ID: "b", Name: "call_agent", Arguments: "{}"}},
		Planned: []store.PlannedCall{{By: store.ByActivity, Tool: "search_web"}, {By: store.ByDelegation, Tool: "call_agent"}},
		Tasks:   map[int]store.NewTask{2: {Agents: []core.AgentName{"finn"}, Text: "and the fares", Waits: true}}}))(t)
	below := done.Calls[1].Task
	h.now = h.now.Add(2 * time.Second)

	timeline := func(steps bool) api.Timeline {
		return servicetest.Must(ops.Do(ctx, h.Runner, api.GetTimeline, by, api.TimelineInput{TaskID: api.TaskID{ID: string(top.ID)}, Steps: steps}))(t)
	}
	line := timeline(true)
	steps := line.Rows[0].Steps
	if len(steps) != 3 || steps[0].Kind != api.StepModel || steps[0].Name != "m" || steps[0].Ended.Sub(steps[0].Begun) != 3*time.Second || steps[0].Tokens != 100 ||
		steps[1].Kind != api.StepTool || !steps[1].Ended.IsZero() || steps[2].Kind != api.StepTask || steps[2].Task != below {
		t.Errorf("the steps are %+v", steps)
	}
	calls := func(as actor.Actor, person core.PersonID) ([]core.TurnCall, error) {
		return ops.Do(ctx, h.Runner, api.ListTaskCalls, as, api.ListTaskCallsInput{TaskID: api.TaskID{ID: string(top.ID)}, Person: api.Person{Person: person}, Turn: 1})
	}
	if list := servicetest.Must(calls(by, ""))(t); len(list) != 1 || list[0].Tool != "search_web" || list[0].Step != steps[1].TurnStep || list[0].Index != steps[1].Index {
		t.Errorf("the calls are %+v", list)
	}
	servicetest.Must(calls(as(core.Partner), "*"))(t)
	for _, person := range []core.PersonID{"", "*"} {
		if list, err := calls(as(core.Guest), person); err == nil {
			t.Errorf("a guest reads %+v", list)
		}
	}
	worker := func(id string) {
		_, err := h.store.RegisterWorker(ctx, store.Worker{ID: id, Home: "home", TTL: time.Second}, store.Place{Claim: "c", Address: "a"}, false)
		if err != nil {
			t.Fatal(err)
		}
	}
	worker("a")
	died := h.now
	h.now = h.now.Add(time.Minute)
	worker("b")
	if gaps := timeline(true).Gaps; len(gaps) != 1 || !gaps[0].From.Equal(died) || gaps[0].To.Sub(died) != time.Minute {
		t.Errorf("the gaps are %+v; the worker died at %v", gaps, died)
	}
	if plain := timeline(false); plain.Rows[0].Steps != nil {
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
	if _, err := h.TaskDetails(ctx, as(core.Partner), string(top.ID), ""); !isNotFound(err) {
		t.Errorf("another finds it as their own: %v", err)
	}
	servicetest.Must(h.TaskDetails(ctx, as(core.Partner), string(top.ID), "*"))(t)

	counts := servicetest.Must(ops.Do(ctx, h.Runner, api.CountTasks, by, api.TaskFilter{}))(t)
	if counts.States.Submitted+counts.States.Working != 2 || counts.Total != 2 {
		t.Errorf("counted are %v", counts)
	}
	groups := h.usageByTree(by)
	if len(groups) != 1 || groups[0].Task != top.ID || groups[0].Title != "find trains" || groups[0].Calls != 1 {
		t.Errorf("by tree it is %+v", groups)
	}
}
