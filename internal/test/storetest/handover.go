package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func handedTo(b *store.StepInput, agent core.AgentName, stickFor time.Duration) store.CommitStep {
	in := reply(b, "")
	in.Calls = []core.ToolCall{{ID: "c1", Name: "transfer_to_agent", Arguments: `{"agent":"` + string(agent) + `"}`}}
	in.Planned = []store.PlannedCall{{By: store.ByHandover, Tool: "transfer_to_agent"}}
	in.HandOver = &store.HandOver{To: agent, Notice: agent.Display() + " takes over.", Result: "handed over", StickFor: stickFor}
	return in
}

// leadOf chooses the session's current agent, nikki if that agent's time is over, or
// the agent that the person agreed to.
func leadOf(l store.Lead) store.LeadDecision {
	switch {
	case l.Agreed != "":
		return store.LeadDecision{Lead: l, Next: l.Agreed, Notice: l.Agreed.Display() + " takes over.", Cause: "consent"}
	case l.Expired:
		return store.LeadDecision{Lead: l, Next: "nikki", Notice: "Nikki takes over.", Cause: "expired"}
	}
	return store.LeadDecision{Lead: l, Next: l.Agent}
}

// deciding begins a step in which it is decided who thinks, and what an answer means.
func (c *chat) deciding(in store.BeginStep) (*store.StepInput, error) {
	in.Leaders = map[core.Role]store.Leaders{} // nobody stays without a decision
	for {
		b, err := c.s.BeginStep(c.ctx, in)
		var undecided *store.UndecidedError
		switch {
		case !errors.As(err, &undecided):
			return b, err
		case undecided.Lead != nil:
			in.Decisions = append(in.Decisions, leadOf(*undecided.Lead))
		default:
			text := *undecided.Answer
			in.Consents = append(in.Consents, store.Consent{Text: text, Yes: text == "yes", No: text == "no"})
		}
	}
}

// withActive begins a step in which it is decided who thinks.
func (c *chat) withActive(turn, step int) *store.StepInput {
	c.t.Helper()
	in := c.step(turn, step)
	in.Primary = "nikki"
	b, err := c.deciding(in)
	require.NoError(c.t, err)
	return b
}

