package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

// A secret may be in a file, as Docker, Kubernetes and systemd hand secrets out.
func TestVariablesFromFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	secret := func(name, text string) string {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o444)) // as Docker's are
		return path
	}
	c, err := load(t, `
models: {default: {name: m, base_url: "https://m.example/v1", api_key_env: MY_MODEL_KEY}}
`, map[string]string{
		"ERRAND_TOKEN_FILE":     secret("token", "sixteen-characters\n"),
		"DATABASE_URL_FILE":     secret("url", "  postgres://errand:pw@db/errand\r\n"),
		"TEMPORAL_API_KEY_FILE": secret("key", "k"),
		"MY_MODEL_KEY_FILE":     secret("model", "sk-1\n"),
		"ERRAND_PUBLIC_URL":     "https://errand.example.org/",
	}, config.Flags{})
	require.NoError(t, err)
	assert.Equal(t, "sixteen-characters", c.Token.Reveal())
	assert.Equal(t, "postgres://errand:pw@db/errand", c.DatabaseURL.Reveal())
	assert.Equal(t, "k", c.Temporal.APIKey.Reveal())
	assert.Equal(t, "sk-1", c.Models["default"].Providers[0].APIKey.Reveal())
	assert.Equal(t, "https://errand.example.org", c.PublicURL)
}

func TestVariablesFromBadFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	empty := filepath.Join(t.TempDir(), "empty")
	require.NoError(t, os.WriteFile(empty, []byte(" \n"), 0o600))
	for _, tt := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"not there", map[string]string{"DATABASE_URL_FILE": "/nowhere/url"}, "DATABASE_URL_FILE: /nowhere/url: no such file or directory"},
		{"a folder", map[string]string{"ERRAND_KEY_FILE": "/"}, "ERRAND_KEY_FILE: /: is a directory"},
		{"empty", map[string]string{"ERRAND_TOKEN_FILE": empty}, "ERRAND_TOKEN_FILE: " + empty + " is empty"},
		{"both", map[string]string{"ERRAND_KEY": "secret", "ERRAND_KEY_FILE": empty}, "ERRAND_KEY and ERRAND_KEY_FILE are both set: keep only one of them"},
		{"asked for often", map[string]string{"OPENAI_API_KEY_FILE": "/nowhere/key"}, "OPENAI_API_KEY_FILE: /nowhere/key: no such file or directory"},
		{"of a public address", map[string]string{"ERRAND_PUBLIC_URL": "errand.example.org"},
			`ERRAND_PUBLIC_URL: "errand.example.org" is not an address such as https://errand.example.org (without a path: errand needs its own host name)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := load(t, "", tt.env, config.Flags{})
			require.EqualError(t, err, tt.want)
			src := sources(tt.env, config.Flags{})
			src.Client = true
			if tt.name != "of a public address" {
				_, err = config.Load(src)
				assert.NoError(t, err, "a client needs none of them")
			}
		})
	}
}
