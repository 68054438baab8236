package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"errand/internal/printable"
)

func TestNoCommandLetsEscapesThrough(t *testing.T) {
	const evil = "\\u001b[2J\u009b2J\\u0007\u202e"
	task := `{"id":"t-2` + evil + `","state":"completed","agents":["` + evil + `"],"task":"` + evil + `","title":"` + evil + `","result":"` + evil + `","origin":{"chat":"` + evil + `"}}`
	f := newFake(t)
	f.on("GET /api/tasks", 200, "["+strings.Replace(task, "completed", "working", 1)+"]")
	f.on("GET /api/tasks/{id}", 200, task)
	f.on("POST /api/tasks", 201, task)
	f.on("POST /api/tasks/{id}/retry", 400, `{"error":{"code":"x","message":"`+evil+`"}}`)
	f.on("GET /api/outbox", 200, `[{"id":1,"state":"`+evil+`","text":"`+evil+`","error":"`+evil+`"}]`)
	f.on("GET /api/sessions", 200, `[{"id":"`+evil+`","agent":"`+evil+`","state":"x"}]`)
	f.on("GET /api/agents", 200, `[{"name":"`+evil+`","description":"`+evil+`"}]`)
	someone := `{"id":"p-1` + evil + `","name":"` + evil + `","role":"` + evil + `","language":"` + evil + `","last_agent":"` + evil + `","token":"` + evil + `",
		"identities":[{"channel":"` + evil + `","external_id":"` + evil + `","name":"x` + evil + `"}],"tokens":[{"id":"` + evil + `","name":"` + evil + `"}]}`
	talk := `{"id":"` + evil + `","agent":"` + evil + `","state":"` + evil + `","reason":"` + evil + `","person":"` + evil + `","route":{"channel":"` + evil + `","chat":"` + evil + `"}}`
	reminder := `{"id":"` + evil + `","text":"` + evil + `","when":"` + evil + `","state":"` + evil + `","chat":"` + evil + `"}`
	f.on("GET /api/people", 200, "["+someone+"]")
	f.on("POST /api/people/{id}", 200, someone)
	f.on("POST /api/people/{id}/tokens", 200, someone)
	f.on("POST /api/people/{id}/identities", 200, someone)
	f.on("DELETE /api/people/{id}", 200, "{}")
	f.on("GET /api/pairings", 200, `[{"code":"`+evil+`","channel":"`+evil+`","external_id":"`+evil+`","name":"`+evil+`","state":"`+evil+`"}]`)
	f.on("POST /api/pairings/{code}/approve", 200, `{"person":`+someone+`}`)
	f.on("GET /api/refusals", 200, `[{"channel":"`+evil+`","external_id":"`+evil+`","name":"`+evil+`","reason":"`+evil+`"}]`)
	f.on("GET /api/sessions/search", 200, `[{"session_id":"`+evil+`","agent":"`+evil+`","speaker":"assistant","excerpt":"`+evil+`"}]`)
	f.on("GET /api/sessions/{id}", 200, `{"session":`+talk+`,"messages":[{"speaker":"assistant","agent":"`+evil+`","text":"`+evil+`"},{"speaker":"user","text":"`+evil+`"}]}`)
	f.on("GET /api/sessions/{id}/export", 200, `{"text":"`+evil+`"}`)
	f.on("DELETE /api/sessions/{id}", 200, `{"session_id":"`+evil+`","removed":{"`+evil+`":1}}`)
	f.on("GET /api/reminders", 200, "["+reminder+"]")
	f.on("POST /api/reminders", 200, reminder)
	f.on("DELETE /api/reminders/{id}", 200, reminder)
	f.on("GET /api/memory", 200, `[{"agent":"x`+evil+`","key":"k","value":"`+evil+`"}]`)
	f.on("GET /api/maintenance", 200, `[{"report":{"`+evil+`":"`+evil+`"}}]`)
	f.on("GET /api/usage", 200, `{"people":[{"person":"`+evil+`","agent":"`+evil+`","model":"`+evil+`"}]}`)
	f.streams(messages, []string{`{"type":"step","text":"` + evil + `"}`,
		`{"id":1,"type":"late","agent":"` + evil + `","task_id":"` + evil + `","text":"` + evil + `"}`,
		`{"id":2,"type":"error","text":"` + evil + `"}`, `{"id":2,"type":"question","text":"` + evil + `","options":["` + evil + `"]}`, `{"id":3,"type":"reply","agent":"x","text":"` + evil + `"}`})
	for _, args := range []string{"tasks list", "tasks show t-2", "tasks result t-2", "tasks retry t-2", "delegate a b", "delegate a b --wait",
		"outbox list", "sessions list", "agents", "chat hi", "users list", "users show p-1", "users role a b", "users language a b", "users remove p-1 --yes",
		"users token a", "users link a b c", "users pending", "users refused", "users approve a", "sessions list --person all", "sessions search a", "sessions show a",
		"sessions export a", "sessions delete a --yes", "reminders list", "reminders add a b", "reminders cancel a", "memory list", "memory show x k",
		"maintenance show", "usage"} {
		for _, flags := range []string{"", " --json"} {
			got := f.errand(t, strings.Fields(args+flags)...)
			assert.NotContains(t, got.out+got.err, "\x1b", args)
			assert.False(t, strings.ContainsFunc(got.out+got.err, func(r rune) bool { return r != '\n' && printable.Steers(r) }), "%s: %q", args+flags, got.out+got.err)
			assert.NotEmpty(t, got.out+got.err)
		}
	}
}

