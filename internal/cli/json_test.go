package cli

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestJSONKeepsWhatANewerWorkerSays proves that --json prints all that the worker has
// answered: also what the types of this version have no place for.
func TestJSONKeepsWhatANewerWorkerSays(t *testing.T) {
	const future = `,"future":{"of":["a",1.5]}}`
	row := func(about string) string { return "{" + about + future }
	person := row(`"id":"p-2222aaaa","name":"Ann","role":"member"`)
	task := row(`"id":"t-22222222","state":"working","agents":["sasha"]`)
	note := row(`"agent":"nikki","key":"seat","value":"aisle"`)
	tests := []struct{ args, asks, answer, want string }{
		{"agents", "GET /api/agents", "[" + row(`"name":"nikki"`) + "]", ""},
		{"channels list", "GET /api/channels", "[" + row(`"channel":"telegram","account":"main"`) + "]", ""},
		{"tasks list --all", "GET /api/tasks", "[" + task + "]", ""},
		{"tasks list", "GET /api/tasks", "[" + row(`"id":"t-3","state":"completed","finished":"2026-01-01T12:00:00Z"`) + "," + task + "]", "[" + task + "]"},
		{"tasks show t-2", "GET /api/tasks/{id}", task, ""},
		{"tasks steer t-2 go", "POST /api/tasks/{id}/steer", task, ""},
		{"delegate sasha go", "POST /api/tasks", task, ""},
		{"sessions list", "GET /api/sessions", "[" + row(`"id":"s-1"`) + "]", ""},
		{"sessions show s-1", "GET /api/sessions/{id}", row(`"session":{"id":"s-1"}`), ""},
		{"sessions reset main", "POST /api/sessions/{chat}/reset", row(`"session_id":"s-2"`), ""},
		{"sessions delete s-1 --yes", "DELETE /api/sessions/{id}", row(`"session_id":"s-1"`), ""},
		{"users show ann", "GET /api/people", "[" + person + "]", person},
		{"users role ann member", "POST /api/people/{id}", person, ""},
		{"users revoke k-1", "DELETE /api/tokens/{id}", row(`"id":"k-1"`), ""},
		{"tokens add", "POST /api/me/tokens", row(`"id":"k-1","token":"x"`), ""},
		{"memory show nikki seat", "GET /api/memory", "[" + row(`"key":"seats"`) + "," + note + "]", note},
		{"memory forget nikki seat", "DELETE /api/memory/{agent}/{key}", note, ""},
		{"questions show q-1", "GET /api/questions/{id}", row(`"id":"q-1"`), ""},
		{"files put s-1 paths_test.go", "PUT /api/files/{of}/content", row(`"path":"a","version":1`), ""},
		{"outbox retry 7", "POST /api/outbox/{id}/retry", row(`"id":7`), ""},
		{"mcp try files read", "POST /api/mcp/{server}/try", row(`"text":"x"`), ""},
		{"pause", "POST /api/pause", row(`"paused":true`), ""},
	}
	for _, tt := range tests {
		f := newFake(t)
		f.On(tt.asks, http.StatusOK, tt.answer)
		got := f.Errand(t, append([]string{"--json"}, strings.Fields(tt.args)...)...)
		assert.Equal(t, 0, got.Code, "%s: %s", tt.args, got.Err)
		want := tt.want
		if want == "" {
			want = tt.answer
		}
		assert.JSONEq(t, want, got.Out, tt.args)
	}
}

// TestExportKeepsWhatANewerWorkerSays proves the same of files.
func TestExportKeepsWhatANewerWorkerSays(t *testing.T) {
	const session, export = `{"id":"s-1","active":"2026-01-01T12:00:00Z","future":1}`, `{"session":{"id":"s-1"},"future":[2]}`
	f := newFake(t)
	f.On("GET /api/sessions", http.StatusOK, "["+session+"]")
	f.On("GET /api/sessions/{id}/export", http.StatusOK, export)
	dir := t.TempDir()
	got := f.Errand(t, "sessions", "export", "--all", dir)
	require.Equal(t, 0, got.Code, got.Err)
	index, err := os.ReadFile(filepath.Join(dir, "sessions.json"))
	require.NoError(t, err)
	var rows []fileOf
	require.NoError(t, json.Unmarshal(index, &rows))
	require.Len(t, rows, 1)
	assert.JSONEq(t, session, string(rows[0].Session))
	file, err := os.ReadFile(filepath.Join(dir, rows[0].File))
	require.NoError(t, err)
	assert.JSONEq(t, export, string(file))
}
