package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

func TestWeb(t *testing.T) {
	load := func(text string, env map[string]string) config.Web {
		t.Helper()
		t.Chdir(t.TempDir())
		cfg, err := load(t, text, env, config.Flags{})
		require.NoError(t, err)
		return cfg.Web
	}
	require.Equal(t, config.Search{Engine: config.DuckDuckGo, BaseURL: "https://html.duckduckgo.com"}, load("", nil).Search)
	searx := load("web: {search: {engine: searxng, base_url: 'http://Searx.home:8888/'}, fetch: {allow: [wiki.home, 10.0.0.7:8080]}}\n", nil)
	require.Equal(t, config.Search{Engine: config.SearXNG, BaseURL: "http://Searx.home:8888", Chosen: true}, searx.Search)
	require.Equal(t, "searx.home:8888", searx.Search.Host())
	require.Equal(t, []string{"wiki.home", "10.0.0.7:8080"}, searx.Allow)
	brave := load("web: {search: {engine: brave}}\n", map[string]string{"BRAVE_API_KEY": "b"}).Search
	require.Equal(t, config.Search{Engine: config.Brave, BaseURL: "https://api.search.brave.com", APIKey: "b", APIKeyEnv: "BRAVE_API_KEY", Chosen: true}, brave)
	require.Equal(t, config.Secret("x"), load("web: {search: {engine: exa, api_key_env: MY_EXA}}\n", map[string]string{"MY_EXA": "x"}).Search.APIKey)
	require.Equal(t, config.NoSearch, load("web: {search: {engine: none}}\n", nil).Search.Engine)
}

func TestHooks(t *testing.T) {
	t.Chdir(t.TempDir())
	cfg, err := load(t, "hooks: {allow: [builds.home, 10.0.0.7:8080]}\n", nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, []string{"builds.home", "10.0.0.7:8080"}, cfg.Hooks.Allow)
	_, err = load(t, "hooks: {allow: [builds.home, 'https://x/y']}\n", nil, config.Flags{})
	require.ErrorContains(t, err, "is not a host")
}
