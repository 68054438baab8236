package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/config"
	"errand/internal/test/clitest"
)

// TestConfigCheck proves that what is wrong with a file is said as the start says it, all
// at once and with its line, and that nothing is started or left behind.
func TestConfigCheck(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }

	assert.Equal(t, clitest.Result{Out: "There is no errand.yaml here: errand uses its defaults.\n"}, alone(t, "config", "check"))

	write("errand.yaml", "sessions:\n  bussy: steer\nslots: {turns: 0}\n")
	want := clitest.Result{Code: 1, Err: "errand.yaml:2: sessions: unknown key \"bussy\" (did you mean \"busy\"?)\nerrand.yaml:3: slots.turns: 0 is not between 1 and 10000\n"}
	got := alone(t, "config", "check")
	assert.Equal(t, want.Code, got.Code)
	assert.Equal(t, want.Err, got.Err)
	assert.Equal(t, got.Err, alone(t, "serve").Err, "as the start says it")

	got = alone(t, "config", "check", "--json")
	assert.Equal(t, 1, got.Code)
	assert.Empty(t, got.Err)
	var faults []map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.Out), &faults), got.Out)
	require.Len(t, faults, 2)
	assert.Equal(t, map[string]any{"file": "errand.yaml", "line": 3.0, "text": "slots.turns: 0 is not between 1 and 10000"}, faults[1])

	write("other.yaml", "models:\n  default: {name: some, base_url: \"http://127.0.0.1:1/v1\", api_key_env: NO_SUCH_KEY}\n")
	assert.Contains(t, alone(t, "config", "check", "other.yaml").Err, "other.yaml:2: model \"default\": api_key_env: the environment variable NO_SUCH_KEY is not set")
	assert.Equal(t, clitest.Result{Out: "other.yaml is fine: 4 agents, 1 model, 0 accounts of channels.\n"}, alone(t, "config", "check", "other.yaml", "--keyless"))
	assert.Equal(t, clitest.Result{Out: "[]\n"}, alone(t, "config", "check", "other.yaml", "--keyless", "--json"))
	write("other.yaml", "approvals: {call_agent: always}\n")
	assert.Contains(t, alone(t, "config", "check", "other.yaml").Err, "other.yaml:1: approvals.call_agent: cannot need an approval")
	assert.Equal(t, 1, alone(t, "config", "check", "none.yaml").Code)
	assert.Equal(t, 2, alone(t, "config", "check", "a.yaml", "b.yaml").Code)

	left, err := filepath.Glob("*")
	require.NoError(t, err)
	assert.Equal(t, []string{"errand.yaml", "other.yaml"}, left)
}

// TestConfigSchema proves that what editors are given is the schema, and nothing else.
func TestConfigSchema(t *testing.T) {
	assert.Equal(t, clitest.Result{Out: config.Schema()}, alone(t, "config", "schema"))
	assert.True(t, json.Valid([]byte(config.Schema())))
}
