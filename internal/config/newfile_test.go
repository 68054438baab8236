package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/core"
)

// TestNewFile proves that a first errand.yaml is one that errand starts with, whatever
// the model and its provider are called, and that no other file is overwritten.
func TestNewFile(t *testing.T) {
	none := func(string) string { return "" }
	for _, n := range []NewFile{
		{Model: "gpt-5-mini", BaseURL: openAI, KeyFile: "secrets/openai.key", Language: "en"},
		{Model: "claude-sonnet-4-5", BaseURL: "https://api.anthropic.com/v1", KeyFile: "secrets/anthropic.key", Language: "es"},
		{Model: "qwen3:8b", BaseURL: "http://127.0.0.1:11434/v1", Language: "en"},
		{Model: "m", BaseURL: "https://openrouter.ai/api/v1", Language: "en", Vision: new(true), ContextTokens: 4096, Price: &Price{Input: .25, Output: 2, Cached: new(.025)}},
		{Model: `a: "b" # c`, BaseURL: "http://127.0.0.1:11434/v1", Language: "en"},
	} {
		t.Run(n.Model, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, "errand.yaml")
			if n.KeyFile != "" {
				assert.ErrorContains(t, n.Write(path, none), "was not written, because errand would refuse it", "the key is not there yet")
				require.NoError(t, os.Mkdir(filepath.Join(folder, "secrets"), 0o700))
				require.NoError(t, os.WriteFile(filepath.Join(folder, n.KeyFile), []byte("sk-some"), 0o600))
			}
			require.NoError(t, n.Write(path, none))
			cfg, err := Load(Sources{File: path, Env: none})
			require.NoError(t, err)
			own, err := os.ReadFile(path) // with the example of agents as part of it
			require.NoError(t, err)
			uncommented := filepath.Join(folder, "own.yaml")
			_, example, _ := strings.Cut(string(own), "checks the file.\n")
			require.NoError(t, os.WriteFile(uncommented, []byte(strings.TrimSuffix(string(own), example)+strings.ReplaceAll("\n"+example, "\n# ", "\n")), 0o600))
			edited, err := Load(Sources{File: uncommented, Env: none})
			require.NoError(t, err)
			assert.Contains(t, edited.Roster.Names(), core.AgentName("chef"))

			p := cfg.Models["default"].Providers[0]
			assert.Equal(t, []any{n.Model, n.BaseURL, n.KeyFile != "", n.Language}, []any{p.Name, p.BaseURL, p.APIKey != "", cfg.Language})

			before, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.ErrorContains(t, NewFile{Model: "other", BaseURL: openAI + "/v2", Language: "en"}.Write(path, none), "already exists and was not changed")
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after))
			files, err := filepath.Glob(filepath.Join(folder, ".errand-*"))
			require.NoError(t, err)
			assert.Empty(t, files)
		})
	}
}
