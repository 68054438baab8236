package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

// TestTaskShowTimes proves that a task is shown with how long each agent worked, and with each
// step of its own: what was called, how long it took, and what that used.
func TestTaskShowTimes(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks/t-2", 200, taskJSON("t-22222222", "completed", `,"result":"Two trains.","finished":"2026-01-01T00:00:00Z"`))
	f.On("GET /api/tasks/t-22222222/timeline", 200, `{"from":"2026-01-01T00:00:00Z","to":"2026-01-01T00:00:10Z","rows":[
		{"task_id":"t-22222222","agent":"sasha","level":0,"begun":"2026-01-01T00:00:00Z","ended":"2026-01-01T00:00:10Z","steps":[
			{"kind":"model","name":"gpt-5","step":1,"begun":"2026-01-01T00:00:00Z","ended":"2026-01-01T00:00:02.5Z","attempts":2,"tokens":120,"cost":0.5},
			{"kind":"tool","name":"search_web\u001b[2J","step":1,"begun":"2026-01-01T00:00:02.5Z","ended":"2026-01-01T00:00:05Z"},
			{"kind":"task","name":"call_agent","step":1,"task_id":"t-33333333","begun":"2026-01-01T00:00:05Z","ended":"2026-01-01T00:00:10Z"}]},
		{"task_id":"t-33333333","agent":"finn","level":1,"begun":"2026-01-01T00:00:05Z","steps":[{"kind":"model","name":"hidden","step":1,"begun":"2026-01-01T00:00:05Z"}]}]}`)
	got := f.Errand(t, "tasks", "show", "t-2")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Regexp(t, `(?m)^sasha +10s *$`, got.Out)
	assert.Regexp(t, `(?m)^· finn +5\.0s… *$`, got.Out)
	assert.NotContains(t, got.Out, "█", "only the page draws when each agent worked")
	assert.Regexp(t, `(?m)^1 +gpt-5 \(2 attempts\) +2\.5s +120 +\$0\.50 *$`, got.Out)
	assert.Regexp(t, `(?m)search_web\S* +2\.5s *$`, got.Out)
	assert.Regexp(t, `(?m)call_agent t-33333333 +5\.0s *$`, got.Out)
	assert.NotContains(t, got.Out, "\x1b")
	assert.NotContains(t, got.Out, "hidden", "the steps of others are on theirs")
	assert.Equal(t, "steps=true", f.Asked("GET", "/api/tasks/t-22222222/timeline")[0].Query)
}

// TestTaskShowWords proves that a task is shown in words for people, and without what nobody
// knows.
func TestTaskShowWords(t *testing.T) {
	for way, says := range map[string]string{
		"turn": "used by the agent that asked for it", "fold": "reported in the chat", "notification": "sent as a message",
		"none": "kept here: there was no chat to report it in",
	} {
		f := newFake(t)
		f.On("GET /api/tasks/t-2", 200, taskJSON("t-22222222", "completed", `,"way":"`+way+`","model_calls":2,"tokens":7,"result":"Two trains.","finished":"2026-01-01T00:00:00Z"`))
		f.On("GET /api/tasks/t-22222222/timeline", 200, "{}")
		got := f.Errand(t, "tasks", "show", "t-2").Out
		assert.Regexp(t, `(?m)^result +`+says, got)
		assert.NotContains(t, got, "\x1b")
		assert.Regexp(t, `(?m)^used +2 model calls, 7 tokens$`, got, "nothing is said of a cost that is not known")
	}
	f := newFake(t)
	f.On("GET /api/tasks/t-2", 200, taskJSON("t-22222222", "completed", `,"model_calls":2,"tokens":7,"cost":0.5,"result":"Two trains.","finished":"2026-01-01T00:00:00Z"`))
	f.On("GET /api/tasks/t-22222222/timeline", 200, "{}")
	assert.Regexp(t, `(?m)^used +2 model calls, 7 tokens, \$0\.50$`, f.Errand(t, "tasks", "show", "t-2").Out)
}

