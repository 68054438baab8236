package workflows_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestTaskToolsInTurns proves what an agent is told of the tasks at work when it asks
// in a turn of its own: those of its conversation, each with state, chat and age; and
// that what it cancels is over, with what that had delegated, and told once.
func TestTaskToolsInTurns(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.SendTo("elsewhere", do(send("priest", "wait 9h")))
		hidden := in.TaskOf("priest").ID
		// asks has the agent call tools, and returns what it is told.
		asks := func(calls ...llmtest.ToolCall) string {
			t.Helper()
			in.Send(do(calls...))
			read := in.Read()
			return read[len(read)-1]
		}
		named := func(name string, id core.TaskID) llmtest.ToolCall {
			return llmtest.Use(name, map[string]string{"task_id": string(id)})
		}
		pending := llmtest.Use("list_pending_async_agents", nil)
		fits := func(got string, wants ...string) {
			t.Helper()
			for _, want := range wants {
				if !regexp.MustCompile(want).MatchString(got) {
					t.Errorf("it is told\n%s\nwant %s", got, want)
				}
			}
			if strings.Contains(got, string(hidden)) || strings.Contains(got, "elsewhere") {
				t.Errorf("it is told of another chat: %s", got)
			}
		}

		fits(asks(pending), "told: There are no open tasks.")
		in.Send(do(send("sasha", "wait 1h"), send("finn", do(ask("priest", "wait 9h")))))
		late, doomed, nested := in.TaskOf("sasha").ID, in.TaskOf("finn").ID, core.TaskID("")
		for _, task := range in.Tasks() {
			if task.Parent == doomed {
				nested = task.ID
			}
		}
		in.Pass(7 * time.Second)

		row := `%s  %s  working  asked for 7 s ago  chat "main" on web  `
		fits(asks(pending), fmt.Sprintf(row, late, "sasha")+`"wait 1h"`, fmt.Sprintf(row, doomed, "finn"))
		fits(asks(named("get_task", late)), `\[task `+string(late)+`, sasha: working\]\nStill at work`, fmt.Sprintf(row, late, "sasha"))
		if got := asks(named("get_task", hidden[:6]), named("kill_async_agent", "t-none")); strings.Count(got, "not found") != 2 {
			t.Errorf("it is told %q of tasks that are not its", got)
		}
		fits(asks(llmtest.Use("kill_async_agent", map[string]string{"task_id": string(doomed[:6]), "reason": "no need"})), string(doomed)+" is canceled, with everything it had delegated")
		for _, task := range in.Tasks() {
			if (task.ID == doomed || task.ID == nested) && task.State != core.Canceled || task.ID == doomed && task.Error != "no need" {
				t.Errorf("%s is %s (%s)", task.ID, task.State, task.Error)
			}
		}
		fits(asks(named("kill_async_agent", doomed), named("get_task", doomed)), string(doomed)+" has ended already: canceled", `<report>\nno need\n</report>`)
		if got := asks(pending); !strings.Contains(got, string(late)) || strings.Contains(got, string(doomed)) {
			t.Errorf("at work is %s; want %s alone", got, late)
		}
		before := len(in.Read())
		in.Pass(2 * time.Hour)
		if notices := in.Read()[before:]; len(notices) != 1 || !strings.Contains(notices[0], "done 1h") {
			t.Errorf("when the late one is done the person reads %q", notices)
		}
		fits(asks(named("get_task", late)), `\[task `+string(late)+`, sasha: completed\]\n<report>\ndone 1h\n</report>`, string(late)+`  sasha  completed`)
		if got := asks(pending); !strings.HasPrefix(got, "told: There are no open tasks.") {
			t.Errorf("at work is %s", got)
		}
		if way := in.TaskOf("sasha").Way; way != core.WayFold {
			t.Errorf("the late one went by %q", way)
		}
	})
}
