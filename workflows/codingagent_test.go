package workflows_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/remote/acpclient"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// A scriptedCoder is a coding agent that works for a minute and asks for permission to do
// one thing, in each session until it has done it.
type scriptedCoder struct {
	loads   bool
	prompts []string
	loaded  []string // the sessions that were taken up
	done    int      // how often it did it
	refused int
	stopped func()  // called when nobody has decided for long
	begins  []error // why it does not begin, at first
	retract int     // how many things it asks for that it then asks no more
}

func (c *scriptedCoder) Work(ctx context.Context, _ core.AgentName, w acpclient.Work) (core.PeerTask, error) {
	if len(c.begins) > 0 {
		err := c.begins[0]
		c.begins = c.begins[1:]
		return core.PeerTask{}, err
	}
	c.prompts = append(c.prompts, w.Prompt)
	if w.Session != "" {
		if !c.loads {
			return core.PeerTask{}, acpclient.ErrLost
		}
		c.loaded = append(c.loaded, w.Session)
	} else if err := w.Begun("s-1"); err != nil {
		return core.PeerTask{}, err
	}
	select {
	case <-time.After(time.Minute):
	case <-ctx.Done():
		return core.PeerTask{}, ctx.Err()
	}
	for i := range c.retract {
		asking, done := context.WithCancelCause(ctx)
		time.AfterFunc(time.Second, func() { done(acpclient.ErrAskedNoMore) })
		if allowed, err := w.Ask(asking, acpclient.Permission{Kind: "execute", Arguments: fmt.Sprintf(`{"title":"make %d"}`, i), Loads: c.loads}); allowed || err != nil {
			return core.PeerTask{}, fmt.Errorf("retracted, it is allowed: %t, %w", allowed, err)
		}
	}
	allowed, err := w.Ask(ctx, acpclient.Permission{Kind: "execute", Arguments: `{"title":"make test"}`, Loads: c.loads})
	switch {
	case err != nil:
		if c.stopped != nil && ctx.Err() == nil {
			c.stopped()
		}
		return core.PeerTask{}, err
	case allowed:
		c.done++
	default:
		c.refused++
	}
	return core.PeerTask{ID: "s-1", State: core.Completed, Text: "All done."}, nil
}

