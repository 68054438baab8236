package service_test

import (
	"strings"
	"testing"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/service/servicetest"
	"errand/internal/store"
	"errand/workflows"
)

// TestSteerTask proves that what is added is committed and its agents are signalled, by the
// row alone; said again under the same key it is one; and what cannot be added is refused
// with the reason.
func TestSteerTask(t *testing.T) {
	h := newHouse(t, func(deps *service.Deps) { deps.MessageBytes = 40 })
	ctx, member := t.Context(), as(errand.Member)
	task := h.task(member.Person)
	said := service.Steering{Text: " by night\u202e ", Key: "k1"}
	for range 2 {
		done := servicetest.Must(h.SteerTask(ctx, member, task.ID, said))(t)
		if done.Added != 1 || len(done.Readers) != 1 {
			t.Errorf("what was added: %d, read by %v", done.Added, done.Readers)
		}
	}
	owner := errand.SubAgentOwner(task.ID, task.Agents[0])
	if id, arg := h.signals.IDs[len(h.signals.IDs)-1], h.signals.Args[len(h.signals.Args)-1]; id != string(owner) || arg != (workflows.SteerSignal{Row: 1}) {
		t.Errorf("%s was signalled %+v", id, arg)
	}
	b := servicetest.Must(h.store.BeginStep(ctx, store.BeginStep{Key: errand.StepKey{Owner: owner, Turn: 1, Step: 1}}))(t)
	if last := errand.Unmarked(b.Transcript[len(b.Transcript)-1].Text); last != "[added to the task by the person it is for:]\nby night" {
		t.Errorf("its agent reads %q", last)
	}
	ended := h.task(member.Person)
	servicetest.Must(h.CancelTask(ctx, member, ended.ID, ""))(t)
	for _, test := range []struct {
		name string
		by   service.Actor
		id   errand.TaskID
		text string
		kind service.Kind
		want string
	}{
		{"no words", member, task.ID, " \u200b\n", service.KindInvalid, "empty"},
		{"too many words", member, task.ID, strings.Repeat("a", 41), service.KindTooLarge, "40 bytes"},
		{"no UTF-8", member, task.ID, "\xff", service.KindInvalid, "UTF-8"},
		{"no task", member, "t-none", "by night", service.KindNotFound, "not found"},
		{"somebody else's", as(errand.Partner), task.ID, "by night", service.KindForbidden, "others"},
		{"a guest's", as(errand.Guest), h.task("guest").ID, "by night", service.KindForbidden, "Member"},
		{"one that has ended", member, ended.ID, "by night", service.KindConflict, "has ended (canceled)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := h.SteerTask(t.Context(), test.by, test.id, service.Steering{Text: test.text})
			servicetest.WantRefusal(t, err, test.kind, test.want)
		})
	}
}