var handover = map[string]func(*testing.T, Opener){
	"a step that needs a decision has taken nothing, and another decision does not do": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("let me talk to Sasha")
		c.commit(handedTo(c.withActive(1, 1), "sasha", time.Hour))
		c.commit(reply(c.withActive(1, 2), "Sasha here."))
		c.write("hello")
		in := c.step(2, 1)
		in.Leaders = map[core.Role]store.Leaders{core.Partner: {Primary: "nikki"}}
		var undecided *store.UndecidedError
		for range 2 {
			_, err := c.s.BeginStep(c.ctx, in)
			require.ErrorAs(t, err, &undecided)
			require.Equal(t, &store.Lead{Agent: "sasha", Role: core.Partner}, undecided.Lead)
			require.True(t, c.rehydrate().Messages, "it waits for a turn as before")
			// For somebody whose role is another by now.
			in.Decisions = []store.LeadDecision{{Lead: store.Lead{Agent: "sasha", Role: core.Guest}, Next: "nikki"}}
		}
		in.Decisions = append(in.Decisions, store.LeadDecision{Lead: *undecided.Lead, Next: "nikki", Notice: "Nikki takes over.", Cause: "agent_closed"})
		b, err := c.s.BeginStep(c.ctx, in)
		require.NoError(t, err)
		require.Equal(t, []any{core.AgentName("nikki"), core.AgentName("sasha"), "agent_closed"}, []any{b.Agent, b.TakenOverFrom, b.TakeoverCause})
		in.Decisions = nil
		b, err = c.s.BeginStep(c.ctx, in)
		require.NoError(t, err, "a second attempt finds it decided")
		require.Equal(t, core.AgentName("nikki"), b.Agent)
	},
	"who may stay stays without a decision, until their time is over": func(t *testing.T, open Opener) {
		w := &wall{monday}
		c := newChat(t, open, store.Options{Now: w.Now})
		c.write("let me talk to Sasha")
		c.commit(handedTo(c.withActive(1, 1), "sasha", time.Hour))
		in := reply(c.withActive(1, 2), "Sasha here.")
		in.StickFor = time.Hour
		c.commit(in)
		c.write("hello")
		step := c.step(2, 1)
		step.Leaders = map[core.Role]store.Leaders{core.Partner: {Primary: "nikki", Others: []core.AgentName{"sasha"}}}
		w.now = w.now.Add(time.Hour)
		_, err := c.s.BeginStep(c.ctx, step)
		var undecided *store.UndecidedError
		require.ErrorAs(t, err, &undecided)
		require.True(t, undecided.Lead.Expired)
		w.now = w.now.Add(-time.Minute)
		b, err := c.s.BeginStep(c.ctx, step)
		require.NoError(t, err)
		require.Equal(t, core.AgentName("sasha"), b.Agent)
	},
	"handed over: the next step and the next turn are the other agent's": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("let me talk to Sasha")
		first := handedTo(c.withActive(1, 1), "sasha", time.Hour)
		r := c.commit(first)
		require.False(t, r.Final)
		require.Equal(t, core.AgentName("sasha"), r.Agent)
		require.Equal(t, r, c.commit(first), "a second attempt gets the first outcome")
		b := c.withActive(1, 2)
		require.Equal(t, core.AgentName("sasha"), b.Agent)
		requireWellFormed(t, b.Transcript)
		require.Equal(t, "handed over", b.Transcript[2].Text)
		c.commit(reply(b, "Sasha here."))
		c.write("and now?")
		require.Equal(t, core.AgentName("sasha"), c.withActive(2, 1).Agent)
		require.Equal(t, []string{"notice: Sasha takes over.", "reply: Sasha here."}, c.reads())
		ada, err := c.s.Person(c.ctx, "ada")
		require.NoError(t, err)
		require.Equal(t, core.AgentName("sasha"), ada.LastAgent)
		require.Equal(t, core.AgentName("sasha"), c.rehydrate().Agent, "also for a new run")
	},
	"handed over: not by an agent whom the person has left meanwhile": func(t *testing.T, open Opener) {
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		c.write("trains")
		thinking := c.withActive(1, 1)
		require.NoError(t, c.s.HandOver(c.ctx, c.key, "finn", time.Hour)) // /agent finn
		r := c.commit(handedTo(thinking, "sasha", time.Minute))
		require.Empty(t, r.Agent)
		b := c.withActive(1, 2)
		require.Equal(t, core.AgentName("finn"), b.Agent)
		requireWellFormed(t, b.Transcript)
		require.Contains(t, b.Transcript[2].Text, "to talk with Finn")
		require.Empty(t, c.reads(), "nobody takes over")

		// Nor does the reply of an agent who was left bind the one who was chosen.
		require.NoError(t, c.s.HandOver(c.ctx, c.key, "vera", time.Hour))
		in := reply(b, "Shall Sasha do it?")
		in.StickFor, in.Propose = time.Minute, "sasha"
		c.commit(in)
		now = now.Add(2 * time.Minute)
		c.write("yes")
		require.Equal(t, core.AgentName("vera"), c.withActive(2, 1).Agent)
	},
	"handed over: its time runs out, and every reply renews it": func(t *testing.T, open Opener) {
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		require.NoError(t, c.s.HandOver(c.ctx, c.key, "sasha", time.Hour))
		now = now.Add(50 * time.Minute)
		c.write("hello")
		in := reply(c.withActive(1, 1), "Sasha here.")
		in.StickFor = time.Hour
		c.commit(in)
		now = now.Add(50 * time.Minute)
		c.write("again")
		b := c.withActive(2, 1)
		require.Equal(t, core.AgentName("sasha"), b.Agent)
		in = reply(b, "Still here.")
		in.StickFor = time.Hour
		c.commit(in)
		now = now.Add(time.Hour)
		c.write("and now")
		b = c.withActive(3, 1)
		require.Equal(t, core.AgentName("nikki"), b.Agent)
		require.Equal(t, core.AgentName("sasha"), b.TakenOverFrom)
		require.Equal(t, core.AgentName("nikki"), c.withActive(3, 1).Agent, "a second attempt")
		require.Equal(t, []string{"reply: Sasha here.", "reply: Still here.", "notice: Nikki takes over."}, c.reads())
	},
	"handed over: not while it thinks": func(t *testing.T, open Opener) {
		now := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
		c := newChat(t, open, store.Options{Now: func() time.Time { return now }})
		require.NoError(t, c.s.HandOver(c.ctx, c.key, "sasha", time.Hour))
		c.write("hello")
		c.commit(asks(c.withActive(1, 1), to("trains", "finn")))
		now = now.Add(2 * time.Hour)
		require.Equal(t, core.AgentName("sasha"), c.withActive(1, 2).Agent, "the turn that it began is its to end")
	},
	"proposed: the answer decides, and is asked for once": func(t *testing.T, open Opener) {
		for _, test := range []struct {
			answer          string
			agent, declined core.AgentName
		}{{"yes", "finn", ""}, {"no", "sasha", "finn"}, {"what for?", "sasha", ""}} {
			c := newChat(t, open, store.Options{})
			require.NoError(t, c.s.HandOver(c.ctx, c.key, "sasha", time.Hour))
			c.write("write me a program")
			in := reply(c.withActive(1, 1), "That is Finn's. Shall I?")
			in.Propose, in.Options, in.StickFor = "finn", []string{"Yes", "No"}, time.Hour
			require.True(t, c.commit(in).Final)
			events := c.events()
			require.Equal(t, core.EventQuestion, events[len(events)-1].Type)
			require.Equal(t, []string{"Yes", "No"}, events[len(events)-1].Options)
			c.write(test.answer)
			b := c.withActive(2, 1)
			require.Equal(t, test.agent, b.Agent, test.answer)
			require.Equal(t, test.declined, b.DeclinedAgent, test.answer)
			b = c.withActive(2, 1)
			require.Equal(t, test.agent, b.Agent, "a second attempt")
			c.commit(reply(b, "ok"))
			c.write("yes")
			require.Equal(t, test.agent, c.withActive(3, 1).Agent, "a later yes answers nothing")
			ada, err := c.s.Person(c.ctx, "ada")
			require.NoError(t, err)
			require.Equal(t, test.agent, ada.LastAgent, "with whom the person talked last")
		}
	},
	"rights: a step has the lesser of then and now, a turn of all it answers": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{}) // ada, a partner, writes as a member
		c.write("hello")
		m := c.message("as a guest")
		m.Role = core.Guest
		_, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		c.write("hello again")
		require.Equal(t, core.Guest, c.begin(1, 1).Role)
		c.commit(reply(c.begin(1, 1), "hi"))
		m = c.message("as an admin, which ada is not")
		m.Role = core.MasterAdmin
		_, err = c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		require.Equal(t, core.Partner, c.begin(2, 1).Role)
	},
	"rights: what is delegated has no more than who delegates it": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("ask Sasha")
		in := asks(c.begin(1, 1), to("trains", "sasha"))
		in.Role = core.Guest
		id := c.commit(in).Calls[0].Task
		require.Equal(t, core.Guest, c.task(id).Origin.Role)
		b := c.sub(id, "sasha", 1, 1)
		require.Equal(t, core.Guest, b.Role)
		nested := asks(b, to("hotels", "finn"))
		nested.Role = core.MasterAdmin
		require.Equal(t, core.Guest, c.task(c.commit(nested).Calls[0].Task).Origin.Role)
	},
	"shared: everybody's messages are one session, each with their own rights": func(t *testing.T, open Opener) {
		s := open(t, store.Options{})
		c := chatOn(t, s, core.Route{Channel: "telegram", Account: "main", Chat: "group"})
		_, err := s.EnsurePerson(c.ctx, "bob", "Bob", core.Guest)
		require.NoError(t, err)
		c.key = core.NewSessionKey(c.route, core.Everyone)
		c.session = c.rehydrate().Session
		require.Equal(t, c.key, c.writeAs("ada", "where shall we eat?").Session)
		c.writeAs("bob", "somewhere cheap")
		b := c.begin(1, 1)
		require.Equal(t, []string{"user: Ada: where shall we eat?", "user: Bob (guest bob): somewhere cheap"}, texts(b.Transcript))
		require.Equal(t, core.PersonID("bob"), b.Person)
		require.Equal(t, core.Guest, b.Role)
		id := c.commit(asks(b, to("restaurants", "sasha"))).Calls[0].Task
		require.Equal(t, core.PersonID("bob"), c.task(id).Origin.Person)
		require.Equal(t, core.PersonID("bob"), c.begin(1, 2).Person, "also at the next step")
	},
	"memory: what was told without the agent is unread until it looks": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("trains", "sasha"))
		folded := c.delegate(2, to("hotels", "sasha"))
		c.work(folded, "three hotels")
		c.commit(reply(c.begin(3, 1), "Three hotels."))
		_, err := c.s.EndSession(c.ctx, c.key, c.session, "reset", "nikki")
		require.NoError(t, err)
		c.session = c.rehydrate().Session
		c.work(id, "two trains")
		require.NotNil(t, c.begin(1, 1).Empty)
		require.NoError(t, c.s.Remember(c.ctx, "ada", "nikki", store.Note{Key: "likes", Value: "window seats"}))
		// In another chat: in this one the transcript has it.
		d := chatOn(t, c.s, core.WebRoute("elsewhere"))
		d.write("anything new?")
		b := d.withActive(1, 1)
		require.Equal(t, []string{"likes"}, b.Notes)
		require.Len(t, b.Unread, 1, "what was folded in the agent told itself")
		require.Equal(t, id, b.Unread[0].ID)
		require.NoError(t, c.s.MarkRead(c.ctx, id))
		unread, err := c.s.Unread(c.ctx, store.Call{Origin: core.Origin{SessionKey: c.key, Person: "ada"}})
		require.NoError(t, err)
		require.Empty(t, unread)
	},
	"said: who said how much, and the last": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("one")
		c.commit(reply(c.begin(1, 1), "first"))
		require.NoError(t, c.s.HandOver(c.ctx, c.key, "sasha", time.Hour))
		c.write("two")
		c.commit(reply(c.begin(2, 1), "second"))
		counts, err := c.s.MessageCounts(c.ctx, c.owner())
		require.NoError(t, err)
		require.Equal(t, []store.MessageCount{{Agent: "", Messages: 2}, {Agent: "nikki", Messages: 1}, {Agent: "sasha", Messages: 1}}, counts)
		last, err := c.s.LastMessages(c.ctx, c.owner(), "sasha", 5)
		require.NoError(t, err)
		require.Equal(t, []string{"assistant: second"}, texts(last))
		last, err = c.s.LastMessages(c.ctx, c.owner(), "", 3)
		require.NoError(t, err)
		require.Equal(t, "assistant: first, user: two, assistant: second", strings.Join(texts(last), ", "))
	},
}