// TestCodingAgent proves what becomes of a coding agent that asks for permission, whenever
// somebody decides: it waits ten minutes, is stopped, and goes on with the answer in its
// session; one that cannot is told to have failed, and nobody is asked any more.
func TestCodingAgent(t *testing.T) {
	t.Parallel()
	busy := &acpclient.Busy{Agent: "coder"}
	for _, test := range []struct {
		name    string
		loads   bool
		after   time.Duration      // until somebody decides; 0: nobody does
		answer  api.QuestionAnswer // what they say
		stops   bool               // they decide while it is being stopped
		cancel  bool               // in place of that
		begins  []error            // why it does not begin, at first
		retract int                // how many things it asks for that it then asks no more
		state   core.TaskState
		says    string // a part of the result, or of why there is none
		prompts int    // how often it was begun
		told    string // a part of the last prompt
		done    int
		refused int
		reads   string // a part of the last that the person reads
	}{
		{name: "at once", loads: true, after: 2 * time.Minute, answer: api.QuestionAnswer{Text: core.ApprovedOnce}, state: core.Completed, says: "All done.", prompts: 1, done: 1},
		{name: "no", loads: true, after: 2 * time.Minute, answer: api.QuestionAnswer{Decline: true}, state: core.Completed, says: "All done.", prompts: 1, refused: 1},
		{name: "a day later", loads: true, after: 24 * time.Hour, answer: api.QuestionAnswer{Text: core.ApprovedOnce}, state: core.Completed, says: "All done.", prompts: 2, told: "You may do this once.", done: 1},
		{name: "no, a day later", loads: true, after: 24 * time.Hour, answer: api.QuestionAnswer{Decline: true}, state: core.Completed, says: "All done.", prompts: 2, told: "You may not do this. Do not", refused: 1},
		{name: "never", loads: true, state: core.Completed, says: "All done.", prompts: 2, told: "Nobody decided about this request, so you may not do it", refused: 1},
		{name: "as it is stopped", loads: true, stops: true, answer: api.QuestionAnswer{Text: core.ApprovedOnce}, state: core.Completed, says: "All done.", prompts: 2, told: "You may do this once.", done: 1},
		{name: "it cannot go on", state: core.Failed, says: "nobody decided within", prompts: 1, reads: "so Coder was stopped"},
		{name: "the folder is busy, and then another worker's", loads: true, begins: []error{busy, busy, busy, acpclient.ErrAway}, after: 2 * time.Minute, answer: api.QuestionAnswer{Text: core.ApprovedOnce}, state: core.Completed, says: "All done.", prompts: 1, done: 1},
		{name: "it asks no more", loads: true, retract: 2, after: 2 * time.Minute, answer: api.QuestionAnswer{Text: core.ApprovedOnce}, state: core.Completed, says: "All done.", prompts: 1, done: 1, reads: "no longer asks about"},
		{name: "it asks without end", loads: true, retract: 250, state: core.Completed, says: "All done.", prompts: 1, refused: 1},
		{name: "canceled", loads: true, after: 24 * time.Hour, cancel: true, state: core.Canceled, says: "not needed", prompts: 1},
		{name: "canceled at work", loads: true, after: 10 * time.Second, cancel: true, state: core.Canceled, says: "not needed", prompts: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			coder := &scriptedCoder{loads: test.loads, begins: test.begins, retract: test.retract}
			roster, err := agents.New("nikki", []agents.Agent{
				{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"coder"}},
				{Name: "coder", Kind: core.CodingAgent, Description: "Codes.", NotSticky: true},
			}, agents.Rules{})
			if err != nil {
				t.Fatal(err)
			}
			workflowtest.Run(t, workflowtest.Options{Roster: roster, Activities: func(d *activities.Deps) { d.Coding = coder }}, func(in *workflowtest.Installation) {
				in.Send(llmtest.Do(llmtest.Send("coder", "test it")))
				in.Settle()
				id := in.TaskOf("coder").ID
				owner := actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin}
				if test.after > 0 {
					in.Pass(test.after)
				}
				decide := func() {
					open, err := ops.Do(in.T.Context(), in.House.Runner, api.ListTaskQuestions, owner, api.ListTaskQuestionsInput{ID: id})
					if err != nil || len(open) != 1 {
						t.Fatalf("asked: %+v, %v", open, err)
					}
					if _, err := servicetest.AnswerQuestion(in.T.Context(), in.House.Service, owner, open[0].ID, test.answer); err != nil {
						t.Fatal(err)
					}
				}
				switch {
				case test.stops:
					coder.stopped = decide
				case test.cancel:
					if err := in.CancelTask(id, "not needed"); err != nil {
						t.Fatal(err)
					}
				case test.after > 0:
					decide()
				}
				days := 1
				if test.after == 0 {
					days = 8 // a question expires after seven
				}
				for range 2 * days {
					in.Pass(12 * time.Hour)
					in.Reconcile()
				}
				task := in.TaskOf("coder")
				if says := task.Result + task.Error; task.State != test.state || !strings.Contains(says, test.says) {
					t.Errorf("it ends as %s with %q, want %s with %q", task.State, says, test.state, test.says)
				}
				if len(coder.prompts) != test.prompts || !strings.Contains(coder.prompts[len(coder.prompts)-1], test.told) || coder.done != test.done || coder.refused != test.refused {
					t.Errorf("it did it %d times, was refused %d times, and was given %q", coder.done, coder.refused, coder.prompts)
				}
				if read := in.Read(); test.reads != "" && !strings.Contains(strings.Join(read, "\n"), test.reads) {
					t.Errorf("they read %q", read)
				}
				if open, err := ops.Do(in.T.Context(), in.House.Runner, api.ListTaskQuestions, owner, api.ListTaskQuestionsInput{ID: id}); err != nil || len(open) > 0 {
					t.Errorf("left open: %+v, %v", open, err)
				}
			})
		})
	}
}