// TestContinueTask proves that whoever goes on with a task does so with no more rights than
// the task had and they have, once for a key, and only with agents that they may talk with
// and a task that has ended.
func TestContinueTask(t *testing.T) {
	table := rights.Default()
	if err := table.Set(rights.Agent, "priest", errand.Partner); err != nil {
		t.Fatal(err)
	}
	h := newHouse(t, func(deps *service.Deps) { deps.Rights = table })
	ctx, admin := t.Context(), as(errand.MasterAdmin)
	ended := func(by service.Actor, agent errand.AgentName) errand.TaskID {
		t.Helper()
		task := servicetest.Must(h.Delegate(ctx, by, service.Delegation{Agents: []errand.AgentName{agent}, Text: "pray"}))(t)
		servicetest.Must(h.CancelTask(ctx, by, task.ID, ""))(t)
		return task.ID
	}
	id := ended(as(errand.Member), "sasha")
	said := service.Steering{Text: "and back", Key: "k1", Route: errand.WebRoute("main"), ReplyTo: "m7"}
	next := servicetest.Must(h.ContinueTask(ctx, admin, id, said))(t)
	if o := next.Origin; next.Continues != id || o.Role != errand.Member || o.Person != admin.Person || o.Chat != "main" || o.ReplyTo != "m7" || o.Root != "task:"+string(next.ID) {
		t.Errorf("it goes on as %+v", next)
	}
	if again := servicetest.Must(h.ContinueTask(ctx, admin, id, said))(t); again.ID != next.ID {
		t.Errorf("said twice, it goes on as %s and as %s", next.ID, again.ID)
	}
	if next.Origin.Direct {
		t.Error("the leading agent does not tell what it was to tell")
	}
	asked := servicetest.Must(h.store.CreateTask(ctx, errand.Origin{Person: admin.Person, Role: errand.Member, Direct: true}, store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "x"}, ""))(t)
	servicetest.Must(h.CancelTask(ctx, admin, asked.ID, ""))(t)
	if on := servicetest.Must(h.ContinueTask(ctx, admin, asked.ID, service.Steering{Text: "and back"}))(t); !on.Origin.Direct {
		t.Error("what was asked of an agent by /team is no longer told in its own voice")
	}
	_, err := h.ContinueTask(ctx, admin, next.ID, service.Steering{Text: "and back"})
	servicetest.WantRefusal(t, err, service.KindConflict, "is still submitted")
	_, err = h.ContinueTask(ctx, as(errand.Partner), id, service.Steering{Text: "and back"})
	servicetest.WantRefusal(t, err, service.KindForbidden, "others")

	prayed := ended(as(errand.Partner), "priest")
	servicetest.Must(h.SetRole(ctx, admin, "partner", errand.Member))(t)
	_, err = h.ContinueTask(ctx, service.Actor{Person: "partner", Role: errand.Member}, prayed, service.Steering{Text: "again"})
	servicetest.WantRefusal(t, err, service.KindInvalid, `there is no agent "priest"; there are `)
	gone := servicetest.Must(h.store.CreateTask(ctx, errand.Origin{Person: "member", Role: errand.Member}, store.NewTask{Agents: []errand.AgentName{"gone"}, Text: "x"}, ""))(t)
	servicetest.Must(h.CancelTask(ctx, as(errand.Member), gone.ID, ""))(t)
	_, err = h.ContinueTask(ctx, as(errand.Member), gone.ID, service.Steering{Text: "again"})
	servicetest.WantRefusal(t, err, service.KindInvalid, "there is no agent")
}

// TestContinueInGroup proves that a task which goes on in a group is the group's own, whether the
// session was known to be one or not: its agent has nothing that is private.
func TestContinueInGroup(t *testing.T) {
	h := newHouse(t, nil)
	ctx, member := t.Context(), as(errand.Member)
	asked := servicetest.Must(h.Delegate(ctx, member, service.Delegation{Agents: []errand.AgentName{"sasha"}, Text: "pray"}))(t)
	servicetest.Must(h.CancelTask(ctx, member, asked.ID, ""))(t)
	known := errand.Route{Channel: "telegram", Account: "main", Chat: "-100"}
	servicetest.Must(h.store.Accept(ctx, store.InboxMessage{Route: known, Person: "member", Role: errand.Member, MessageID: "1", Text: "hello", Group: true}))(t)
	key := errand.NewSessionKey(known, "member")
	there := servicetest.Must(h.store.Rehydrate(ctx, key, "nikki"))(t)
	servicetest.Must(h.store.BeginStep(ctx, store.BeginStep{Key: errand.StepKey{Owner: errand.SessionOwner(there.Session), Turn: 1, Step: 1}, Session: key, Rows: store.ClaimAll, Window: 40}))(t)
	unknown, private := known, known
	unknown.Chat, private.Chat = "-200", "7"
	for _, tt := range []struct {
		in   service.Steering
		want bool
	}{{service.Steering{Route: known}, true}, {service.Steering{Route: unknown, Group: true}, true}, {service.Steering{Route: private}, false}} {
		tt.in.Text, tt.in.Key = "and back", tt.in.Route.Chat
		next := servicetest.Must(h.ContinueTask(ctx, member, asked.ID, tt.in))(t)
		if next.Origin.Group != tt.want {
			t.Errorf("in the chat %s Group is %v", tt.in.Route.Chat, next.Origin.Group)
		}
	}
	given := servicetest.Must(h.Delegate(ctx, member, service.Delegation{Agents: []errand.AgentName{"sasha"}, Text: "pray", Route: known}))(t)
	if !given.Origin.Group {
		t.Error("a task with the route of a group is private")
	}
}
