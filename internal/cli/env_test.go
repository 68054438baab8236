package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.temporal.io/sdk/contrib/envconfig"

	"errand/internal/ownerkey"
	"errand/internal/temporal/devserver"
)

// What a shell makes of the lines lets Temporal's own programs in: they read the
// variables by this package.
func TestEnvIsWhatTemporalReads(t *testing.T) {
	dir := t.TempDir()
	key, err := ownerkey.Ensure(dir)
	require.NoError(t, err)
	f := newFake(t)
	got := f.Errand(t, "env", "--data", dir, "--port-offset", "20")
	require.Equal(t, 0, got.Code, got.Err)

	shell := exec.CommandContext(t.Context(), "sh", "-c", `eval "$1" && env`, "sh", got.Out)
	shell.Env = []string{"PATH=/usr/bin:/bin", "TEMPORAL_TLS=true", "TEMPORAL_ADDRESS=elsewhere:7233"} // what was set before
	out, err := shell.Output()
	require.NoError(t, err)
	env := environment{}
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		env[name] = value
	}
	profile, err := envconfig.LoadClientConfigProfile(envconfig.LoadClientConfigProfileOptions{DisableFile: true, EnvLookup: env})
	require.NoError(t, err)
	opts, err := profile.ToClientOptions(envconfig.ToClientOptionsRequest{})
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.1:7253", opts.HostPort)
	assert.Equal(t, devserver.DefaultNamespace, opts.Namespace)
	assert.Equal(t, key, profile.APIKey)
	assert.NotNil(t, opts.Credentials)
	assert.True(t, opts.ConnectionOptions.TLSDisabled, "a key turns TLS on unless it is off")
}

type environment map[string]string

func (e environment) LookupEnv(name string) (string, bool) { v, ok := e[name]; return v, ok }

func (e environment) Environ() []string {
	var all []string
	for name, value := range e {
		all = append(all, name+"="+value)
	}
	return all
}

func TestEnvSaysWhereTheKeyIsMissing(t *testing.T) {
	f := newFake(t)
	got := f.Errand(t, "env", "--data", "/nowhere")
	assert.Equal(t, 1, got.Code)
	assert.Contains(t, got.Err, "owner.key in /nowhere")
	assert.Contains(t, got.Err, "ERRAND_KEY")
	assert.Empty(t, got.Out, "nothing to eval")
}

func TestQuoteShell(t *testing.T) {
	for _, s := range []string{"", "a", "it's", "$(rm) `x` \\ \"", "'", "two\nlines"} {
		out, err := exec.CommandContext(t.Context(), "sh", "-c", "printf %s "+quoteShell(s)).Output()
		require.NoError(t, err)
		assert.Equal(t, s, string(out))
	}
}

// The folder that errand.yaml names is the one whose key is printed.
func TestEnvGoesByTheConfiguration(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("elsewhere", 0o700))
	key, err := ownerkey.Ensure("elsewhere")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile("errand.yaml", []byte("data: elsewhere\n"), 0o600))
	f := newFake(t)
	got := f.Errand(t, "env")
	require.Equal(t, 0, got.Code, got.Err)
	assert.Contains(t, got.Out, key)
}
