package chaos

import (
	"context"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"errand/internal/core"
)

// What a sub-agent is sent to do, so that it asks which day, or gives a verdict.
const (
	asksDay     = "ask which day"
	saysVerdict = "say "
)

var answerWith = regexp.MustCompile(`/answer (q-\w+)`)

// Sasha, whom a program has sent, asks ann, and goes on with her answer.
var asked = &story{
	text: "good evening", tasks: 1,
	delivered: func(seen []string) bool {
		return len(seen) == 3 && seen[0] == "you said good evening" && strings.HasPrefix(seen[1], "Which day?\n\n(t-") && seen[2] == "Sasha says: two trains"
	},
	then: func(ctx context.Context, w *world, _ <-chan struct{}) {
		if !w.greeted(ctx) {
			return
		}
		w.delegate(ctx, url.Values{"agent": {"sasha"}, "text": {asksDay}})
		w.answer(ctx, "Monday")
	},
	end: func(_ context.Context, w *world) {
		if n := w.ledger.called("sasha: report on ask which day, told Monday"); n < 1 {
			w.t.Errorf("Sasha was not told what ann has answered: %q", w.ledger.made())
		}
	},
}

// Two agents decide something for a program, and a task follows on that.
func decided(verdict string) *story {
	return &story{
		text: "good evening", tasks: 2,
		// The decision and what follows it are told together, or one after the other.
		delivered: func(seen []string) bool {
			n := timesIn(seen, "Sasha says: two trains")
			return len(seen) == 1+n && seen[0] == "you said good evening" && (n == 1 || n == 2)
		},
		then: func(ctx context.Context, w *world, _ <-chan struct{}) {
			if w.greeted(ctx) {
				w.delegate(ctx, url.Values{"agent": {"sasha", "finn"}, "text": {saysVerdict + verdict}, "policy": {"all"}})
			}
		},
		end: func(ctx context.Context, w *world) {
			told := func(t core.Task) bool { return t.State == core.Completed && t.Way != core.WayUndecided }
			list, err := w.tasks(ctx)
			for ; err != nil || len(list) < 2 || !told(list[0]) || !told(list[1]); list, err = w.tasks(ctx) {
				if !w.pause(ctx) {
					w.t.Fatalf("tasks are %+v, %v; log:\n%s", list, err, w.logs())
				}
			}
			i := slices.IndexFunc(list, func(t core.Task) bool { return t.Decision != "" })
			if i < 0 || string(list[i].Decision) != verdict || list[i].FollowedBy != list[1-i].ID {
				w.t.Errorf("what is decided is %+v", list)
				return
			}
			next := map[string]core.AgentName{"YES": "sasha", "NO": "finn"}[verdict]
			if got := list[1-i].Agents; !slices.Equal(got, []core.AgentName{next}) {
				w.t.Errorf("on a %s follows a task of %v", verdict, got)
			}
			for _, v := range list[i].Verdicts {
				// One no is enough: the other agent may come too late, or not at all.
				if v.Standing == core.StandingInvalid || verdict == "YES" && v.Standing != core.StandingCounted {
					w.t.Errorf("the verdict of %s is %s", v.Agent, v.Standing)
				}
			}
		},
	}
}

func timesIn(texts []string, part string) (n int) {
	for _, text := range texts {
		if strings.Contains(text, part) {
			n++
		}
	}
	return n
}

// greeted waits until ann has been answered; false when time is up.
func (w *world) greeted(ctx context.Context) bool {
	for !slices.Equal(w.platform.Seen("ann"), []string{"you said good evening"}) {
		if !w.pause(ctx) {
			return false
		}
	}
	return true
}

// answer waits until ann is asked something, and has her answer it.
func (w *world) answer(ctx context.Context, text string) {
	for {
		if q := answerWith.FindStringSubmatch(strings.Join(w.platform.Seen("ann"), "\n")); q != nil {
			w.send(ctx, "ann", "m-answer", "/answer "+q[1]+" "+text)
			return
		}
		if !w.pause(ctx) {
			return
		}
	}
}

func (w *world) delegate(ctx context.Context, form url.Values) {
	form.Set("channel", "platform")
	form.Set("chat", "ann")
	if err := w.post(ctx, "/tasks", form); err != nil {
		w.t.Errorf("nobody was sent: %v", err)
	}
}

// Nikki wants to use a tool that must not run twice and that waits for ann's yes.
var approved = &story{
	text:  "use ledger.pay",
	setUp: func(w *world) { w.configure("approvals: {ledger.pay: always}\n") },
	delivered: func(seen []string) bool {
		return len(seen) == 2 && strings.HasPrefix(seen[0], "Nikki wants to run ledger.pay") && seen[1] == "it said noted"
	},
	then: func(ctx context.Context, w *world, _ <-chan struct{}) {
		w.answer(ctx, "yes")
	},
	end: func(_ context.Context, w *world) {
		if keys, n := w.ledger.ranTool("ledger.pay"); keys != 1 || n != 1 {
			w.t.Errorf("what was approved once was run %d times, under %d keys", n, keys)
		}
	},
}
