package storetest

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

func paying(b *store.StepInput, rule core.ApprovalRule, arguments string) store.CommitStep {
	in := reply(b, "")
	in.Calls = []core.ToolCall{{ID: "c1", Name: "bank.pay", Arguments: arguments}}
	in.Planned = []store.PlannedCall{{By: store.ByApproval, Tool: "bank.pay", Queue: "bank"}}
	in.Approvals = map[int]store.NewApproval{1: {
		NewQuestion: store.NewQuestion{ID: core.NewQuestionID(), Text: "May I?", Shown: "Nikki wants to run bank.pay.", Options: []string{"Yes", "No"}, Pace: store.DefaultQuestionPace()},
		Approval: core.Approval{Tool: "bank.pay", Arguments: arguments, Hash: core.ArgumentsHash("bank.pay", arguments), Seal: "abc12345",
			ForSession: rule == core.ApproveFirst},
		Rule: rule, Away: "bank.pay was not run.",
	}}
	return in
}

func (c *chat) pays(turn int, rule core.ApprovalRule, arguments string) (store.PlannedCall, core.Question) {
	c.t.Helper()
	c.write("pay")
	call := c.commit(paying(c.runs(turn, 1), rule, arguments)).Calls[0]
	q, err := c.s.Question(c.ctx, call.Question)
	require.NoError(c.t, err)
	return call, q
}

// runs begins a step that has approved calls run.
func (c *chat) runs(turn, step int) *store.StepInput {
	c.t.Helper()
	in := c.step(turn, step)
	in.Approved = true
	b, err := c.s.BeginStep(c.ctx, in)
	require.NoError(c.t, err)
	return b
}

func (c *chat) decides(id core.QuestionID, answer string) {
	c.t.Helper()
	state := core.QuestionAnswered
	if answer == "" {
		state = core.QuestionDeclined
	}
	_, first := c.close(store.CloseQuestion{ID: id, State: state, Answer: answer, By: "ada"})
	require.True(c.t, first)
}

func (c *chat) begun(turn, step, index int, arguments string) (own core.Question, granted []core.Question, err error) {
	key := core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: turn, Step: step}, Index: index}
	return c.s.BeginApproved(c.ctx, key, core.Approval{Tool: "bank.pay", Arguments: arguments, Hash: core.ArgumentsHash("bank.pay", arguments)})
}

func last(b *store.StepInput) string {
	return core.Unmarked(b.Transcript[len(b.Transcript)-1].Text)
}

