package config_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

// TestKeyFile proves that a key can be in a file of its own beside errand.yaml, which
// nobody else can read, and that no fault repeats what is in it.
func TestKeyFile(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("secrets", 0o700))
	key := func(text string, mode os.FileMode) {
		require.NoError(t, os.WriteFile("secrets/openai.key", []byte(text), 0o600))
		require.NoError(t, os.Chmod("secrets/openai.key", mode))
	}
	model := func(more string) string { return "models:\n  default: {name: gpt-5-mini" + more + "}\n" }
	const file = ", api_key_file: secrets/openai.key"

	key("sk-some\n", 0o600)
	c, err := load(t, model(file), map[string]string{"OPENAI_API_KEY": "sk-other"}, config.Flags{})
	require.NoError(t, err)
	p := c.Models["default"].Providers[0]
	require.Equal(t, "sk-some", p.APIKey.Reveal(), "what the file names counts")
	require.Equal(t, "secrets/openai.key", p.APIKeyEnv, "where to look, in messages")

	c, err = load(t, model(file)+"voice: {}\n", map[string]string{"OPENAI_API_KEY": "sk-other"}, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, "sk-some", c.Transcription.APIKey.Reveal(), "what writes down voice messages has the key of the default model")

	for _, tt := range []struct {
		name, more, want string
		text             string
		mode             os.FileMode
	}{
		{"others can read it", file, `model "default": api_key_file: other users can read secrets/openai.key (0644): run chmod 600 secrets/openai.key`, "sk-some", 0o644},
		{"empty", file, `model "default": api_key_file: secrets/openai.key: is empty`, "\n", 0o600},
		{"absent", ", api_key_file: secrets/none.key", `model "default": api_key_file: secrets/none.key: no such file or directory`, "sk-some", 0o600},
		{"no name", `, api_key_file: ""`, `model "default": api_key_file: is empty: write the path of a file`, "sk-some", 0o600},
		{"both", file + ", api_key_env: OPENAI_API_KEY", `model "default": api_key_file: api_key_env is set too: keep only one of them`, "sk-some", 0o600},
	} {
		t.Run(tt.name, func(t *testing.T) {
			key(tt.text, tt.mode)
			_, err := load(t, model(tt.more), map[string]string{"OPENAI_API_KEY": "sk-other"}, config.Flags{})
			require.EqualError(t, err, "errand.yaml:2: "+tt.want)
		})
	}
	require.NoError(t, os.Remove("secrets/openai.key"))
	src := sources(nil, config.Flags{})
	src.File, src.Client = "errand.yaml", true
	require.NoError(t, os.WriteFile("errand.yaml", []byte(model(file)), 0o600))
	_, err = config.Load(src)
	require.NoError(t, err, "the file is the worker's")
}
