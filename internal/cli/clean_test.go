package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

func TestNoCommandLetsEscapesThrough(t *testing.T) {
	const evil = "\\u001b[2J\u009b2J\\u0007\u202e"
	plan := `{"agent":"` + evil + `","items":[{"text":"` + evil + `","state":"` + evil + `"}]}`
	task := `{"id":"t-2` + evil + `","state":"completed","agents":["` + evil + `"],"task":"` + evil + `","title":"` + evil + `","result":"` + evil + `","origin":{"chat":"` + evil + `"},"plans":[` + plan + `]}`
	f := newFake(t)
	f.On("GET /api/tasks", 200, "["+strings.Replace(task, "completed", "working", 1)+"]")
	f.On("GET /api/tasks/{id}", 200, task)
	f.On("POST /api/tasks", 201, task)
	f.On("POST /api/tasks/{id}/retry", 400, `{"error":{"code":"x","message":"`+evil+`"}}`)
	f.On("GET /api/outbox", 200, `[{"id":1,"state":"`+evil+`","text":"`+evil+`","error":"`+evil+`"}]`)
	f.On("GET /api/sessions", 200, `[{"id":"`+evil+`","agent":"`+evil+`","state":"x"}]`)
	f.On("GET /api/agents", 200, `[{"name":"`+evil+`","description":"`+evil+`"}]`)
	someone := `{"id":"p-1` + evil + `","name":"` + evil + `","role":"` + evil + `","language":"` + evil + `","last_agent":"` + evil + `","token":"` + evil + `",
		"identities":[{"channel":"` + evil + `","external_id":"` + evil + `","name":"x` + evil + `"}],"tokens":[{"id":"` + evil + `","name":"` + evil + `"}]}`
	talk := `{"id":"` + evil + `","agent":"` + evil + `","state":"` + evil + `","reason":"` + evil + `","person":"` + evil + `","plan":` + plan + `,"route":{"channel":"` + evil + `","chat":"` + evil + `"}}`
	reminder := `{"id":"` + evil + `","text":"` + evil + `","when":"` + evil + `","state":"` + evil + `","chat":"` + evil + `"}`
	f.On("GET /api/people", 200, "["+someone+"]")
	f.On("POST /api/people/{id}", 200, someone)
	f.On("POST /api/people/{id}/tokens", 200, someone)
	f.On("POST /api/people/{id}/identities", 200, someone)
	f.On("DELETE /api/people/{id}", 200, "{}")
	f.On("GET /api/pairings", 200, `[{"code":"`+evil+`","channel":"`+evil+`","external_id":"`+evil+`","name":"`+evil+`","state":"`+evil+`"}]`)
	f.On("POST /api/pairings/{code}/approve", 200, `{"person":`+someone+`}`)
	f.On("GET /api/refusals", 200, `[{"channel":"`+evil+`","external_id":"`+evil+`","name":"`+evil+`","reason":"`+evil+`"}]`)
	f.On("GET /api/sessions/search", 200, `[{"session_id":"`+evil+`","agent":"`+evil+`","speaker":"assistant","excerpt":"`+evil+`"}]`)
	f.On("GET /api/sessions/{id}", 200, `{"session":`+talk+`,"messages":[{"speaker":"assistant","agent":"`+evil+`","text":"`+evil+`"},{"speaker":"user","text":"`+evil+`"}]}`)
	f.On("GET /api/sessions/{id}/export", 200, `{"text":"`+evil+`"}`)
	f.On("DELETE /api/sessions/{id}", 200, `{"session_id":"`+evil+`","removed":{"`+evil+`":1}}`)
	f.On("GET /api/reminders", 200, "["+reminder+"]")
	f.On("POST /api/reminders", 200, reminder)
	f.On("DELETE /api/reminders/{id}", 200, reminder)
	f.On("GET /api/memory", 200, `[{"agent":"x`+evil+`","key":"k","value":"`+evil+`"}]`)
	f.On("GET /api/maintenance", 200, `[{"report":{"`+evil+`":"`+evil+`"}}]`)
	f.On("GET /api/usage", 200, `{"people":[{"person":"`+evil+`","agent":"`+evil+`","model":"`+evil+`"}]}`)
	f.Streams(clitest.Messages, []string{`{"type":"step","text":"` + evil + `"}`,
		`{"id":1,"type":"late","agent":"` + evil + `","task_id":"` + evil + `","text":"` + evil + `"}`,
		`{"id":2,"type":"error","text":"` + evil + `"}`, `{"id":2,"type":"question","text":"` + evil + `","options":["` + evil + `"]}`, `{"id":3,"type":"reply","agent":"x","text":"` + evil + `"}`})
	for _, args := range []string{"tasks list", "tasks show t-2", "tasks result t-2", "tasks retry t-2", "delegate a b", "delegate a b --wait",
		"outbox list", "sessions list", "agents", "chat hi", "users list", "users show p-1", "users role a b", "users language a b", "users remove p-1 --yes",
		"users token a", "users link a b c", "users pending", "users refused", "users approve a", "sessions list --person all", "sessions search a", "sessions show a",
		"sessions export a", "sessions delete a --yes", "reminders list", "reminders add a b", "reminders cancel a", "memory list", "memory show x k",
		"maintenance show", "usage"} {
		for _, flags := range []string{"", " --json"} {
			got := f.Errand(t, strings.Fields(args+flags)...)
			assert.NotContains(t, got.Out+got.Err, "\x1b", args)
			assert.False(t, strings.ContainsFunc(got.Out+got.Err, func(r rune) bool { return r != '\n' && console.Steers(r) }), "%s: %q", args+flags, got.Out+got.Err)
			assert.NotEmpty(t, got.Out+got.Err)
		}
	}
}
