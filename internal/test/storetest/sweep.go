package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

const day = 24 * time.Hour

var policy = store.Policy{EndAfter: 10 * day, Transcripts: 10 * day, Deliveries: 10 * day, UsageDetail: 10 * day, Memory: 10 * day}

var sweeps = map[string]func(*testing.T, Opener){
	"a stale session ends, one that anything waits for does not": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		rest := func(name string, keep func(c *chat)) *chat {
			c := chatOn(t, s, core.WebRoute(name))
			c.write("hello")
			c.commit(reply(c.begin(1, 1), "hi"))
			if keep != nil {
				keep(c)
			}
			require.NoError(t, s.SuspendSession(c.ctx, c.session))
			return c
		}
		all := []*chat{
			rest("stale", nil),
			rest("working", func(c *chat) { c.delegate(2, to("trains", "sasha")) }),
			rest("untold", func(c *chat) { c.work(c.delegate(2, to("hotels", "sasha")), "three") }),
			rest("waiting", func(c *chat) { c.write("are you there?") }),
			rest("told", func(c *chat) {
				c.work(c.delegate(2, to("cars", "sasha")), "one")
				c.commit(reply(c.begin(3, 1), "one car"))
			}),
		}
		active := chatOn(t, s, core.WebRoute("active"))
		clock.tick(9 * day)
		young := rest("young", nil)
		require.Empty(t, sweepAll(t, s, store.SweepSessions, policy), "nine days are not ten")
		clock.tick(2 * day)
		require.Empty(t, sweepAll(t, s, store.SweepSessions, store.Policy{}), "never")
		require.Equal(t, 2, sweepAll(t, s, store.SweepSessions, policy)["ended"])
		require.Empty(t, sweepAll(t, s, store.SweepSessions, policy))
		for _, c := range append(all, active, young) {
			now, err := s.Session(c.ctx, c.session)
			require.NoError(t, err)
			over := c.route.Chat == "stale" || c.route.Chat == "told"
			require.Equal(t, over, now.State == store.SessionEnded, "%s is %s", c.route.Chat, now.State)
			if over {
				require.Equal(t, "expired", now.Reason)
				require.NotEqual(t, c.session, c.rehydrate().Session, "the next message begins another")
			}
		}
	},
	"a command is known again for a month, a message that waits for good": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		c.write("hello")
		command := c.message("the answer")
		require.NoError(t, s.NoteCommand(c.ctx, command))
		require.NoError(t, s.NoteCommand(c.ctx, command), "once more")
		for _, age := range []time.Duration{29 * day, 2 * day} {
			answer, seen, _, err := s.CommandAnswer(c.ctx, command)
			require.NoError(t, err)
			require.True(t, seen)
			require.Equal(t, "the answer", answer)
			require.Empty(t, sweepAll(t, s, store.SweepInbox, policy))
			clock.tick(age)
		}
		require.Equal(t, 1, sweepAll(t, s, store.SweepInbox, policy)["inbox"])
		_, seen, _, err := s.CommandAnswer(c.ctx, command)
		require.NoError(t, err)
		require.False(t, seen)
		require.Equal(t, []string{"user: hello"}, texts(c.begin(1, 1).Transcript), "no turn takes a command")
	},
	"a session that is woken while stale ones are ended goes on": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		require.NoError(t, s.SuspendSession(c.ctx, c.session))
		clock.tick(11 * day)
		done := make(chan store.Rehydrated)
		go func() {
			r, _ := s.Rehydrate(c.ctx, c.key, "nikki")
			done <- r
		}()
		swept, err := s.Sweep(c.ctx, store.SweepSessions, policy, "", 0)
		require.NoError(t, err)
		woken := <-done
		now, err := s.Current(c.ctx, c.key)
		require.NoError(t, err)
		require.Equal(t, woken.Session, now.ID, "whoever was woken is the current one")
		require.Equal(t, store.SessionActive, now.State)
		require.Equal(t, swept.Done == 1, woken.Session != c.session)
	},
	"what is past its time goes, batch by batch": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		ctx := t.Context()
		old := chatOn(t, s, core.Route{Channel: "discord", Account: "main", Chat: "1"})
		for turn := 1; turn <= 7; turn++ {
			old.write("hello")
			r := old.commit(reply(old.begin(turn, 1), "hi"))
			if turn < 7 {
				require.NoError(t, s.MarkSent(ctx, r.Outbox[0], "", nil))
			}
		}
		for i := range 5 {
			require.NoError(t, s.Remember(ctx, "ada", "nikki", store.Note{Key: fmt.Sprint("old", i), Value: "x"}))
		}
		require.NoError(t, s.Remember(ctx, "ada", "finn", store.Note{Key: "short", Value: "x", Expires: clock.now.Add(time.Hour)}))
		require.NoError(t, s.BeginUpkeep(ctx, "run1"))
		clock.tick(11 * day)
		old.write("hello again")
		old.commit(reply(old.begin(8, 1), "hi"))
		require.NoError(t, s.Remember(ctx, "ada", "nikki", store.Note{Key: "new", Value: "x"}))
		before, err := s.UsageOf(ctx, "ada", time.Time{})
		require.NoError(t, err)

		require.Equal(t, map[string]int{"outbox": 6}, sweepAll(t, s, store.SweepDeliveries, policy), "what is not sent stays")
		require.Equal(t, map[string]int{"memory": 1}, sweepAll(t, s, store.SweepMemory, store.Policy{}))
		require.Equal(t, map[string]int{"memory": 5}, sweepAll(t, s, store.SweepMemory, policy))
		require.Equal(t, map[string]int{"usage": 7}, sweepAll(t, s, store.SweepUsage, policy))
		require.Equal(t, map[string]int{"budgets": 1}, sweepAll(t, s, store.SweepBudgets, policy), "of days; those of turns go with their sessions")
		for _, stage := range store.Stages() {
			require.Empty(t, sweepAll(t, s, stage, policy), "nothing is left of %s", stage)
		}
		after, err := s.UsageOf(ctx, "ada", time.Time{})
		require.NoError(t, err)
		require.Equal(t, before, after, "folding changes no sum")
		require.Equal(t, 8, after[0].Calls)
		spent, err := s.Spent(ctx, store.SpentBy{Session: old.session})
		require.NoError(t, err)
		require.Equal(t, 1, spent.Calls, "the detail is gone")
		clock.tick(100 * day)
		require.Equal(t, map[string]int{"upkeep": 1}, sweepAll(t, s, store.SweepReports, policy))
		_, err = s.Sweep(ctx, "nonsense", policy, "", 0)
		require.Error(t, err)
	},
	"budgets of days that are over go, and what strangers refused": func(t *testing.T, open Opener) {
		clock := &wall{monday}
		c := newChat(t, open, store.Options{Now: clock.Now, Limits: store.Limits{Files: store.FileLimits{PersonDay: 100, Day: 1000}}})
		m := c.message("look")
		m.Attached = []store.NewArtifact{{Name: "a.txt", Type: "text/plain", Data: []byte("hello")}}
		_, err := c.s.Accept(c.ctx, m)
		require.NoError(t, err)
		c.commit(reply(c.begin(1, 1), "hi"))
		at := core.Route{Channel: "telegram", Account: "main", Chat: "7"}
		blocked := func(key string, session core.SessionKey) int64 {
			_, err := c.s.Answer(c.ctx, core.Notification{Key: key, Route: at, Session: session, Event: core.EventNotice, Text: "You are not known here."})
			require.NoError(t, err)
			n, err := c.s.NextOutbox(c.ctx, at)
			require.NoError(t, err)
			require.NoError(t, c.s.MarkBlocked(c.ctx, n.ID, "blocked by the user", false))
			return n.ID
		}
		blocked("stranger", "")
		theirs := blocked("known", c.key)
		clock.now = clock.now.Add(6 * day)
		require.Empty(t, sweepAll(t, c.s, store.SweepBudgets, policy))
		require.Empty(t, sweepAll(t, c.s, store.SweepDeliveries, policy))
		clock.now = clock.now.Add(6 * day)
		require.Equal(t, map[string]int{"budgets": 3}, sweepAll(t, c.s, store.SweepBudgets, policy), "ada's, and the bytes of hers and of all")
		require.Equal(t, 2, sweepAll(t, c.s, store.SweepDeliveries, policy)["outbox"], "the reply, and what the stranger refused")
		n, err := c.s.Notification(c.ctx, theirs)
		require.NoError(t, err)
		require.Equal(t, core.Blocked, n.State, "a person decides about it")
		spent, err := c.s.Spent(c.ctx, store.SpentBy{Root: "turn:" + string(c.owner()) + ":1"})
		require.NoError(t, err)
		require.Equal(t, 1, spent.Calls, "the budget of a turn goes with its session")
	},
	"what was said is found while the index of words is put in order": func(t *testing.T, open Opener) {
		s, _ := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		for turn := 1; turn <= 60; turn++ {
			c.write(fmt.Sprint("message ", turn))
			c.commit(reply(c.begin(turn, 1), "hi"))
		}
		for range 1000 {
			swept, err := s.Sweep(c.ctx, store.SweepWords, policy, "", 0)
			require.NoError(t, err)
			hits, err := s.Search(c.ctx, "message", "ada", 100)
			require.NoError(t, err)
			require.Len(t, hits, 60)
			if !swept.More {
				return
			}
		}
		require.Fail(t, "there is no end to it")
	},
	"usage is counted once, whoever folds it": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		for turn := 1; turn <= 60; turn++ {
			c.write("hello")
			c.commit(reply(c.begin(turn, 1), "hi"))
		}
		clock.tick(11 * day)
		failed := make(chan error, 4)
		for range 4 {
			go func() {
				for {
					swept, err := s.Sweep(c.ctx, store.SweepUsage, policy, "", 7)
					if err != nil || !swept.More {
						failed <- err
						return
					}
				}
			}()
		}
		for range 4 {
			require.NoError(t, <-failed)
		}
		sums, err := s.UsageOf(c.ctx, "ada", time.Time{})
		require.NoError(t, err)
		require.Equal(t, []core.UsageSum{{Person: "ada", Agent: "nikki", Model: "m", Calls: 60, InputTokens: 5400, CachedTokens: 3600, WrittenTokens: 1200, OutputTokens: 600, Cost: 30}}, sums)
	},
	"the last count of each model is known": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		for turn, input := range []int{100, 200, 300} {
			c.write("hello")
			answer := reply(c.begin(turn+1, 1), "hi")
			answer.Usage = []core.Usage{{Model: "m", Provider: "p", InputTokens: input, EstimatedTokens: 50}, {Model: "uncounted", Provider: "p", InputTokens: 7}}
			c.commit(answer)
		}
		counted, err := s.LastCounted(c.ctx)
		require.NoError(t, err)
		require.Equal(t, []core.Usage{{Model: "m", Provider: "p", InputTokens: 300, EstimatedTokens: 50}}, counted)
		clock.tick(8 * day)
		counted, err = s.LastCounted(c.ctx)
		require.NoError(t, err)
		require.Empty(t, counted, "models change under their names")
	},
	"usage is told by person and day": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		c := chatOn(t, s, core.WebRoute("main"))
		for turn := 1; turn <= 3; turn++ {
			c.write("hello")
			c.commit(reply(c.begin(turn, 1), "hi"))
			clock.tick(day)
		}
		now := clock.now
		for days, want := range map[int]int{0: 0, 1: 1, 2: 2, 3: 3, 100: 3} {
			sums, err := s.UsageOf(c.ctx, "ada", now.Add(-time.Duration(days)*day))
			require.NoError(t, err)
			n := 0
			for _, u := range sums {
				n += u.Calls
			}
			require.Equal(t, want, n, "since %d days ago", days)
		}
		sums, err := s.UsageOf(c.ctx, "bob", time.Time{})
		require.NoError(t, err)
		require.Empty(t, sums)
	},
	"ended sessions and tasks of none go when their time is over": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		ctx := t.Context()
		end := func(name string, prepare func(c *chat)) core.SessionID {
			c := chatOn(t, s, core.WebRoute(name))
			if prepare != nil {
				prepare(c)
			}
			_, err := s.EndSession(ctx, c.key, c.session, "reset", "nikki")
			require.NoError(t, err)
			return c.session
		}
		old := end("old", nil)
		end("working", func(c *chat) { c.delegate(1, to("trains", "sasha")) })
		end("untold", func(c *chat) { c.work(c.delegate(1, to("hotels", "sasha")), "three") })
		task, err := s.CreateTask(ctx, core.Origin{Person: "ada"}, to("alone", "sasha"), "")
		require.NoError(t, err)
		_, _, err = s.FinishTask(ctx, task.ID, core.Completed, "")
		require.NoError(t, err)
		clock.tick(11 * day)
		young := end("young", nil)
		ids, err := s.Expired(ctx, policy, 10)
		require.NoError(t, err)
		require.Equal(t, []core.SessionID{old}, ids)
		_, err = s.MarkForDeletion(ctx, young, false) // somebody began to delete it
		require.NoError(t, err)
		ids, err = s.Expired(ctx, store.Policy{}, 10)
		require.NoError(t, err)
		require.Equal(t, []core.SessionID{young}, ids)
		ids, err = s.Expired(ctx, policy, 1)
		require.NoError(t, err)
		require.Len(t, ids, 1)

		tasks, err := s.ExpiredTasks(ctx, policy, 10)
		require.NoError(t, err)
		require.Len(t, tasks, 1)
		require.Equal(t, []string{string(task.ID), string(task.ID) + "/sasha"}, store.TaskWorkflows(tasks...))
		gone, err := s.DeleteTask(ctx, task.ID, nil)
		require.NoError(t, err)
		require.Equal(t, store.Deleted{"tasks": 1}, gone)
		_, err = s.Task(ctx, task.ID)
		require.ErrorIs(t, err, store.ErrNotFound)
	},
	"the report of maintenance is kept": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		ctx := t.Context()
		require.NoError(t, s.BeginUpkeep(ctx, "one"))
		clock.tick(time.Minute)
		require.NoError(t, s.BeginUpkeep(ctx, "two"))
		require.NoError(t, s.BeginUpkeep(ctx, "two"))
		clock.tick(time.Minute)
		require.NoError(t, s.EndUpkeep(ctx, "two", []store.Count{{What: "ended", N: 2}, {What: "messages", N: 3}, {What: "ended", N: 1}}, []string{"events"}))
		list, err := s.Upkeeps(ctx, 0)
		require.NoError(t, err)
		require.Equal(t, []string{"two", "one"}, []string{list[0].ID, list[1].ID})
		require.Equal(t, map[string]int{"ended": 3, "messages": 3}, list[0].Done)
		require.Equal(t, []string{"events"}, list[0].Failed)
		require.Equal(t, time.Minute, list[0].Finished.Sub(list[0].Started))
		require.Zero(t, list[1].Finished)
	},
	"events of sessions that are gone go too": func(t *testing.T, open Opener) {
		s, clock := opened(t, open)
		for i := range 5 {
			c := chatOn(t, s, core.WebRoute(fmt.Sprint("chat", i)))
			c.write("hello")
			c.commit(reply(c.begin(1, 1), "hi"))
			if i%2 == 1 {
				_, err := s.CreateTask(c.ctx, core.Origin{Route: c.route, Person: "ada", SessionKey: c.key, Session: core.NewSessionID()}, to("x", "sasha"), "")
				require.NoError(t, err)
			}
		}
		clock.tick(day)
		require.Equal(t, map[string]int{"events": 2}, sweepAll(t, s, store.SweepEvents, policy))
		require.Empty(t, sweepAll(t, s, store.SweepEvents, policy))
	},
}

// sweepAll runs a stage in batches of 2 to its end, and returns what it did.
func sweepAll(t *testing.T, s *store.Store, stage store.Stage, p store.Policy) map[string]int {
	t.Helper()
	done, from := map[string]int{}, ""
	for range 1000 {
		swept, err := s.Sweep(t.Context(), stage, p, from, 2)
		require.NoError(t, err)
		require.LessOrEqual(t, swept.Done, 2)
		if swept.Done > 0 {
			done[swept.What] += swept.Done
		}
		if from = swept.Next; !swept.More {
			return done
		}
	}
	require.Fail(t, "the sweep has no end", "%s: %v of %v", stage, done, store.Stages())
	return nil
}
