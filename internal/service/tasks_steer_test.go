package service_test

import (
	"strings"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
)

// TestSteerTask proves that a message to a task is committed, that its agents are signalled with
// the row's id alone, that a message repeated under its key is one message, and that a refusal has
// the reason.
func TestSteerTask(t *testing.T) {
	h := newHouse(t, func(deps *service.Deps) { deps.MessageBytes = 40 })
	ctx, member := t.Context(), as(core.Member)
	task := h.task(member.Person)
	for range 2 {
		done := servicetest.Must(h.SteerTask(ctx, member, task.ID, "k1", " by night\u202e "))(t)
		if done.Added != 1 || len(done.Readers) != 1 {
			t.Errorf("what was added: %d, read by %v", done.Added, done.Readers)
		}
	}
	owner := core.SubAgentOwner(task.ID, task.Agents[0])
	if id, arg := h.signals.IDs[len(h.signals.IDs)-1], h.signals.Args[len(h.signals.Args)-1]; id != string(owner) || arg != (wire.SteerSignal{Row: 1}) {
		t.Errorf("%s was signalled %+v", id, arg)
	}
	b := servicetest.Must(h.store.BeginStep(ctx, store.BeginStep{Key: core.StepKey{Owner: owner, Turn: 1, Step: 1}}))(t)
	if last := core.Unmarked(b.Transcript[len(b.Transcript)-1].Text); last != "[added to the task by the user:]\nby night" {
		t.Errorf("its agent reads %q", last)
	}
	ended := h.task(member.Person)
	servicetest.Must(h.CancelTask(ctx, member, ended.ID, ""))(t)
	for _, test := range []struct {
		name string
		by   actor.Actor
		id   core.TaskID
		text string
		kind service.Kind
		want string
	}{
		{"no words", member, task.ID, " \u200b\n", service.KindInvalid, "empty"},
		{"too many words", member, task.ID, strings.Repeat("a", 41), service.KindTooLarge, "40 bytes"},
		{"no UTF-8", member, task.ID, "\xff", service.KindInvalid, "UTF-8"},
		{"no task", member, "t-none", "by night", service.KindNotFound, "not found"},
		{"somebody else's", as(core.Partner), task.ID, "by night", service.KindForbidden, "others"},
		{"a guest's", as(core.Guest), h.task("guest").ID, "by night", service.KindForbidden, "Member"},
		{"one that has ended", member, ended.ID, "by night", service.KindConflict, "has ended (canceled)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := h.SteerTask(t.Context(), test.by, test.id, "", test.text)
			servicetest.WantRefusal(t, err, test.kind, test.want)
		})
	}
}