func TestTableIsAlignedByWhatIsSeen(t *testing.T) {
	table := table{head: []string{"A", "B"}}
	table.add("漢字", "wide")
	table.add("é", "a very long text that goes on")
	var b strings.Builder
	table.write(&b, false, 24)
	assert.Equal(t, "A     B\n漢字  wide\né     a very long text…\n", b.String())
}

// TestTablesFitTheTerminal proves that what is named by its id can be named, and
// that no row is wider than the terminal, whatever is in it.
func TestTablesFitTheTerminal(t *testing.T) {
	long := strings.Repeat("漢字 wide words ", 20)
	tab := table{head: []string{"ID", "NAME", "CHANNEL", "STATE", "TEXT"}, loose: []int{4}}
	tab.add("p-2222aaaa", long, "discord", "suspended", long)
	tab.add("p-3333bbbb", "Bo", "web", "active", "short")
	var b strings.Builder
	tab.write(&b, false, 80)
	for row := range strings.Lines(b.String()) {
		assert.LessOrEqual(t, columns(strings.TrimRight(row, "\n")), 80, row)
	}
	assert.Contains(t, b.String(), "p-2222aaaa  漢字 wide words 漢字 wide words 漢字 wi…  discord  suspended  漢字…\n", "free text goes first")
	assert.Contains(t, b.String(), "  discord  suspended  ", "what is narrow is not cut")
	b.Reset()
	ids := table{head: []string{"ID", "NAME"}}
	ids.add("0b7e1c2d-1111-4222-8333-444455556666", "short name")
	ids.write(&b, false, 40)
	assert.Contains(t, b.String(), "0b7e1c2d-1111-4222-8333-444455556666  short…\n")
	b.Reset()
	tab.write(&b, false, 0)
	assert.Contains(t, b.String(), strings.TrimSpace(long), "a script gets all of it")
}

func TestTimes(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.Local)
	for want, d := range map[string]time.Duration{
		"just now": time.Second, "30 s ago": 30 * time.Second, "5 min ago": 5 * time.Minute, "23 h ago": 23*time.Hour + 59*time.Minute,
		"3 d ago": 75 * time.Hour, "2026-01-01": 30 * 24 * time.Hour,
	} {
		assert.Equal(t, want, ago(now.Add(-d), now))
	}
	assert.Equal(t, "-", ago(time.Time{}, now))
	for want, d := range map[string]time.Duration{"in 30 s": 30 * time.Second, "in 5 min": 5*time.Minute + time.Second, "in 26 h": 26*time.Hour + time.Minute,
		"in 3 d": 75 * time.Hour, "2026-03-02": 30 * 24 * time.Hour, "5 min ago": -5 * time.Minute} {
		assert.Equal(t, want, ahead(now.Add(d), now))
	}
	assert.Equal(t, "-", ahead(time.Time{}, now))
	assert.Equal(t, "12s", lasted(12*time.Second))
	assert.Equal(t, "2m05s", lasted(125*time.Second))
}

func TestColoursOnlyOnATerminalThatWantsThem(t *testing.T) {
	con := console{getenv: env(nil)}
	assert.True(t, con.colours(true))
	assert.False(t, con.colours(false))
	assert.False(t, console{getenv: env(map[string]string{"NO_COLOR": "1"})}.colours(true))
	assert.False(t, console{getenv: env(map[string]string{"TERM": "dumb"})}.colours(true))
}

func TestFlowBreaksAtSpaces(t *testing.T) {
	var f flow
	var rows []string
	for _, piece := range []string{"Nikki: on", "e two th", "ree\nfour ", "donaudampfschiff"} {
		rows = append(rows, f.add(piece, 12)...)
	}
	assert.Equal(t, []string{"Nikki: one", "two three", "four", "donaudampfsc"}, rows)
	assert.Equal(t, "hiff", f.pending)
}
