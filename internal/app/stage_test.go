package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/test/llmtest"
	"errand/internal/test/probetest"
	"errand/internal/test/workflowtest"
)

// A stage is a model that plays every agent, see [llmtest.Stage].
type stage struct{ *llmtest.Stage }

func newStage() *stage { return &stage{llmtest.NewStage()} }

type call = llmtest.ToolCall

func do(calls ...call) string                       { return llmtest.Do(calls...) }
func tool(name string, args map[string]string) call { return llmtest.Use(name, args) }
func ask(agent, task string) call                   { return llmtest.Ask(agent, task) }
func send(agent, task string) call                  { return llmtest.Send(agent, task) }
func given(r llm.Request) (lines, results []string) { return llmtest.Given(r) }
func speaker(r llm.Request) string                  { return llmtest.OnStage(r) }
func (s *stage) open(name string)                   { s.Open(name) }
func (s *stage) calls(agent string) int             { return s.Called(agent) }

// begun waits until the model of an agent was called n times.
func (s *stage) begun(t *testing.T, agent string, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d calls of %s", n, agent), func() bool { return s.calls(agent) >= n })
}

// asked waits until the model of some agent was called for text.
func (s *stage) asked(t *testing.T, text string) {
	t.Helper()
	eventually(t, "a model call for "+text, func() bool {
		return slices.ContainsFunc(s.Requests(), func(r llm.Request) bool {
			lines, _ := given(r)
			return len(lines) > 0 && lines[len(lines)-1] == text
		})
	})
}

var eventually = probetest.Eventually

// cast is a roster deep enough to go wrong in, see [workflowtest.Cast].
func cast(cfg *config.Config) { cfg.Roster = workflowtest.Cast() }

// play installs errand with a stage and the cast, at test speed.
func play(t *testing.T, change func(*app.Options), tune ...func(*config.Config)) (*installation, *stage) {
	t.Helper()
	s := newStage()
	in := install(t, s, func(o *app.Options) {
		o.Settings = quick
		if change != nil {
			change(o)
		}
	}, append([]func(*config.Config){cast}, tune...)...)
	return in, s
}

// awaitTasks waits for n tasks that were asked for in a chat and returns them, the
// newest first.
func (in *installation) awaitTasks(chat string, n int) []core.Task {
	in.t.Helper()
	eventually(in.t, fmt.Sprintf("%d tasks", n), func() bool { return len(in.tasks(chat)) >= n })
	return in.tasks(chat)
}

// ended waits until a task has its outcome and its way.
func (in *installation) ended(id core.TaskID) core.Task {
	in.t.Helper()
	var task core.Task
	eventually(in.t, "the end of task "+string(id), func() bool {
		var err error
		if task, err = in.Store.Task(in.t.Context(), id); err != nil {
			in.t.Fatal(err)
		}
		return task.State.Terminal() && task.Way != core.WayUndecided
	})
	return task
}

// reconcile lets the watchdog look at everything there is.
func (in *installation) reconcile() {
	in.t.Helper()
	if err := in.Reconciler.Once(in.t.Context(), time.Now().Add(time.Second)); err != nil {
		in.t.Fatal(err)
	}
}

// awaitListed waits until Temporal lists workflows as running, all or none of them: its
// list lags a little.
func (in *installation) awaitListed(running bool, ids ...string) {
	in.t.Helper()
	eventually(in.t, fmt.Sprintf("the list of running workflows, with %q: %v", ids, running), func() bool {
		listed, err := in.Dispatch.Listed(in.t.Context(), append(ids, "o'clock"))
		if err != nil {
			in.t.Fatal(err)
		}
		return running && len(listed) == len(ids) || !running && len(listed) == 0
	})
}

func (in *installation) command(chat, text string) string {
	in.t.Helper()
	out, err := in.Intake.Accept(in.t.Context(), intake.Inbound{
		Route: core.WebRoute(chat), Person: app.Owner, Role: core.MasterAdmin, Text: text})
	if err != nil {
		in.t.Fatal(err)
	}
	return out.Answer
}

// hasText holds once the person has read text in something errand said.
func hasText(text string) func([]core.Event) bool {
	return func(events []core.Event) bool {
		return strings.Contains(strings.Join(textsOf(events), "\n"), text)
	}
}
