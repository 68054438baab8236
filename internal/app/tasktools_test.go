package app_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"errand"
)

// TestTaskToolsInTurns proves what an agent is told of the tasks at work when it asks
// in a turn of its own: those of its conversation, each with state, chat and age; and
// that what it cancels is over, with what that had delegated, and told once.
func TestTaskToolsInTurns(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	elsewhere := in.say("elsewhere", do(send("priest", "wait elsewhere")))
	in.until(elsewhere, replies(1))
	hidden := in.awaitTasks(1)[0].ID

	key := in.say("main", do(tool("list_pending_async_agents", nil)))
	in.until(key, heard("told: No task is at work."))
	in.say("main", do(send("sasha", "wait late"), send("finn", do(ask("priest", "wait never")))))
	in.until(key, replies(2))
	s.begun(t, "priest", 2)
	late, doomed, nested := errand.TaskID(""), errand.TaskID(""), errand.TaskID("")
	for _, task := range in.awaitTasks(4) {
		switch {
		case task.Parent != "":
			nested = task.ID
		case task.Agents[0] == "sasha":
			late = task.ID
		case task.Agents[0] == "finn":
			doomed = task.ID
		}
	}
	// asks has the agent call tools, and returns what it is told.
	turn := 2
	asks := func(calls ...call) string {
		t.Helper()
		turn++
		in.say("main", do(calls...))
		return said(in.until(key, replies(turn)))[turn-1]
	}
	named := func(name string, id errand.TaskID) call { return tool(name, map[string]string{"task_id": string(id)}) }
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

	row := `%s  %s  working  asked for \d+ s ago  chat "main" on web  `
	fits(asks(tool("list_pending_async_agents", nil)), fmt.Sprintf(row, late, "sasha")+`"wait late"`, fmt.Sprintf(row, doomed, "finn"))
	fits(asks(named("get_task", late)), `\[task `+string(late)+`, sasha: working\]\nStill at work`, fmt.Sprintf(row, late, "sasha"))
	if got := asks(named("get_task", hidden[:6]), named("kill_async_agent", "t-none")); strings.Count(got, "not found") != 2 {
		t.Errorf("it is told %q of tasks that are not its", got)
	}
	fits(asks(tool("kill_async_agent", map[string]string{"task_id": string(doomed[:6]), "reason": "no need"})), string(doomed)+" is canceled, with everything it had delegated")
	for id, parent := range map[errand.TaskID]bool{doomed: true, nested: false} {
		if task := in.ended(id); task.State != errand.Canceled || parent && task.Error != "no need" {
			t.Errorf("%s is %s (%s)", id, task.State, task.Error)
		}
	}
	fits(asks(named("kill_async_agent", doomed), named("get_task", doomed)), string(doomed)+" has ended already: canceled", `<report>\nno need\n</report>`)
	if got := asks(tool("list_pending_async_agents", nil)); !strings.Contains(got, string(late)) || strings.Contains(got, string(doomed)) {
		t.Errorf("at work is %s; want %s alone", got, late)
	}
	s.open("late")
	in.until(key, heard("done late"))
	turn = len(said(in.until(key, replies(turn+1))))
	fits(asks(named("get_task", late)), `\[task `+string(late)+`, sasha: completed\]\n<report>\ndone late\n</report>`, string(late)+`  sasha  completed`)
	if got := asks(tool("list_pending_async_agents", nil)); !strings.HasPrefix(got, "told: No task is at work.") {
		t.Errorf("at work is %s", got)
	}
	if in.ended(late).Way != errand.WayFold {
		t.Errorf("the late one went by %q", in.ended(late).Way)
	}
}