// TestTaskResultInMarkdown proves that a terminal shows what the Markdown of a result means,
// and that whoever reads it elsewhere has it as it was written.
func TestTaskResultInMarkdown(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks/t-2", 200, taskJSON("t-22222222", "completed", `,"result":"- **two** trains","finished":"2026-01-01T00:00:00Z"`))
	f.On("GET /api/tasks/t-22222222/timeline", 200, "{}")
	at := func(tty bool, vars map[string]string, args ...string) string {
		var out bytes.Buffer
		vars["ERRAND_SERVER"] = f.URL
		assert.Equal(t, 0, Run(t.Context(), args, console.Console{In: strings.NewReader(""), Out: &out, Err: io.Discard, OutTTY: tty, Terminal: -1, Getenv: clitest.Env(vars)}))
		return out.String()
	}
	for _, verb := range []string{"show", "result"} {
		assert.Contains(t, at(true, map[string]string{"NO_COLOR": "1"}, "tasks", verb, "t-2"), "• two trains", verb)
		assert.Contains(t, at(true, map[string]string{}, "tasks", verb, "t-2"), "\x1b[1mtwo", verb)
		assert.Contains(t, at(true, map[string]string{"TERM": "dumb"}, "tasks", verb, "t-2"), "- **two** trains", verb)
		assert.Contains(t, at(false, map[string]string{}, "tasks", verb, "t-2"), "- **two** trains", verb)
	}
}

// TestTasksListFilters proves that the list asks for the tasks of a state, an agent, a chat, a
// text and a person, by their id or name, and that it asks for nothing if there is no such person.
func TestTasksListFilters(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/people", 200, everybody)
	f.On("GET /api/tasks", 200, "[]")
	for args, want := range map[string]string{
		"--state working":                "limit=1000&state=working",
		"--state working,failed":         "limit=1000&state=working%2Cfailed",
		"--state working --state failed": "limit=1000&state=working%2Cfailed",
		"--agent Sasha":                  "agent=sasha&limit=1000",
		"--agent sasha --tree":           "agent=sasha&limit=1000&tree=true",
		"--chat holidays --person *":     "chat=holidays&limit=1000&person=%2A",
		"--text trains":                  "limit=1000&q=trains",
		"--person all":                   "limit=1000&person=%2A",
		"--person ann":                   "limit=1000&person=p-2222aaaa",
	} {
		before := len(f.Asked("GET", "/api/tasks"))
		assert.Equal(t, 0, f.Errand(t, append([]string{"tasks", "list"}, strings.Fields(args)...)...).Code, args)
		assert.Equal(t, want, f.Asked("GET", "/api/tasks")[before].Query, args)
	}
	before := len(f.Asked("GET", "/api/tasks"))
	assert.NotEqual(t, 0, f.Errand(t, "tasks", "list", "--person", "zoltan").Code)
	assert.Len(t, f.Asked("GET", "/api/tasks"), before)
}

// TestTasksWatch proves that the list is shown again when tasks have changed, and not for
// anything else; that it goes on after the worker was away; and that Ctrl-C ends it well.
func TestTasksWatch(t *testing.T) {
	for _, tty := range []bool{false, true} {
		f := newFake(t)
		var asked atomic.Int64
		f.Mux.HandleFunc("GET /api/tasks", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, "[%s]", taskJSON(fmt.Sprintf("t-2222222%d", asked.Add(1)), "working", ""))
		})
		f.Streams("GET /api/changes", []string{`{"lists":[]}`, `{"lists":["questions"]}`, `{"lists":["tasks","deliveries"]}`, "abort"}, []string{`{"lists":[]}`, "hang"})
		ctx, cancel := context.WithCancel(t.Context())
		out, done := clitest.NewOutput(), make(chan int)
		go func() {
			done <- Run(ctx, []string{"tasks", "list", "--watch"}, console.Console{In: strings.NewReader(""), Out: out, Err: out, OutTTY: tty, Terminal: -1,
				Getenv: clitest.Env(map[string]string{"ERRAND_SERVER": f.URL, "NO_COLOR": "1"})})
		}()
		at := out.Await(t, 0, "t-22222221  working")
		at = out.Await(t, at, "t-22222222  working")
		out.Await(t, at, "t-22222223  working")
		cancel()
		assert.Equal(t, 0, <-done, out.String())
		assert.EqualValues(t, 3, asked.Load())
		assert.Len(t, f.Asked("GET", "/api/changes"), 2, "a change of questions alone is none: the third is by the second stream")
		assert.Equal(t, map[bool]int{true: 3, false: 0}[tty], strings.Count(out.String(), "\x1b[2J"))
	}
	f := newFake(t)
	f.On("GET /api/changes", 403, `{"error":{"code":"forbidden","message":"that is for members"}}`)
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: that is for members\n"}, f.Errand(t, "tasks", "list", "--watch"))
}
