package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

func taskJSON(id, state, more string) string {
	return fmt.Sprintf(`{"id":%q,"state":%q,"agents":["sasha","finn"],"agent":"sasha,finn","task":"compare trains","title":"compare trains",
		"origin":{"channel":"web","chat":"main"},"created":%q%s}`, id, state, time.Now().Add(-3*time.Minute).Format(time.RFC3339), more)
}

func TestTasksList(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks", 200, "["+taskJSON("t-22222222", "working", "")+","+
		taskJSON("t-33333333", "completed", `,"finished":"2020-01-01T00:00:00Z"`)+"]")
	got := f.Errand(t, "tasks", "list")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Equal(t, "ID          STATE    AGENT       CHAT  STARTED    TASK\n"+
		"t-22222222  working  sasha,finn  main  3 min ago  compare trains\n", got.Out)
	assert.Contains(t, f.Errand(t, "tasks", "list", "--all").Out, "t-33333333")

	var list []map[string]any
	require.NoError(t, json.Unmarshal([]byte(f.Errand(t, "tasks", "list", "--json").Out), &list))
	require.Len(t, list, 1)
	assert.Equal(t, "sasha,finn", list[0]["agent"], "every field the worker sends")
}

func TestTasksTree(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks", 200, "["+taskJSON("t-22222222", "working", `,"level":0,"branch":{"cost":1.5}`)+","+taskJSON("t-44444444", "working", `,"parent":"t-22222222","from":"sasha","level":1,"branch":{"cost":0.5}`)+"]")
	assert.Regexp(t, `^ID +STATE +FROM +AGENT +TOOK +IN ALL +TASK +RESULT\nt-22222222 +working .* \$1\.50 +compare.*\n· t-44444444 +working +sasha +sasha,finn +3m\d\ds +\$0\.50 +compare trains +-\n$`,
		f.Errand(t, "tasks", "list", "--tree").Out)
	f = newFake(t)
	f.On("GET /api/tasks", 200, "["+taskJSON("t-22222222", "working", `,"level":0,"branch":{}`)+"]")
	assert.Regexp(t, `^ID +STATE +FROM +AGENT +TOOK +TASK +RESULT\n`, f.Errand(t, "tasks", "list", "--tree").Out, "where nothing has a price, no column is empty")
}

func TestEmptyListsAreArrays(t *testing.T) {
	f := newFake(t)
	for _, path := range []string{"tasks", "outbox", "sessions", "agents", "people", "pairings", "refusals", "sessions/search", "reminders", "memory", "maintenance", "hooks"} {
		f.On("GET /api/"+path, 200, "[]\n")
	}
	for _, args := range [][]string{{"tasks", "list"}, {"outbox", "list"}, {"sessions", "list"}, {"agents"},
		{"users", "list"}, {"users", "pending"}, {"users", "refused"}, {"sessions", "search", "x"}, {"reminders", "list"}, {"memory", "list"}, {"maintenance", "show"}, {"hooks", "list"}} {
		got := f.Errand(t, append(args, "--json")...)
		assert.Equal(t, clitest.Result{Code: 0, Out: "[]\n"}, got, args)
		assert.Equal(t, 0, f.Errand(t, args...).Code)
	}
}

func TestTaskResult(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks/t-2", 200, taskJSON("t-22222222", "completed", `,"result":"Two trains.","finished":"2026-01-01T00:00:00Z"`))
	f.On("GET /api/tasks/t-3", 200, taskJSON("t-33333333", "failed", `,"error":"no such train"`))
	f.On("GET /api/tasks/t-4", 200, taskJSON("t-44444444", "working", ""))
	assert.Equal(t, clitest.Result{Code: 0, Out: "Two trains.\n"}, f.Errand(t, "tasks", "result", "t-2"))
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: t-33333333 is failed: no such train\n"}, f.Errand(t, "tasks", "result", "t-3"))
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: t-44444444 has no result yet: it is working, started 3 min ago\n"}, f.Errand(t, "tasks", "result", "t-4"))
	f.On("GET /api/tasks/t-22222222/timeline", 200, "{}")
	got := f.Errand(t, "tasks", "show", "t-2")
	assert.Equal(t, 0, got.Code)
	assert.Contains(t, got.Out, "state      completed\n")
	assert.Contains(t, got.Out, "\nresult\nTwo trains.\n")
}

