package cli

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

const (
	sessionID   = "0b7e1c2d-1111-4222-8333-444455556666"
	sessionJSON = `{"id":"` + sessionID + `","route":{"channel":"web","chat":"main"},"person":"p-2222aaaa","agent":"nikki","state":"suspended","turns":4,
		"created":"2026-01-01T12:00:00Z","active":"2026-01-01T12:00:00Z"}`
)

func TestSessionsOfOthersAreNamed(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/people", 200, everybody)
	f.On("GET /api/sessions", 200, "["+sessionJSON+"]")
	assert.Equal(t, "ID        CHAT  CHANNEL  AGENT  STATE      TURNS  LAST\n0b7e1c2d  main  web      nikki  suspended  4      2026-01-01\n",
		f.Errand(t, "sessions", "list").Out)
	assert.Empty(t, f.Asked("GET", "/api/people"), "one's own need no names")
	got := f.Errand(t, "sessions", "list", "--person", "ann", "--channel", "web", "--agent", "nikki", "--state", "suspended", "--limit", "5")
	assert.Contains(t, got.Out, "2026-01-01  Ann\n")
	f.Errand(t, "sessions", "list", "--person", "all")
	asked := f.Asked("GET", "/api/sessions")
	assert.Equal(t, []string{"", "agent=nikki&channel=web&limit=5&person=p-2222aaaa&state=suspended", "person=%2A"},
		[]string{asked[0].Query, asked[1].Query, asked[2].Query})
}

func TestSessionIsShownWithItsTranscript(t *testing.T) {
	f := newFake(t)
	planned := strings.TrimSuffix(sessionJSON, "}") + `,"plan":{"agent":"nikki","turn":1,"items":[{"text":"look","state":"done"},{"text":"tell","state":"doing"}]}}`
	f.On("GET /api/sessions/{id}", 200, `{"version":1,"session":`+planned+`,"name":"Ann","messages":[
		{"turn":1,"speaker":"user","text":"trains?"},{"turn":1,"step":1,"speaker":"assistant","agent":"nikki","text":"","calls":[{"name":"call_agent"}]},
		{"turn":1,"step":1,"index":1,"speaker":"tool","text":"raw report"},{"turn":1,"step":2,"speaker":"assistant","agent":"nikki","text":"Two."}],
		"tasks":[{"id":"t-22222222","state":"completed","title":"compare trains"}]}`)
	got := f.Errand(t, "sessions", "show", "0b7e")
	assert.Equal(t, 0, got.Code, got.Err)
	for _, want := range []string{"session    " + sessionID + "\n", "person     Ann p-2222aaaa\n", "task       t-22222222, completed, compare trains\n", "\nplan of nikki\n✔ look\n▸ tell\n",
		"\nAnn: trains?\n\nNikki: Two.\n"} {
		assert.Contains(t, got.Out, want)
	}
	assert.NotContains(t, got.Out, "raw report", "what tools answered is in the export")
}