// TestContinueTask proves that a continued task has no more rights than the old task had and the
// person has now, that a key continues a task once, that the person may talk with its agents, and
// that the old task has ended.
func TestContinueTask(t *testing.T) {
	table := api.Rights()
	if err := table.Set(rights.Agent, "priest", core.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	ctx, admin := t.Context(), as(core.MasterAdmin)
	ended := func(by actor.Actor, agent core.AgentName) core.TaskID {
		t.Helper()
		task := servicetest.Must(h.CreateTask(ctx, by, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{agent}, Text: "pray"}}))(t)
		servicetest.Must(h.CancelTask(ctx, by, task.ID, ""))(t)
		return task.ID
	}
	id := ended(as(core.Member), "sasha")
	said := api.ContinueTaskInput{Key: "k1", Route: core.WebRoute("main"), ReplyTo: "m7"}
	next := servicetest.Must(h.ContinueTask(ctx, admin, id, "and back", said))(t)
	if o := next.Origin; next.Continues != id || o.Role != core.Member || o.Person != admin.Person || o.Chat != "main" || o.ReplyTo != "m7" || o.Root != "task:"+string(next.ID) {
		t.Errorf("it goes on as %+v", next)
	}
	if again := servicetest.Must(h.ContinueTask(ctx, admin, id, "and back", said))(t); again.ID != next.ID {
		t.Errorf("said twice, it goes on as %s and as %s", next.ID, again.ID)
	}
	if next.Origin.Direct {
		t.Error("the leading agent does not tell what it was to tell")
	}
	asked := servicetest.Must(h.store.CreateTask(ctx, core.Origin{Person: admin.Person, Role: core.Member, Direct: true}, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "x"}, ""))(t)
	servicetest.Must(h.CancelTask(ctx, admin, asked.ID, ""))(t)
	if on := servicetest.Must(h.ContinueTask(ctx, admin, asked.ID, "and back", api.ContinueTaskInput{}))(t); !on.Origin.Direct {
		t.Error("what was asked of an agent by /team is no longer told in its own voice")
	}
	no := api.ContinueTaskInput{}
	no.Body.Chat = "a/b"
	_, err := h.ContinueTask(ctx, admin, id, "and back", no)
	servicetest.WantRefusal(t, err, service.KindInvalid, "chat")
	_, err = h.ContinueTask(ctx, admin, next.ID, "and back", api.ContinueTaskInput{})
	servicetest.WantRefusal(t, err, service.KindConflict, "is still submitted")
	_, err = h.ContinueTask(ctx, as(core.Partner), id, "and back", api.ContinueTaskInput{})
	servicetest.WantRefusal(t, err, service.KindForbidden, "others")

	prayed := ended(as(core.Partner), "priest")
	servicetest.Must(h.SetRole(ctx, admin, "partner", core.Member))(t)
	_, err = h.ContinueTask(ctx, actor.Actor{Person: "partner", Role: core.Member}, prayed, "again", api.ContinueTaskInput{})
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
	gone := servicetest.Must(h.store.CreateTask(ctx, core.Origin{Person: "member", Role: core.Member}, store.NewTask{Agents: []core.AgentName{"gone"}, Text: "x"}, ""))(t)
	servicetest.Must(h.CancelTask(ctx, as(core.Member), gone.ID, ""))(t)
	_, err = h.ContinueTask(ctx, as(core.Member), gone.ID, "again", api.ContinueTaskInput{})
	servicetest.WantRefusal(t, err, service.KindInvalid, "there is no agent")
}

// TestContinueInGroup proves that a task which goes on in a group is the group's own, whether the
// session was known to be one or not: its agent has nothing that is private.
func TestContinueInGroup(t *testing.T) {
	h := newHouse(t, nil)
	ctx, member := t.Context(), as(core.Member)
	asked := servicetest.Must(h.CreateTask(ctx, member, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: "pray"}}))(t)
	servicetest.Must(h.CancelTask(ctx, member, asked.ID, ""))(t)
	known := core.Route{Channel: "telegram", Account: "main", Chat: "-100"}
	servicetest.Must(h.store.Accept(ctx, store.InboxMessage{Route: known, Person: "member", Role: core.Member, MessageID: "1", Text: "hello", Group: true}))(t)
	key := core.NewSessionKey(known, "member")
	there := servicetest.Must(h.store.Rehydrate(ctx, key, "nikki"))(t)
	servicetest.Must(h.store.BeginStep(ctx, store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(there.Session), Turn: 1, Step: 1}, Session: key, Rows: store.ClaimAll, Window: 40}))(t)
	unknown, private := known, known
	unknown.Chat, private.Chat = "-200", "7"
	for _, tt := range []struct {
		in   api.ContinueTaskInput
		want bool
	}{{api.ContinueTaskInput{Route: known}, true}, {api.ContinueTaskInput{Route: unknown, Group: true}, true}, {api.ContinueTaskInput{Route: private}, false}} {
		tt.in.Key = tt.in.Route.Chat
		next := servicetest.Must(h.ContinueTask(ctx, member, asked.ID, "and back", tt.in))(t)
		if next.Origin.Group != tt.want {
			t.Errorf("in the chat %s Group is %v", tt.in.Route.Chat, next.Origin.Group)
		}
	}
	given := servicetest.Must(h.CreateTask(ctx, member, api.CreateTaskInput{Route: known, Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: "pray"}}))(t)
	if !given.Origin.Group {
		t.Error("a task with the route of a group is private")
	}
}