func TestPrefixThatFitsTwoNamesThem(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks/{id}", 409, `{"error":{"code":"ambiguous","message":"task 2: fits more than one"}}`)
	f.On("POST /api/tasks/{id}/retry", 409, `{"error":{"code":"ambiguous","message":"task 2: fits more than one"}}`)
	f.On("GET /api/tasks", 200, "["+taskJSON("t-22222222", "working", "")+","+taskJSON("t-23456789", "failed", "")+","+taskJSON("t-33333333", "working", "")+"]")
	for _, verb := range []string{"show", "cancel", "retry", "result"} {
		got := f.Errand(t, "tasks", verb, "T-2")
		assert.Equal(t, 1, got.Code, verb)
		assert.Empty(t, got.Out)
		assert.Contains(t, got.Err, "t-22222222  working")
		assert.Contains(t, got.Err, "t-23456789  failed")
		assert.NotContains(t, got.Err, "t-33333333")
		assert.Contains(t, got.Err, "T-2 matches more than one task: give more of the id")
	}
}

func TestTaskCancelAndRetry(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks/t-2", 200, taskJSON("t-22222222", "working", ""))
	f.On("GET /api/tasks/t-3", 200, taskJSON("t-33333333", "completed", ""))
	f.On("POST /api/tasks/t-22222222/cancel", 200, taskJSON("t-22222222", "canceled", ""))
	f.On("POST /api/tasks/t-3/retry", 200, taskJSON("t-55555555", "submitted", `,"retry_of":"t-33333333"`))
	assert.Equal(t, clitest.Result{Code: 0, Out: "t-22222222 is canceled.\n"}, f.Errand(t, "tasks", "cancel", "t-2", "--reason", "too dear"))
	assert.JSONEq(t, `{"reason":"too dear"}`, f.Asked("POST", "/api/tasks/t-22222222/cancel")[0].Body)
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: t-33333333 has already ended: it is completed\n"}, f.Errand(t, "tasks", "cancel", "t-3"))
	assert.Equal(t, clitest.Result{Code: 0, Out: "Started t-55555555, a retry of t-33333333.\n"}, f.Errand(t, "tasks", "retry", "t-3"))
}

func TestDelegate(t *testing.T) {
	f := newFake(t)
	f.On("POST /api/tasks", 201, taskJSON("t-22222222", "submitted", ""))
	got := f.Errand(t, "delegate", "Sasha, finn", "compare", "trains", "--chat", "main")
	assert.Equal(t, 0, got.Code, got.Err)
	assert.Contains(t, got.Out, "t-22222222 is with sasha,finn")
	assert.JSONEq(t, `{"agents":["sasha","finn"],"text":"compare trains","chat":"main"}`, f.Asked("POST", "/api/tasks")[0].Body)
}

func TestDelegateWaitsForTheOutcome(t *testing.T) {
	for _, tt := range []struct {
		name, last string
		want       clitest.Result
	}{
		{"completed", taskJSON("t-22222222", "completed", `,"result":"Two."`), clitest.Result{Code: 0, Out: "Two.\n"}},
		{"failed", taskJSON("t-22222222", "failed", `,"error":"no train"`), clitest.Result{Code: 1, Err: "errand: t-22222222 is failed: no train\n"}},
		{"canceled", taskJSON("t-22222222", "canceled", `,"error":"too dear"`), clitest.Result{Code: 1, Err: "errand: t-22222222 is canceled: too dear\n"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			f.On("POST /api/tasks", 201, taskJSON("t-22222222", "submitted", ""))
			f.On("GET /api/tasks/t-22222222", 200, tt.last)
			assert.Equal(t, tt.want, f.Errand(t, "delegate", "sasha", "x", "--wait"))
		})
	}
}

