package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli/console"
	"errand/internal/test/clitest"

	"errand/internal/ownerkey"
)

// TestWhoTheStarterIs proves what a command shows the worker: what the environment
// says, or else the key of the worker's data folder; and that the key is shown to
// this machine and to the worker of errand.yaml, and to nobody else.
func TestWhoTheStarterIs(t *testing.T) {
	t.Chdir(t.TempDir())
	key, err := ownerkey.Ensure(makeFolder(t, "data"))
	require.NoError(t, err)
	other, err := ownerkey.Ensure(makeFolder(t, "elsewhere"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("key.secret", []byte("k\n"), 0o400))
	for _, tt := range []struct {
		name string
		args string
		env  map[string]string
		yaml string
		want string
	}{
		{"in the folder of the worker", "", nil, "", key},
		{"with a data folder", "--data elsewhere", nil, "", other},
		{"with that of the environment", "", map[string]string{"ERRAND_DATA": "elsewhere"}, "", other},
		{"with that of errand.yaml", "", nil, "data: elsewhere\n", other},
		{"with a file that is wrong", "", map[string]string{"ERRAND_DATA": "elsewhere"}, "primary: [\n", other},
		{"a folder without a key", "--data nothing", nil, "", ""},
		{"the key of the environment", "", map[string]string{"ERRAND_KEY": "k"}, "", "k"},
		{"the file that the environment names, as in a container", "", map[string]string{"ERRAND_KEY_FILE": "key.secret"}, "", "k"},
		{"a token", "", map[string]string{"ERRAND_KEY": "k", "ERRAND_TOKEN": "t"}, "", "t"},
		{"a token of the command line", "--token x", map[string]string{"ERRAND_TOKEN": "t"}, "", "x"},
		{"another machine", "--server http://192.0.2.7:8080", nil, "", ""},
		{"a name that only begins like this machine", "--server http://127.0.0.1.example.org", nil, "", ""},
		{"another machine, with the key in the environment", "--server http://192.0.2.7:8080", map[string]string{"ERRAND_KEY": "k"}, "", "k"},
		{"the public address of errand.yaml", "--server https://errand.example.org/", nil, "public_url: https://errand.example.org\n", key},
		{"the same without TLS", "--server http://errand.example.org", nil, "public_url: https://errand.example.org\n", ""},
		{"the address that it listens on", "--server http://192.0.2.7:8080", nil, "listen: 192.0.2.7:8080\n", key},
		{"another port of it", "--server http://192.0.2.7:8081", nil, "listen: 192.0.2.7:8080\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, os.WriteFile("errand.yaml", []byte(tt.yaml), 0o600))
			c := &cli{Worker: &console.Worker{}, Console: console.Console{Getenv: clitest.Env(tt.env), Out: new(bytes.Buffer), Err: new(bytes.Buffer)}}
			require.NoError(t, c.root().PersistentFlags().Parse(strings.Fields(tt.args)))
			require.NoError(t, c.connect())
			assert.Equal(t, tt.want, c.Worker.Token)
		})
	}
	require.NoError(t, os.Remove("errand.yaml"))
	require.NoError(t, os.Chmod(filepath.Join("data", ownerkey.File), 0o644))
	f := newFake(t)
	f.On("GET /api/agents", 401, `{"error":{"code":"token","message":"no"}}`)
	got := f.Errand(t, "agents")
	assert.Contains(t, got.Err, "chmod 600", "why there is no key is said")
	got = f.Errand(t, "agents", "--data", "elsewhere")
	assert.Contains(t, got.Err, "refuses the key in elsewhere")
	assert.NotContains(t, got.Err, other)
}

func makeFolder(t *testing.T, name string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(name, 0o700))
	return name
}

// TestOpen proves that the link is what is printed, for people, for scripts, and at
// the address where people reach errand.
func TestOpen(t *testing.T) {
	f := newFake(t)
	f.On("POST /api/me/link", 201, `{"path":"/open#errand_x","expires":"2026-01-01T12:00:00Z","public_url":""}`)
	got := f.Errand(t, "open")
	assert.Equal(t, f.URL+"/open#errand_x\n", got.Out)
	assert.Contains(t, got.Err, "once, until ")
	assert.JSONEq(t, `{"expires":"2026-01-01T12:00:00Z","url":"`+f.URL+`/open#errand_x"}`, f.Errand(t, "open", "--json").Out)
	f = newFake(t)
	f.On("POST /api/me/link", 201, `{"path":"/open#errand_x","expires":"2026-01-01T12:00:00Z","public_url":"https://errand.example.org"}`)
	assert.Equal(t, "https://errand.example.org/open#errand_x\n", f.Errand(t, "open").Out)
	f = newFake(t)
	f.On("POST /api/me/link", 201, `{"path":"/open#errand_x","expires":"2026-01-01T12:00:00Z","addresses":["http://box:8080","http://192.0.2.7:8080"]}`)
	got = f.Errand(t, "open")
	assert.Equal(t, f.URL+"/open#errand_x\n", got.Out, "one link for a script")
	assert.Contains(t, got.Err, "From another machine:\n  http://box:8080/open#errand_x\n  http://192.0.2.7:8080/open#errand_x\n")
	assert.JSONEq(t, `{"expires":"2026-01-01T12:00:00Z","url":"`+f.URL+`/open#errand_x","others":["http://box:8080/open#errand_x","http://192.0.2.7:8080/open#errand_x"]}`,
		f.Errand(t, "open", "--json").Out)
}