var approvals = map[string]func(*testing.T, Opener){
	"an approval is committed with the step that asks, bound to the arguments, and shows no seal": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		call, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		require.Equal(t, store.ByApproval, call.By)
		require.True(t, call.Waits)
		require.Equal(t, core.AsksApproval, q.Kind)
		require.Equal(t, core.ArgumentsHash("bank.pay", `{"euros":5}`), q.Approval.Hash)
		require.Equal(t, "abc12345", q.Approval.Seal)
		raw, err := json.Marshal(q)
		require.NoError(t, err)
		require.NotContains(t, string(raw), "abc12345", "no program is told")
		require.Equal(t, "question: Nikki wants to run bank.pay.", c.reads()[len(c.reads())-1])
		again := c.runs(1, 1).Done.Calls[0]
		require.Equal(t, call, again, "a second attempt asks the same, under the same id")
		require.Contains(t, last(c.runs(1, 2)), "It waits for approval")
	},
	"of two decisions at once the first counts": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		var wg sync.WaitGroup
		var mu sync.Mutex
		firsts := 0
		for i := range 8 {
			state := []core.QuestionState{core.QuestionAnswered, core.QuestionDeclined}[i%2]
			wg.Go(func() {
				_, first, _, err := c.s.CloseQuestion(c.ctx, store.CloseQuestion{ID: q.ID, State: state, Answer: core.ApprovedOnce, By: "ada"})
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					t.Error(err)
				}
				if first {
					firsts++
				}
			})
		}
		wg.Wait()
		require.Equal(t, 1, firsts)
	},
	"what was declined or has expired runs with no step, and is told once": func(t *testing.T, open Opener) {
		for state, want := range map[core.QuestionState]string{core.QuestionDeclined: "It was declined.", core.QuestionExpired: "No decision within"} {
			c := newChat(t, open, store.Options{})
			_, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
			c.commit(reply(c.runs(1, 2), "I have asked."))
			c.close(store.CloseQuestion{ID: q.ID, State: state, By: "ada"})
			require.True(t, c.runs(1, 1).Done.Calls[0].Refused, "no activity is to run it")
			undelivered := listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour)))
			require.Len(t, undelivered, 1)
			require.True(t, undelivered[0].Refused)
			b := c.runs(2, 1)
			require.Nil(t, b.Done)
			require.Contains(t, last(b), want)
			c.commit(reply(b, "told"))
			require.NotNil(t, c.runs(3, 1).Empty)
			require.Empty(t, listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour))))
		}
	},
	"a yes that comes late runs in the next step without the model, once however often that is begun": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		c.commit(reply(c.runs(1, 2), "I have asked."))
		c.decides(q.ID, core.ApprovedOnce)
		for range 2 { // killed after the first
			done := c.runs(2, 1).Done
			require.NotNil(t, done)
			require.Equal(t, q.ID, done.Calls[0].Question)
			require.Equal(t, "bank", done.Calls[0].Queue)
		}
		own, _, err := c.begun(2, 1, 1, `{"euros":5}`)
		require.NoError(t, err)
		require.Equal(t, q.ID, own.ID)
		key := core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 2, Step: 1}, Index: 1}
		call, err := c.s.Call(c.ctx, key)
		require.NoError(t, err)
		require.Equal(t, `{"euros":5}`, call.Call.Arguments)
		require.NoError(t, c.s.CommitTool(c.ctx, key, "paid"))
		_, _, err = c.begun(2, 1, 1, `{"euros":5}`)
		require.ErrorIs(t, err, store.ErrAnswered)
		require.Equal(t, "paid", last(c.runs(2, 2)))
	},
	"an approved call that no worker begins is given up, and told once to the agent and in the chat": func(t *testing.T, open Opener) {
		c := chatOn(t, open(t, store.Options{}), core.Route{Channel: "discord", Account: "main", Chat: "42"})
		_, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		c.decides(q.ID, core.ApprovedOnce)
		step := 2
		for ; step < 20; step++ {
			c.runs(1, step)
			if b := c.runs(1, step); b.Done == nil { // begun twice: it counts once
				require.Contains(t, last(b), "No worker could run it")
				require.NotEmpty(t, c.commit(reply(b, "It was not run.")).Outbox)
				break
			}
		}
		require.Equal(t, 6, step, "five tries")
		told := 0
		for _, line := range c.reads() {
			told += strings.Count(line, "bank.pay was not run.")
		}
		require.Equal(t, 1, told)
		require.NotNil(t, c.runs(2, 1).Empty, "nothing runs by it any more")
		require.Empty(t, listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour))))
	},
	"a call that is under way when its turn is interrupted is told as begun, and then its outcome": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		c.decides(q.ID, core.ApprovedOnce)
		_, _, err := c.begun(1, 1, 1, `{"euros":5}`)
		require.NoError(t, err)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "interrupted"))
		c.write("stop, wait")
		b := c.runs(2, 1)
		require.Contains(t, strings.Join(texts(b.Transcript), "\n"), "bank.pay was begun")
		c.commit(reply(b, "It is under way."))
		key := core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 1, Step: 1}, Index: 1}
		require.NoError(t, c.s.CommitTool(c.ctx, key, "paid 5"))
		require.ErrorIs(t, c.s.CommitTool(c.ctx, key, "paid 5 again"), store.ErrClosed)
		require.Len(t, listed(t, c.s.UndeliveredAnswers(c.ctx, time.Now().Add(time.Hour))), 1, "the watchdog has the session tell it")
		b = c.runs(3, 1)
		require.Nil(t, b.Done, "it does not run again")
		require.Contains(t, last(b), "bank.pay has ended since")
		require.Contains(t, last(b), "<result>\npaid 5\n</result>")
		c.commit(reply(b, "paid"))
		require.NotNil(t, c.runs(4, 1).Empty)
	},
	"a call that nobody kept the outcome of is told as unknown, once, when its time is over": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		interrupted := func(turn int, outcome string) core.CallKey {
			t.Helper()
			_, q := c.pays(turn, core.ApproveAlways, `{"euros":5}`)
			c.decides(q.ID, core.ApprovedOnce)
			_, _, err := c.begun(turn, 1, 1, `{"euros":5}`)
			require.NoError(t, err)
			key := core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: turn, Step: 1}, Index: 1}
			if outcome != "" {
				require.NoError(t, c.s.CommitTool(c.ctx, key, outcome))
			}
			require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), turn, "interrupted"))
			return key
		}
		overdue := func() []core.QuestionID {
			t.Helper()
			ids, err := s.OverdueApprovals(c.ctx, s.Now())
			require.NoError(t, err)
			return ids
		}
		interrupted(1, "paid")
		key := interrupted(2, "")
		clock.tick(19 * time.Minute)
		require.Empty(t, overdue(), "it may still run or be kept, and of the first the outcome is there")
		clock.tick(2 * time.Minute)
		ids := overdue()
		require.Len(t, ids, 1)
		require.NoError(t, s.LoseOutcome(c.ctx, ids[0]))
		require.NoError(t, s.LoseOutcome(c.ctx, ids[0]))
		require.Empty(t, overdue())
		require.Len(t, listed(t, s.UndeliveredAnswers(c.ctx, s.Now().Add(time.Hour))), 1, "the session is signalled")
		require.ErrorIs(t, s.CommitTool(c.ctx, key, "paid after all"), store.ErrClosed, "the agent may have asked again")
		b := c.runs(3, 1)
		require.Nil(t, b.Done, "it does not run again")
		require.Contains(t, last(b), "outcome unknown")
		c.commit(reply(b, "I do not know whether it was paid."))
		require.NotNil(t, c.runs(4, 1).Empty)

		interrupted(4, "")
		_, err := s.EndSession(c.ctx, c.key, c.session, "reset", "nikki")
		require.NoError(t, err)
		clock.tick(time.Hour)
		for _, id := range overdue() {
			require.NoError(t, s.LoseOutcome(c.ctx, id))
		}
		require.Empty(t, overdue())
		require.Empty(t, listed(t, s.UndeliveredAnswers(c.ctx, s.Now().Add(time.Hour))), "nobody is left to tell")
	},
	"who decides is written to once with the step that asks, never after it is over, and told of the end": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		for _, id := range []core.PersonID{"ada", "bob", "cleo"} {
			_, err := c.s.EnsurePerson(c.ctx, id, string(id), core.MasterAdmin)
			require.NoError(t, err)
		}
		rows := func(person string) (list []string) {
			t.Helper()
			all, err := c.s.Deliveries(c.ctx, nil, store.Page{})
			require.NoError(t, err)
			for _, n := range all {
				if n.Route.Chat == person {
					list = append(list, string(n.State)+": "+n.Text)
				}
			}
			slices.Reverse(list)
			return list
		}
		asks := func(turn int) core.QuestionID {
			t.Helper()
			c.write("pay")
			in := paying(c.runs(turn, 1), core.ApproveAlways, `{"euros":5}`)
			ask := in.Approvals[1]
			for _, id := range []core.PersonID{"bob", "cleo"} {
				route := core.Route{Channel: "discord", Account: "main", Chat: string(id)}
				ask.Deciders = append(ask.Deciders, store.Decider{Person: id, Route: route, Key: core.NewSessionKey(route, id), Text: "May it?", Options: []string{"Sí", "No"}, Lapsed: "Nobody decided."})
			}
			in.Approvals[1] = ask
			q := c.commit(in).Calls[0].Question
			require.Equal(t, q, c.commit(in).Calls[0].Question, "a second attempt writes to nobody")
			return q
		}
		sent := func(person string) {
			t.Helper()
			n, err := c.s.NextOutbox(c.ctx, core.Route{Channel: "discord", Account: "main", Chat: person})
			require.NoError(t, err)
			require.Equal(t, []string{"Sí", "No"}, n.Options)
			_, err = c.s.MarkSending(c.ctx, n.ID, time.Minute)
			require.NoError(t, err)
		}
		q := asks(1)
		require.Equal(t, []string{"pending: May it?"}, rows("bob"))
		sent("bob")
		_, first := c.close(store.CloseQuestion{ID: q, State: core.QuestionAnswered, Answer: core.ApprovedOnce, By: "ada", Notices: map[core.PersonID]string{"bob": "Ada has.", "cleo": "Ada has."}})
		require.True(t, first)
		require.Equal(t, []string{"sending: May it?", "pending: Ada has."}, rows("bob"))
		require.Equal(t, []string{"dismissed: May it?"}, rows("cleo"), "who has not seen it is not asked any more, and told nothing")
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, store.StoppedTurn))

		asks(2)
		sent("cleo")
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 2, store.StoppedTurn))
		require.Equal(t, []string{"dismissed: May it?", "sending: May it?", "pending: Nobody decided."}, rows("cleo"))
		require.Equal(t, "dismissed: May it?", rows("bob")[2], "withdrawn before it was sent")
	},
	"the outcome of a call whose turn was stopped is nobody's": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		c.decides(q.ID, core.ApprovedOnce)
		_, _, err := c.begun(1, 1, 1, `{"euros":5}`)
		require.NoError(t, err)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, store.StoppedTurn))
		key := core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 1, Step: 1}, Index: 1}
		require.ErrorIs(t, c.s.CommitTool(c.ctx, key, "paid 5"), store.ErrClosed)
		require.NotNil(t, c.runs(2, 1).Empty)
	},
	"a session that several share has no grants": func(t *testing.T, open Opener) {
		c := group(t, open(t, store.Options{}), "42")
		asks := func(turn int, who core.PersonID) store.PlannedCall {
			t.Helper()
			c.writeAs(who, "pay")
			return c.commit(paying(c.runs(turn, 1), core.ApproveFirst, `{"euros":5}`)).Calls[0]
		}
		ends := func(turn int) { c.commit(reply(c.runs(turn, 2), "well")) }
		call := asks(1, "bob")
		require.Equal(t, store.ByApproval, call.By)
		c.decides(call.Question, core.ApprovedSession)
		_, _, err := c.begun(1, 1, 1, `{"euros":5}`)
		require.NoError(t, err)
		require.NoError(t, c.s.CommitTool(c.ctx, core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 1, Step: 1}, Index: 1}, "paid"))
		ends(1)
		for i, who := range []core.PersonID{"bob", "cleo"} {
			turn := i + 2
			require.Equal(t, store.ByApproval, asks(turn, who).By, "whose words have made the agent call nobody can say")
			_, granted, err := c.begun(turn, 1, 2, `{"euros":5}`)
			require.NoError(t, err)
			require.Empty(t, granted)
			require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), turn, store.StoppedTurn))
		}
	},
	"what has come to something is no yes for the same call again": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		c.decides(q.ID, core.ApprovedOnce)
		_, _, err := c.begun(1, 1, 1, `{"euros":5}`)
		require.NoError(t, err)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, "interrupted"))
		c.write("go on")
		b := c.runs(2, 1)
		key := core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 1, Step: 1}, Index: 1}
		require.NoError(t, c.s.CommitTool(c.ctx, key, "paid 5"), "it ended while the model of the next turn thinks")
		call := c.commit(paying(b, core.ApproveAlways, `{"euros":5}`)).Calls[0]
		require.NotEqual(t, q.ID, call.Question)
		require.False(t, call.Ended, "it is asked anew")
	},
	"of two calls of one step each has its own approval": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		c.write("pay twice")
		b := c.runs(1, 1)
		in, other := paying(b, core.ApproveAlways, `{"euros":5}`), paying(b, core.ApproveAlways, `{"euros":6}`)
		in.Calls, in.Planned = append(in.Calls, core.ToolCall{ID: "c2", Name: "bank.pay", Arguments: `{"euros":6}`}), append(in.Planned, other.Planned...)
		in.Approvals[2] = other.Approvals[1]
		calls := c.commit(in).Calls
		c.decides(calls[1].Question, core.ApprovedOnce)
		for i, state := range []core.QuestionState{core.QuestionOpen, core.QuestionAnswered} {
			own, granted, err := c.begun(1, 1, i+1, in.Calls[i].Arguments)
			require.NoError(t, err)
			require.Empty(t, granted)
			require.Equal(t, calls[i].Question, own.ID)
			require.Equal(t, state, own.State)
		}
	},
	"what was approved and dropped never runs, and is good for nothing else": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := c.pays(1, core.ApproveFirst, `{"euros":5}`)
		c.decides(q.ID, core.ApprovedSession)
		_, err := c.s.WithdrawApprovals(c.ctx, c.key, "")
		require.NoError(t, err)
		own, _, err := c.begun(1, 1, 1, `{"euros":5}`)
		require.NoError(t, err)
		require.Equal(t, core.QuestionWithdrawn, own.State)
		require.NoError(t, c.s.CloseTurn(c.ctx, c.owner(), 1, store.StoppedTurn))
		c.write("pay")
		require.Equal(t, store.ByApproval, c.commit(paying(c.runs(2, 1), core.ApproveFirst, `{"euros":5}`)).Calls[0].By)
	},
	"a task of a session that is over has none of its grants": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, q := c.pays(1, core.ApproveFirst, `{"euros":5}`)
		c.decides(q.ID, core.ApprovedSession)
		_, _, err := c.begun(1, 1, 1, `{"euros":5}`)
		require.NoError(t, err)
		require.NoError(t, c.s.CommitTool(c.ctx, core.CallKey{StepKey: core.StepKey{Owner: c.owner(), Turn: 1, Step: 1}, Index: 1}, "paid"))
		c.commit(reply(c.runs(1, 2), "paid"))
		id := c.delegate(2, to("pay", "sasha"))
		pays := func(step int) store.PlannedCall {
			return c.commit(paying(c.sub(id, "sasha", 1, step), core.ApproveFirst, `{"euros":6}`)).Calls[0]
		}
		require.Equal(t, store.ByActivity, pays(1).By, "it was given for the session that sent it")
		require.NoError(t, c.s.CommitTool(c.ctx, core.CallKey{StepKey: core.StepKey{Owner: core.SubAgentOwner(id, "sasha"), Turn: 1, Step: 1}, Index: 1}, "paid"))
		c.session, err = c.s.EndSession(c.ctx, c.key, c.session, "reset", "nikki")
		require.NoError(t, err)
		require.Equal(t, store.ByApproval, pays(2).By)
	},
	"with its report what a sub-agent has not been allowed is withdrawn, and it knows; a yes before it runs first": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		id := c.delegate(1, to("pay", "sasha"))
		q := c.commit(paying(c.sub(id, "sasha", 1, 1), core.ApproveAlways, `{"euros":5}`)).Calls[0].Question
		step := func(n int) store.BeginStep { in := subStep(id, "sasha", 1, n); in.Approved = true; return in }
		b, err := c.s.BeginStep(c.ctx, step(2))
		require.NoError(t, err)
		require.Contains(t, last(b), "If you report first, the request is withdrawn.")
		c.decides(q, core.ApprovedOnce)
		require.False(t, c.commit(reply(b, "I could not pay.")).Final, "no report leaves out what was approved meanwhile")
		b, err = c.s.BeginStep(c.ctx, step(3))
		require.NoError(t, err)
		require.Equal(t, q, b.Done.Calls[0].Question)

		id = c.delegate(2, to("pay", "sasha"))
		q = c.commit(paying(c.sub(id, "sasha", 1, 1), core.ApproveAlways, `{"euros":5}`)).Calls[0].Question
		c.commit(reply(c.sub(id, "sasha", 1, 2), "I could not pay."))
		over, first := c.close(store.CloseQuestion{ID: q, State: core.QuestionAnswered, Answer: core.ApprovedOnce, By: "ada"})
		require.False(t, first)
		require.Equal(t, core.QuestionWithdrawn, over.State)
	},
	"what waits for a yes is withdrawn when everything is stopped, of earlier turns too": func(t *testing.T, open Opener) {
		c := newChat(t, open, store.Options{})
		_, one := c.pays(1, core.ApproveAlways, `{"euros":5}`)
		c.commit(reply(c.runs(1, 2), "I have asked."))
		_, two := c.pays(2, core.ApproveAlways, `{"euros":6}`)
		c.commit(reply(c.runs(2, 2), "I have asked again."))
		c.decides(two.ID, core.ApprovedOnce)
		n, err := c.s.WithdrawApprovals(c.ctx, c.key, "bob")
		require.NoError(t, err)
		require.Zero(t, n, "nothing is bob's")
		n, err = c.s.WithdrawApprovals(c.ctx, c.key, "")
		require.NoError(t, err)
		require.Equal(t, 2, n)
		over, first := c.close(store.CloseQuestion{ID: one.ID, State: core.QuestionAnswered, Answer: core.ApprovedOnce, By: "ada"})
		require.False(t, first)
		require.Equal(t, core.QuestionWithdrawn, over.State)
		require.NotNil(t, c.runs(3, 1).Empty, "what was approved and had not begun never runs")
	},
	"a session whose call waits for a yes is not stale": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		c.write("pay")
		in := paying(c.runs(1, 1), core.ApproveAlways, `{"euros":5}`)
		ask := in.Approvals[1]
		ask.Pace.ExpireAfter = 100 * day
		in.Approvals[1] = ask
		q := c.commit(in).Calls[0].Question
		c.commit(reply(c.runs(1, 2), "I have asked."))
		require.NoError(t, s.SuspendSession(c.ctx, c.session))
		clock.tick(20 * day)
		require.Empty(t, sweepAll(t, s, store.SweepSessions, policy))
		c.decides(q, "")
		require.Empty(t, sweepAll(t, s, store.SweepSessions, policy), "the agent has not been told")
		c.commit(reply(c.runs(2, 1), "not paid"))
		require.NoError(t, s.SuspendSession(c.ctx, c.session))
		clock.tick(20 * day)
		require.Equal(t, map[string]int{"ended": 1}, sweepAll(t, s, store.SweepSessions, policy))
	},
}