func TestOutboxSessionsAgentsPause(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/outbox", 200, `[{"id":12,"state":"blocked","route":{"channel":"discord","chat":"42"},"agent":"sasha","task_id":"t-22222222",
		"attempts":3,"error":"missing access","text":"Sasha here","created":"2026-01-01T00:00:00Z"}]`)
	f.On("POST /api/outbox/12/retry", 200, `{"id":12}`)
	f.On("POST /api/outbox/12/dismiss", 200, `{"id":12}`)
	f.On("GET /api/sessions", 200, `[{"id":"0b7e","route":{"channel":"web","chat":"main"},"agent":"nikki","state":"suspended","turns":4,"active":"2026-01-01T00:00:00Z"}]`)
	f.On("POST /api/sessions/{chat}/reset", 200, `{"session_id":"9"}`)
	f.On("GET /api/agents", 200, `[{"name":"nikki","description":"talks","primary":true},{"name":"sasha","description":"finds out","primary":false}]`)
	f.On("POST /api/pause", 200, `{"paused":true}`)
	f.On("POST /api/resume", 200, `{"paused":false}`)
	for _, tt := range []struct{ args, want string }{
		{"outbox list", "12  blocked  discord 42  sasha  t-22222222  3"},
		{"outbox retry 12", "errand will retry delivery 12."},
		{"outbox dismiss 12", "Delivery 12 is dismissed."},
		{"outbox dismiss 12 --json", `"id": 12`},
		{"sessions list", "main  web      nikki  suspended  4"},
		{"sessions reset main", "A new session begins in chat main."},
		{"agents", "nikki  primary  talks\nsasha           finds out\n"},
		{"pause", "Paused: errand makes no model calls until errand resume."},
		{"resume --json", `"paused": false`},
	} {
		got := f.Errand(t, strings.Fields(tt.args)...)
		assert.Equal(t, 0, got.Code, "%s: %s", tt.args, got.Err)
		assert.Contains(t, got.Out, tt.want)
	}
	assert.Equal(t, "state=pending&state=sending&state=unknown&state=blocked", f.Asked("GET", "/api/outbox")[0].Query)
	f.Errand(t, "sessions", "reset", "a b/c")
	assert.NotEmpty(t, f.Asked("POST", "/api/sessions/a b/c/reset"), "the name of a chat is one part of the path")
}

func TestExitCodes(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/tasks/{id}", 404, `{"type":"urn:errand:problem:not_found","title":"Not Found","status":404,"detail":"task \"t-9\": not found","error":{"code":"not_found","message":"task \"t-9\": not found"}}`)
	f.On("GET /api/agents", 200, "<html>nginx</html>")
	f.On("GET /api/usage", 404, `{"error":{"code":"not_found","message":"there is no GET /api/usage; /api/openapi.json lists what is there"}}`)
	for _, tt := range []struct {
		args string
		code int
		err  string
	}{
		{"--help", 0, ""},
		{"--version", 0, ""},
		{"tasks", 0, ""},
		{"usage", 1, "cannot do that: it has another version than this command"},
		{"tasks show t-9", 1, `errand: task "t-9": not found`},
		{"agents", 1, "is not this version of errand"},
		{"bogus", 2, `unknown command "bogus"`},
		{"tasks bogus", 2, `unknown command "bogus"`},
		{"channels add signal", 2, `unknown command "signal" for "errand channels add": there are telegram, discord, whatsapp; see`},
		{"tasks show", 2, "errand tasks show: an argument is missing"},
		{"delegate sasha", 2, "errand delegate: an argument is missing"},
		{"chat --nope", 2, "unknown flag"},
		{"outbox retry x", 2, "is not a delivery id, which is a number"},
		{"agents --server ftp://x", 2, "want an address like"},
		{"agents --server 127.0.0.1:1", 3, "errand does not answer at http://127.0.0.1:1: start it"},
	} {
		got := f.Errand(t, strings.Fields(tt.args)...)
		assert.Equal(t, tt.code, got.Code, "%s: %s", tt.args, got.Err)
		assert.Contains(t, got.Err, tt.err)
		assert.LessOrEqual(t, strings.Count(got.Err, "\n"), 1, "one line: %s", got.Err)
	}
}

func TestTokenAndPorts(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/agents", 200, "[]")
	f.Errand(t, "agents", "--token", "secret")
	assert.Equal(t, "Bearer secret", f.Asked("GET", "/api/agents")[0].Header.Get("Authorization"))
	for _, tt := range []struct {
		address string
		offset  int
		want    string
	}{
		{console.DefaultServer, 10, "http://127.0.0.1:8090"},
		{"localhost:9000/", 0, "http://localhost:9000"},
		{"https://errand.example", 0, "https://errand.example"},
		{"[::1]:8080", 1, "http://[::1]:8081"},
	} {
		got, err := console.ServerURL(tt.address, tt.offset)
		require.NoError(t, err)
		assert.Equal(t, tt.want, got)
	}
	for _, tt := range []struct{ args, server, want string }{
		{"--port-offset 10", "", "http://127.0.0.1:8090"},
		{"--port-offset 10", "127.0.0.1:9000", "http://127.0.0.1:9010"},
		{"--server 127.0.0.1:9000 --port-offset 10", "", "http://127.0.0.1:9000"},
		{"--port-offset 10 --server https://errand.example", "127.0.0.1:1", "https://errand.example"},
	} {
		c := &cli{Worker: &console.Worker{}, Console: console.Console{Getenv: clitest.Env(map[string]string{"ERRAND_SERVER": tt.server})}}
		require.NoError(t, c.root().PersistentFlags().Parse(strings.Fields(tt.args)))
		require.NoError(t, c.connect(), tt.args)
		assert.Equal(t, tt.want, c.Base, "%s, ERRAND_SERVER=%s", tt.args, tt.server)
	}
	_, err := console.ServerURL("https://errand.example", 3)
	assert.Error(t, err)

	var out bytes.Buffer
	f.On("GET /api/sessions", 401, `{"error":{"code":"token","message":"the token is missing or wrong"}}`)
	code := Run(t.Context(), []string{"sessions", "list", "--server", f.URL}, console.Console{Out: &out, Err: &out, Getenv: clitest.Env(nil)})
	assert.Equal(t, 1, code)
	assert.Contains(t, out.String(), "does not know who you are (there is no owner.key in ./data)")
}