func TestSearch(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions/search", 200, `[{"session_id":"`+sessionID+`","turn":3,"agent":"nikki","speaker":"assistant","excerpt":"… two night trains …","created":"2026-01-01T12:00:00Z"},
		{"session_id":"`+sessionID+`","turn":4,"speaker":"user","excerpt":"night","created":"2026-01-01T12:00:00Z"}]`)
	got := f.Errand(t, "sessions", "search", "night", "train's", "&")
	assert.Equal(t, "0b7e1c2d, turn 3, Nikki, 2026-01-01\n  … two night trains …\n\n0b7e1c2d, turn 4, the person, 2026-01-01\n  night\n", got.Out)
	assert.Equal(t, "q=night+train%27s+%26", f.Asked("GET", "/api/sessions/search")[0].Query)
}

func TestExport(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions/{id}/export", 200, "# Chat main\n\nesc \x1b[2J\n\n")
	file := filepath.Join(t.TempDir(), "oslo.md")
	assert.Equal(t, clitest.Result{Code: 0, Out: "# Chat main\n\nesc ␛[2J\n"}, f.Errand(t, "sessions", "export", "0b7e"))
	got := f.Errand(t, "sessions", "export", "0b7e", "-o", file)
	assert.Equal(t, "", got.Out)
	assert.Contains(t, got.Err, "Written to "+file)
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "# Chat main\n\nesc ␛[2J\n", string(raw))
	info, err := os.Stat(file)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "what people said is nobody else's")
	assert.Equal(t, 2, f.Errand(t, "sessions", "export", "0b7e", "--format", "pdf").Code)
	f.Errand(t, "sessions", "export", "0b7e", "--json")
	asked := f.Asked("GET", "/api/sessions/0b7e/export")
	assert.Equal(t, "format=json", asked[len(asked)-1].Query)
}

func TestDeleteSaysWhatItRemovedAndAsksOnATerminal(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions/0b7e", 200, `{"version":1,"session":`+sessionJSON+`}`)
	f.On("DELETE /api/sessions/{id}", 200, `{"session_id":"`+sessionID+`","removed":{"messages":12,"tasks":0,"inbox_rows":3}}`)
	want := "Session " + sessionID + " is deleted: inbox rows 3, messages 12.\n"
	assert.Equal(t, clitest.Result{Code: 0, Out: want}, f.Errand(t, "sessions", "delete", "0b7e", "--force", "--yes"))
	assert.Equal(t, "force=true", f.Asked("DELETE", "/api/sessions/0b7e")[0].Query)
	for _, tt := range []struct {
		typed string
		flags []string
		code  int
		out   string
	}{
		{"y\n", nil, 0, want}, {"YES\n", nil, 0, want}, {"\n", nil, 1, ""}, {"nope\n", nil, 1, ""}, {"", nil, 1, ""}, {"", []string{"--yes"}, 0, want},
	} {
		before := len(f.Asked("DELETE", "/api/sessions/"+sessionID)) + len(f.Asked("DELETE", "/api/sessions/0b7e"))
		got := f.AtTerminal(t, tt.typed, append([]string{"sessions", "delete", "0b7e"}, tt.flags...)...)
		assert.Equal(t, tt.code, got.Code, tt.typed)
		assert.Equal(t, tt.out, got.Out)
		after := len(f.Asked("DELETE", "/api/sessions/"+sessionID)) + len(f.Asked("DELETE", "/api/sessions/0b7e"))
		assert.Equal(t, tt.code == 0, after > before, "%q deletes", tt.typed)
		if tt.flags == nil {
			assert.Contains(t, got.Err, "Delete session 0b7e1c2d permanently: web main, 4 turns, last 2026-01-01? [y/N]")
		}
	}
}

// atTerminal runs a command for somebody who types.

// TestNothingIsRemovedUnasked proves that what cannot be undone is not done where
// nobody can be asked and nobody has said yes.
func TestNothingIsRemovedUnasked(t *testing.T) {
	f := newFake(t)
	for _, args := range [][]string{{"sessions", "delete", "0b7e"}, {"sessions", "delete", "0b7e", "--force"}, {"users", "remove", "ann"}} {
		got := f.Errand(t, args...)
		assert.Equal(t, clitest.Result{Code: 2, Err: "errand: This can't be undone. Add --yes to confirm.\n"}, got)
	}
	assert.Empty(t, f.Requests)
}

func TestASessionWithTasksAtWorkIsDeletedByForce(t *testing.T) {
	f := newFake(t)
	f.On("DELETE /api/sessions/{id}", 409, `{"error":{"code":"open_tasks","message":"1 tasks are at work; cancel them, or delete it by force"}}`)
	assert.Equal(t, clitest.Result{Code: 1, Err: "errand: 1 tasks are at work; cancel them, or delete it by force (--force)\n"}, f.Errand(t, "sessions", "delete", "0b7e", "--yes"))
}

func TestCtrlCEndsTheQuestion(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/sessions/0b7e", 200, `{"session":`+sessionJSON+`}`)
	keys, _ := io.Pipe() // nobody types
	ctx, cancel := context.WithCancel(t.Context())
	errOut, done := clitest.NewOutput(), make(chan int)
	go func() {
		done <- Run(ctx, []string{"sessions", "delete", "0b7e"}, console.Console{In: keys, Out: io.Discard, Err: errOut, InTTY: true,
			Getenv: clitest.Env(map[string]string{"ERRAND_SERVER": f.URL})})
	}()
	errOut.Await(t, 0, "[y/N]")
	cancel()
	assert.Equal(t, 1, <-done)
	assert.Empty(t, f.Asked("DELETE", "/api/sessions/"+sessionID))
}

func TestReminders(t *testing.T) {
	f := newFake(t)
	next := time.Now().Add(50 * time.Hour)
	r := `{"id":"r-2222aaaa","text":"call Ann","when":"every Monday 08:00","next":"` + next.Format(time.RFC3339) + `","state":"active","times":2,"agent":"nikki","chat":"main","person":"owner"}`
	f.On("GET /api/reminders", 200, "["+r+`,{"id":"r-3333bbbb","text":"tea","when":"once","state":"done","last":"2020-01-01T12:00:00Z"}]`)
	f.On("POST /api/reminders", 201, r)
	f.On("DELETE /api/reminders/r-2", 200, r)
	at := next.Local().Format("Mon 2 Jan 2006 15:04")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"reminders", "list", "--all"}, "r-2222aaaa active " + (&console.Console{Began: time.Now()}).Brief(next) + " main every Monday 08:00 call Ann"},
		{[]string{"reminders", "list", "--all"}, "r-3333bbbb done " + (&console.Console{Began: time.Now()}).Brief(time.Date(2020, 1, 1, 12, 0, 0, 0, time.UTC)) + " - once tea"},
		{[]string{"reminders", "add", "every Monday 08:00", "call", "Ann"}, "r-2222aaaa: every Monday 08:00. Next by the clock here: " + at + " " + next.Local().Format("MST") + " (in 2 d), in chat main."},
		{[]string{"reminders", "cancel", "r-2"}, "Reminder r-2222aaaa is canceled."},
	} {
		got := f.Errand(t, tt.args...)
		assert.Equal(t, 0, got.Code, "%s: %s", tt.args, got.Err)
		assert.Contains(t, strings.Join(strings.Fields(got.Out), " "), tt.want, "widths of columns depend on the date")
	}
	assert.JSONEq(t, `{"chat":"main","when":"every Monday 08:00","text":"call Ann"}`, f.Asked("POST", "/api/reminders")[0].Body)
	assert.Equal(t, "all=true", f.Asked("GET", "/api/reminders")[0].Query)
}

func TestMemory(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/memory", 200, `[{"person":"p-2222aaaa","agent":"nikki","key":"home/city","value":"Oslo,\nNorway","updated":"2026-01-01T12:00:00Z"},
		{"agent":"nikki","key":"home/city2","value":"Rome","updated":"2026-01-01T12:00:00Z","expires":"2026-01-02T12:00:00Z"}]`)
	f.On("DELETE /api/memory/{agent}/{key}", 200, `{}`)
	f.On("GET /api/people", 200, everybody)
	for _, tt := range []struct{ args, want string }{
		{"memory list --person all", "Oslo, Norway  Ann\n"},
		{"memory list --agent Nikki", "nikki  home/city   2026-01-01  -           Oslo, Norway\n"},
		{"memory show nikki home/city", "key        home/city\nupdated    2026-01-01\n\nOslo,\nNorway\n"},
		{"memory forget Nikki home/city", "Nikki has forgotten home/city.\n"},
	} {
		got := f.Errand(t, strings.Fields(tt.args)...)
		assert.Equal(t, 0, got.Code, "%s: %s", tt.args, got.Err)
		assert.Contains(t, got.Out, tt.want)
	}
	assert.Equal(t, "agent=nikki&prefix=home%2Fcity", f.Asked("GET", "/api/memory")[2].Query)
	assert.NotEmpty(t, f.Asked("DELETE", "/api/memory/Nikki/home/city"), "a key is one part of the path")
	assert.Equal(t, 1, f.Errand(t, "memory", "show", "nikki", "home").Code, "the beginning of a key is not the key")
	var one map[string]any
	require.NoError(t, json.Unmarshal([]byte(f.Errand(t, "memory", "show", "nikki", "home/city", "--json").Out), &one))
	assert.Equal(t, "Oslo,\nNorway", one["value"])
}

func TestMaintenanceAndUsage(t *testing.T) {
	f := newFake(t)
	f.On("GET /api/maintenance", 200, `[{"id":"m-2","started":"2026-01-02T03:00:00Z","report":{}},
		{"id":"m-1","started":"2026-01-01T03:00:00Z","finished":"2026-01-01T03:00:04Z","report":{"sessions_ended":3,"messages":120,"memory":0}}]`)
	f.On("POST /api/maintenance/run", 202, `{"started":true}`)
	f.On("GET /api/usage", 200, `{"from":"2026-01-01T12:00:00Z","people":[{"person":"p-2222aaaa","agent":"nikki","model":"gpt-5-mini","calls":3,"input_tokens":1200,"cached_tokens":900,"output_tokens":80,"cost":0.0123}],
		"total":{"calls":3,"input_tokens":1200,"output_tokens":80,"cost":0.0123}}`)
	for _, tt := range []struct{ args, want string }{
		{"maintenance show", "4s       messages 120, sessions ended 3\n"},
		{"maintenance show", "running\n"},
		{"maintenance run", "A clean-up has started"},
		{"usage --days 7", "p-2222aaaa  nikki  gpt-5-mini  3      1200       900     80   $0.01\n"},
	} {
		got := f.Errand(t, strings.Fields(tt.args)...)
		assert.Equal(t, 0, got.Code, "%s: %s", tt.args, got.Err)
		assert.Contains(t, got.Out, tt.want)
	}
	f.On("GET /api/people", 200, everybody)
	assert.Contains(t, f.Errand(t, "usage", "--person", "all").Out, "Ann     nikki")
	assert.Equal(t, "days=7", f.Asked("GET", "/api/usage")[0].Query)
}
