package service_test

import (
	"fmt"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

func chats(t *testing.T) (h *house, sessions map[string]core.SessionID) {
	h = newHouse(t, func(deps *service.Deps) {
		deps.Accounts = agents.Accounts{{Account: core.Account{Channel: "telegram", Name: "main"}}, {Account: core.Account{Channel: "telegram", Name: "finn"}, Agent: "finn"},
			{Account: core.Account{Channel: "telegram", Name: "sasha"}, Agent: "sasha"}}
	})
	sessions = map[string]core.SessionID{}
	for _, c := range []struct {
		person                 core.PersonID
		account, chat, channel string
	}{{"member", "main", "7", "telegram"}, {"member", "finn", "7", "telegram"}, {"partner", "finn", "8", "telegram"}, {"member", "old", "7", "discord"}} {
		key := core.NewSessionKey(core.Route{Channel: c.channel, Account: c.account, Chat: c.chat}, c.person)
		sessions[fmt.Sprintf("%s %s/%s", c.person, c.channel, c.account)] = servicetest.Must(h.store.Rehydrate(t.Context(), key, "nikki"))(t).Session
	}
	return h, sessions
}

// TestDeliverTo proves where a result is told that somebody wants in a chat of theirs, and that
// none of anybody else's, and none that is not there, is taken for one.
func TestDeliverTo(t *testing.T) {
	h, sessions := chats(t)
	yours := "telegram/finn"
	for _, test := range []struct {
		agents, to string
		want       string // the chat
		no         string // or what is said
		kind       service.Kind
	}{
		{agents: "finn", to: "telegram/finn", want: "telegram/finn/7"},
		{agents: "finn", to: "Finn", want: "telegram/finn/7"},
		{agents: "priest", to: "finn", want: "telegram/finn/7"},
		{agents: "finn", to: "telegram", want: "telegram/finn/7"},
		{agents: "priest", to: "telegram", want: "telegram/main/7"},
		{agents: "sasha,finn", to: " telegram ", want: "telegram/finn/7"},
		{agents: "finn", to: "telegram/main/7", want: "telegram/main/7"},
		{agents: "finn", to: "web/desk", want: "web/local/desk"},
		{agents: "finn", to: string(sessions["member telegram/finn"]), want: "telegram/finn/7"},
		{agents: "finn", to: string(sessions["member telegram/main"])[:13], want: "telegram/main/7"},

		{agents: "finn", to: string(sessions["partner telegram/finn"]), no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "telegram/finn/8", no: `"telegram/finn/8" is not one of your chats`, kind: service.KindForbidden},
		{agents: "finn", to: "telegram/finn/8", no: yours, kind: service.KindForbidden},
		{agents: "finn", to: "telegram/finn/7/12", no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "telegram/finn/7/1/2", no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "telegram/none", no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "web", no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "web/a\nb", no: "chat", kind: service.KindInvalid},
		{agents: "finn", to: "pigeon/main", no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "../finn", no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "/", no: "is not one of your chats", kind: service.KindForbidden},
		{agents: "finn", to: "sasha", no: "you have never written to it", kind: service.KindConflict},
		{agents: "finn", to: "priest", no: "Priest has no account of its own", kind: service.KindConflict},
		{agents: "finn", to: string(sessions["member discord/old"]), no: "does not have that account", kind: service.KindConflict},
	} {
		task, err := h.CreateTask(t.Context(), as(core.Member), api.CreateTaskInput{Route: core.Route{Channel: core.ChannelMCP}, Body: api.NewTask{Agents: core.AgentNames(test.agents), Text: "x", DeliverTo: test.to}})
		if test.no != "" {
			t.Run("not "+test.to, func(t *testing.T) { servicetest.WantRefusal(t, err, test.kind, test.no) })
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", test.to, err)
			continue
		}
		o := task.Origin
		if got := strings.Join([]string{o.Channel, o.Account, o.Chat}, "/"); got != test.want || !o.Direct || o.Person != "member" || o.Role != core.Member ||
			o.SessionKey != core.NewSessionKey(o.Route, "member") || o.Session == "" {
			t.Errorf("%q: it is told in %q: %+v", test.to, got, o)
		}
	}
	_, err := h.CreateTask(t.Context(), as(core.Member), api.CreateTaskInput{Route: core.WebRoute("main"), Body: api.NewTask{Agents: []core.AgentName{"finn"}, Text: "x", DeliverTo: "finn"}})
	servicetest.WantRefusal(t, err, service.KindInvalid, "either chat or deliver_to")
	if list := servicetest.Must(h.Tasks(t.Context(), as(core.Partner), ""))(t); len(list) > 0 {
		t.Errorf("the partner has %d tasks", len(list))
	}
}

// TestContext proves which messages of a conversation of errand's own go with a task, and that
// it has to be one that whoever asks may read.
func TestContext(t *testing.T) {
	h, sessions := chats(t)
	ctx := t.Context()
	id := sessions["member telegram/main"]
	route := core.Route{Channel: "telegram", Account: "main", Chat: "7"}
	for turn := 1; turn <= 13; turn++ {
		if _, err := h.store.Accept(ctx, store.InboxMessage{Route: route, Person: "member", Role: core.Member, MessageID: fmt.Sprint(turn), Text: fmt.Sprint("ask ", turn)}); err != nil {
			t.Fatal(err)
		}
		b := servicetest.Must(h.store.BeginStep(ctx, store.BeginStep{Key: core.StepKey{Owner: core.SessionOwner(id), Turn: turn, Step: 1}, Session: core.NewSessionKey(route, "member"), Rows: store.ClaimAll, Window: 40}))(t)
		servicetest.Must(h.store.CommitStep(ctx, store.CommitStep{Step: b, Text: fmt.Sprint("say ", turn)}))(t)
	}
	given := func(by actor.Actor, session string, n int) (*core.Briefing, error) {
		task, err := h.CreateTask(ctx, by, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"finn"}, Text: "x", Context: &api.Context{Session: session, N: n}}})
		return task.Briefing, err
	}
	for n, want := range map[int]int{0: 10, 1: 1, 3: 3, 20: 20} {
		b := servicetest.Must(given(as(core.Member), string(id)[:13], n))(t)
		if len(b.Messages) != want || b.Of != 26 || b.With != "nikki" || b.Messages[want-1] != (core.BriefingMessage{Who: "Nikki", Text: "say 13"}) ||
			want > 1 && b.Messages[want-2].Text != "ask 13" {
			t.Errorf("of %d there go %+v", n, b)
		}
	}
	if b := servicetest.Must(given(as(core.Partner), string(id), 2))(t); b.Messages[0] != (core.BriefingMessage{Who: "MEMBER", Text: "ask 13"}) {
		t.Errorf("of somebody else's there go %+v", b)
	}
	for _, test := range []struct {
		by      actor.Actor
		session string
		n       int
		kind    service.Kind
		text    string
	}{
		{as(core.Member), string(sessions["partner telegram/finn"]), 5, service.KindNotFound, "session"},
		{as(core.Member), "none", 5, service.KindNotFound, "session"},
		{as(core.Member), string(id), 21, service.KindInvalid, "from 1 to 20"},
		{as(core.Member), string(id), -1, service.KindInvalid, "from 1 to 20"},
		{as(core.Member).Scoped("delegate"), string(id), 5, service.KindForbidden, "only for delegate"},
	} {
		_, err := given(test.by, test.session, test.n)
		servicetest.WantRefusal(t, err, test.kind, test.text)
	}
	_, err := h.CreateTask(ctx, as(core.Member), api.CreateTaskInput{Messages: []core.BriefingMessage{{Text: "x"}}, Body: api.NewTask{Agents: []core.AgentName{"finn"}, Text: "x", Context: &api.Context{Session: string(id)}}})
	servicetest.WantRefusal(t, err, service.KindInvalid, "either messages or context")
}
