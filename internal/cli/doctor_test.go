package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/test/clitest"
)

func healthy(f *clitest.FakeWorker, ready string, about string) {
	f.Mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok\n") })
	f.Mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if ready != "" {
			http.Error(w, ready, http.StatusServiceUnavailable)
		}
	})
	f.On("GET /api/about", 200, about)
	f.On("GET /api/me", 200, `{"id":"p-2222aaaa","name":"Ann","role":"member","role_name":"colleague"}`)
}

func TestDoctor(t *testing.T) {
	for _, tt := range []struct {
		name, ready, about string
		code               int
		want               []string
	}{
		{"all is well", "", `{"version":"1"}`, 0, []string{"ok   worker", "ok   store", "ok   temporal", "ok   model         is configured", "ok   you           are Ann (p-2222aaaa), colleague"}},
		{"programs", "", `{"programs":"bubblewrap: python, shell"}`, 0, []string{"ok   programs      bubblewrap: python, shell"}},
		{"demonstration", "", `{"version":"1","demo":true}`, 0, []string{"the offline demonstration model answers", "OPENAI_API_KEY"}},
		{"paused", "", `{"paused":true}`, 1, []string{"BAD  model calls   are paused", "-> errand resume"}},
		{"too many tools", "", `{"version":"1","crowded":[{"agent":"nikki","tools":130,"most":128,"left_out":["zoo.a","zoo.b"]}]}`, 1,
			[]string{"BAD  agent nikki   has 130 tools, and 2 of them are left out: zoo.a, zoo.b", "-> its requests take 128 tools, and 256 kB", "under tools"}},
		{"no store", "store: errand.db is locked", `{}`, 1, []string{"BAD  store         store: errand.db is locked"}},
		{"no Temporal", "dial tcp: refused", `{}`, 1, []string{"ok   store", "BAD  temporal      dial tcp: refused", "TEMPORAL_ADDRESS"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newFake(t)
			healthy(f, tt.ready, tt.about)
			got := f.Errand(t, "doctor")
			assert.Equal(t, tt.code, got.Code)
			for _, want := range tt.want {
				assert.Contains(t, got.Out, want)
			}
			var list []check
			require.NoError(t, json.Unmarshal([]byte(f.Errand(t, "doctor", "--json").Out), &list))
			assert.NotEmpty(t, list)
		})
	}
}

// TestDoctorCallsTheModels proves that doctor says of each model what the worker
// says, and what is known where it may not have them called.
func TestDoctorCallsTheModels(t *testing.T) {
	known := `[{"model":"default","name":"gpt-5-mini","ok":false,"says":"The model provider rejected the API key."}]`
	f := newFake(t)
	healthy(f, "", `{"version":"1","models":`+known+`}`)
	got := f.Errand(t, "doctor")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Out, "BAD  model default gpt-5-mini: The model provider rejected the API key.")
	f.On("POST /api/models/check", 200, `[{"model":"default","name":"gpt-5-mini","ok":true,"says":"answers: calls tools, sees pictures","price":"$0.25/$2.00 per million tokens (price list of 2026-08)"},{"model":"small","name":"qwen3:8b","ok":false,"says":"The model server can't be reached."}]`)
	got = f.Errand(t, "doctor")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Out, "ok   model default gpt-5-mini answers: calls tools, sees pictures; $0.25/$2.00 per million tokens (price list of 2026-08)\n")
	assert.Contains(t, got.Out, "BAD  model small   qwen3:8b: The model server can't be reached.")
}

func TestDoctorWithoutAWorker(t *testing.T) {
	t.Chdir(t.TempDir())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	require.NoError(t, os.WriteFile("file", nil, 0o600))
	for _, tt := range []struct {
		name string
		vars map[string]string
		want string
	}{
		{"folder", map[string]string{"ERRAND_DATA": filepath.Join(t.TempDir(), "a", "b")}, "will be made in"},
		{"no folder", map[string]string{"ERRAND_DATA": "file"}, "file is not a folder"},
		{"port taken", map[string]string{"ERRAND_LISTEN": l.Addr().String()}, l.Addr().String() + " is in use by another program"},
		{"bad configuration", map[string]string{"ERRAND_LISTEN": "nonsense"}, "BAD  configuration"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.vars["ERRAND_SERVER"] = "127.0.0.1:1"
			var out bytes.Buffer
			code := Run(t.Context(), []string{"doctor"}, console.Console{Out: &out, Err: &out, Getenv: clitest.Env(tt.vars)})
			assert.Equal(t, 3, code)
			assert.Contains(t, out.String(), "BAD  worker        nothing answers at http://127.0.0.1:1")
			assert.Contains(t, out.String(), tt.want)
		})
	}
}

// TestDoctorNamesTwoPeopleOfOneID proves that an id that two people have is
// reported with both and with what mends it, and that an id of browsers is not.
func TestDoctorNamesTwoPeopleOfOneID(t *testing.T) {
	f := newFake(t)
	healthy(f, "", `{"version":"1"}`)
	f.On("GET /api/people", 200, `[
		{"id":"p-a","name":"Alice","identities":[{"channel":"whatsapp","account":"main","external_id":"15550001"},{"channel":"web","account":"local","external_id":"b"}]},
		{"id":"p-b","name":"Alice","identities":[{"channel":"whatsapp","account":"two","external_id":"15550001"},{"channel":"web","account":"local","external_id":"b"}]}]`)
	got := f.Errand(t, "doctor")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Out, "BAD  people        whatsapp 15550001 belongs to Alice (p-a) and also Alice (p-b)")
	assert.Contains(t, got.Out, "-> link it to one person: errand users link PERSON whatsapp 15550001")
	assert.NotContains(t, got.Out, "web")
}

// TestDoctorChecksRemoteAgents proves that doctor has a line for each agent of another system.
func TestDoctorChecksRemoteAgents(t *testing.T) {
	f := newFake(t)
	healthy(f, "", `{"version":"1"}`)
	f.On("POST /api/agents/check", 200, `[{"agent":"claude","ok":false,"says":"claude is not logged in on this machine as the user ann"},{"agent":"far","ok":true}]`)
	got := f.Errand(t, "doctor")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Out, "BAD  agent claude  claude is not logged in on this machine as the user ann")
	assert.Contains(t, got.Out, "-> check remote_agents in errand.yaml")
	assert.Contains(t, got.Out, "ok   agent far     accepts tasks")
}

// TestDoctorShowsBackups proves that a failed scheduled backup is bad, and says why.
func TestDoctorShowsBackups(t *testing.T) {
	made := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	good := checkBackup(api.BackupState{File: "b", Made: made})
	assert.True(t, good.OK)
	assert.Equal(t, "the latest is b, from 2026-11-29 12:00:00 UTC", good.Says)
	bad := checkBackup(api.BackupState{File: "b", Made: made, Problem: "the disk is full"})
	assert.False(t, bad.OK)
	assert.Contains(t, bad.Says, "the disk is full; the latest is b")
	assert.Equal(t, check{Name: "backup", OK: true, Says: "no backup has been written yet"}, checkBackup(api.BackupState{}), "the first one is not due yet")
}
