package workflows_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

type histories struct {
	activities.Histories
	err error
}

func (h *histories) Forget(ctx context.Context, key core.SessionKey, session core.SessionID, tasks []string) (int, error) {
	if h.err != nil {
		return 0, h.err
	}
	return h.Histories.Forget(ctx, key, session, tasks)
}

func counts(done []store.Count) string {
	list := make([]string, len(done))
	for i, c := range done {
		list[i] = fmt.Sprint(c.What, " ", c.N)
	}
	return strings.Join(list, ", ")
}

// TestMaintenance proves what a night's maintenance ends, deletes and keeps, in which
// order, and that what it could not do is done by the next.
func TestMaintenance(t *testing.T) {
	const day = 24 * time.Hour
	policy := store.Policy{EndAfter: 30 * day, Transcripts: 60 * day, Deliveries: 30 * day, UsageDetail: 90 * day, Memory: 90 * day}
	const words = "budgets 1, events 2, inbox 1, messages 2" // of a session with one answer
	tests := []struct {
		name     string
		policy   *store.Policy // default: policy
		run      func(in *workflowtest.Installation, h *histories)
		done     string // by the run that follows, in order
		failed   []string
		sessions []string // those that are left: their chats and states
		reads    []string // what the person has read in chat "main" and is still there
	}{
		{name: "nothing was ever said", run: func(*workflowtest.Installation, *histories) {}},
		{name: "idle for 29 days", run: func(in *workflowtest.Installation, _ *histories) {
			in.Send("hello")
			in.Pass(29 * day)
		}, done: "budgets 1", sessions: []string{"main suspended"}, reads: []string{"you said hello"}},
		{name: "idle for 31 days", run: func(in *workflowtest.Installation, _ *histories) {
			in.Send("hello")
			in.Pass(31 * day)
		}, done: "ended 1, outbox 1, budgets 1", sessions: []string{"main ended"}, reads: []string{"you said hello"}},
		{name: "idle for years, and no session ever ends by itself", policy: &store.Policy{}, run: func(in *workflowtest.Installation, _ *histories) {
			in.Send("hello")
			in.Pass(3 * 365 * day)
		}, done: "budgets 1", sessions: []string{"main suspended"}, reads: []string{"you said hello"}},
		{name: "whoever writes again begins another session", run: func(in *workflowtest.Installation, _ *histories) {
			in.Send("hello")
			in.Pass(31 * day)
			in.Maintain()
			in.Send("are you there?")
			in.Pass(day)
		}, sessions: []string{"main ended", "main suspended"}, reads: []string{"you said hello", "you said are you there?"}},
		{name: "an errand is at work", policy: &store.Policy{EndAfter: 2 * time.Hour}, run: func(in *workflowtest.Installation, _ *histories) {
			in.Send(do(send("sasha", "wait 4h")))
			in.Pass(3 * time.Hour)
		}, sessions: []string{"main suspended"}, reads: []string{atWork}},
		{name: "an errand was at work, and has been told", policy: &store.Policy{EndAfter: 2 * time.Hour}, run: func(in *workflowtest.Installation, _ *histories) {
			in.Send(do(send("sasha", "wait 4h")))
			in.Pass(3 * time.Hour)
			in.Maintain()
			in.Pass(4 * time.Hour)
		}, done: "ended 1", sessions: []string{"main ended"}, reads: []string{atWork, "done 4h"}},
		{name: "ended 59 days ago", run: func(in *workflowtest.Installation, _ *histories) {
			in.Send("hello")
			in.Pass(31 * day)
			in.Maintain()
			in.Pass(59 * day)
		}, sessions: []string{"main ended"}, reads: []string{"you said hello"}},
		{name: "ended 61 days ago, with its errand", run: func(in *workflowtest.Installation, _ *histories) {
			in.Send(do(ask("sasha", "wait 50s")))
			in.Pass(31 * day)
			in.Maintain()
			in.Pass(61 * day)
		}, done: "budgets 1, events 5, inbox 1, messages 6, reports 1, sessions 1, tasks 1, turns 2, usage 3"},
		{name: "what ends is not deleted the same night", run: func(in *workflowtest.Installation, _ *histories) {
			in.Send("hello")
			in.Reset()
			in.Send("again")
			in.Pass(61 * day)
		}, done: "ended 1, " + words + ", outbox 1, sessions 1, turns 1, usage 1, outbox 1, budgets 1", sessions: []string{"main ended"}, reads: []string{"you said again"}},
		{name: "a note, a delivery and the detail of usage", run: func(in *workflowtest.Installation, _ *histories) {
			in.SendTo("notes", do(llmtest.Use("remember", map[string]string{"key": "home", "value": "Oslo"})))
			in.Write(workflowtest.Message{Route: c1, Text: "hello"})
			in.Pass(91 * day)
		}, done: "ended 2, memory 1, outbox 2, usage 3, budgets 1", sessions: []string{"c1 ended", "notes ended"}},
		{name: "Temporal does not answer: the rest is done all the same", run: func(in *workflowtest.Installation, h *histories) {
			in.Send(do(llmtest.Use("remember", map[string]string{"key": "home", "value": "Oslo"})))
			in.Pass(31 * day)
			in.Maintain()
			in.Pass(61 * day)
			h.err = errors.New("unavailable")
		}, done: "memory 1, usage 2", failed: []string{"transcripts"}, sessions: []string{"main ended"}, reads: []string{"told: Noted."}},
		{name: "and is done the next night", run: func(in *workflowtest.Installation, h *histories) {
			in.Send("hello")
			in.Pass(31 * day)
			in.Maintain()
			in.Pass(61 * day)
			h.err = errors.New("unavailable")
			in.Maintain()
			h.err = nil
			in.Pass(day)
		}, done: words + ", sessions 1, turns 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := &histories{}
			o := workflowtest.Options{Policy: policy, Activities: func(d *activities.Deps) { h.Histories, d.Histories = d.Histories, h }}
			if test.policy != nil {
				o.Policy = *test.policy
			}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				test.run(in, h)
				got := in.Maintain()
				if done := counts(got.Done); done != test.done || !slices.Equal(got.Failed, test.failed) {
					t.Errorf("it did %q, and failed in %q; want %q, %q", done, got.Failed, test.done, test.failed)
				}
				list, err := in.Store.Sessions(in.T.Context(), store.SessionFilter{})
				if err != nil {
					t.Fatal(err)
				}
				var left []string
				for _, s := range list {
					left = append(left, s.Route.Chat+" "+s.State)
				}
				slices.Sort(left)
				if !slices.Equal(left, test.sessions) {
					t.Errorf("the sessions are %q, want %q", left, test.sessions)
				}
				in.Reads(test.reads...)
				if again := in.Maintain(); len(again.Done) > 0 {
					t.Errorf("once more, it did %+v", again.Done)
				}
			})
		})
	}
}
