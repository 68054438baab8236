package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
)

var phone = config.NewChannel{Kind: "telegram", Account: "main", TokenFile: "secrets/telegram-main.token"}

// TestAddChannel proves where an account is written into a file, and that all that
// was there stays, comments and blank lines too.
func TestAddChannel(t *testing.T) {
	const entry = "{account: main, token_file: secrets/telegram-main.token}"
	tests := []struct{ name, file, want string }{
		{"no channels", "data: ./d # here\n\n# the end\n", "data: ./d # here\n\n# the end\nchannels:\n  telegram:\n    - " + entry + "\n"},
		{"no line break at the end", "data: ./d", "data: ./d\nchannels:\n  telegram:\n    - " + entry + "\n"},
		{"comments only", "# nothing\n", "# nothing\nchannels:\n  telegram:\n    - " + entry + "\n"},
		{"empty channels", "channels: # ours\n\ndata: ./d\n", "channels: # ours\n  telegram:\n    - " + entry + "\n\ndata: ./d\n"},
		{"empty braces", "channels: {}\ndata: ./d\n", "channels: {telegram: [" + entry + "]}\ndata: ./d\n"},
		{"another platform", "channels:\n   whatsapp: # by phone\n   - account: main\n     agent: nikki # she\n\n# data\ndata: ./d\n",
			"channels:\n   whatsapp: # by phone\n   - account: main\n     agent: nikki # she\n   telegram:\n     - " + entry + "\n\n# data\ndata: ./d\n"},
		{"another account", "channels:\n  telegram:\n  - account: finn # his\n    token_env: T\n    # - more\ndata: ./d\n",
			"channels:\n  telegram:\n  - account: finn # his\n    token_env: T\n    # - more\n  - " + entry + "\ndata: ./d\n"},
		{"in brackets", "channels: # x\n  telegram: [{account: finn, token_env: \"T\"}] # his ] own\n  whatsapp: [{}]\n",
			"channels: # x\n  telegram: [{account: finn, token_env: \"T\"}, " + entry + "] # his ] own\n  whatsapp: [{}]\n"},
		{"brackets over lines", "channels:\n  telegram: [\n    {account: finn, token_env: T}, # it's ]\n  ]\n",
			"channels:\n  telegram: [\n    {account: finn, token_env: T}, " + entry + " # it's ]\n  ]\n"},
		{"empty list", "channels: {telegram: []}\n", "channels: {telegram: [" + entry + "]}\n"},
		{"nothing below the platform", "channels:\n  telegram:\n  whatsapp: [{}]\n", "channels:\n  telegram:\n    - " + entry + "\n  whatsapp: [{}]\n"},
		{"all in braces", "{data: ./d}\n", "{data: ./d, channels: {telegram: [" + entry + "]}}\n"},
		{"lines of Windows", "data: ./d\r\nchannels:\r\n  whatsapp: [{}]\r\n", "data: ./d\r\nchannels:\r\n  whatsapp: [{}]\r\n  telegram:\r\n    - " + entry + "\r\n"},
		{"letters of two bytes", "channels: {whatsapp: [{}], # Grüße\n  telegram: [ ]}\n", "channels: {whatsapp: [{}], # Grüße\n  telegram: [" + entry + " ]}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "errand.yaml")
			require.NoError(t, os.WriteFile(path, []byte(tt.file), 0o640))
			require.NoError(t, config.AddChannel(path, phone, noEnv))
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, tt.want, string(got))
			info, err := os.Stat(path)
			require.NoError(t, err)
			require.Equal(t, os.FileMode(0o640), info.Mode().Perm())
			c, err := config.Load(config.Sources{File: path, Env: noEnv, Client: true})
			require.NoError(t, err)
			require.NotEmpty(t, c.Channels)
			files, err := os.ReadDir(filepath.Dir(path))
			require.NoError(t, err)
			require.Len(t, files, 1, "nothing else is left behind")
		})
	}
}

// TestAddChannelMakesTheFile proves that there need be no errand.yaml, and that
// what is no plain word is quoted.
func TestAddChannelMakesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "errand.yaml")
	odd := config.NewChannel{Kind: "discord", Account: "007", TokenFile: "my secrets/#1.token", Agent: "finn", URL: "http://127.0.0.1:8081"}
	require.NoError(t, config.AddChannel(path, odd, noEnv))
	c, err := config.Load(config.Sources{File: path, Env: noEnv, Client: true})
	require.NoError(t, err)
	require.Equal(t, "discord/007", c.Channels[0].At().String())
	require.Equal(t, filepath.Join(filepath.Dir(path), "my secrets/#1.token"), c.Channels[0].TokenFrom)
	require.Equal(t, "finn", string(c.Channels[0].Agent))
	require.Equal(t, odd.URL, c.Channels[0].URL)
}

// TestAddChannelRefuses proves that a file that cannot be added to safely stays as
// it is, and that the person is told what to write.
func TestAddChannelRefuses(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"faults", "dat: x\n", `unknown key "dat"`},
		{"no YAML", "channels: [\n", "not YAML"},
		{"null by name", "channels: ~\n", "Add this yourself, under channels, telegram:\n  - {account: main, token_file: secrets/telegram-main.token}"},
		{"end marker", "data: ./d\n...\n", "was not changed"},
		{"anchor", "data: &x ./d\n", "anchors"},
		{"twice", "channels: {telegram: [{account: main, token_env: T}]}\n", `already called "main"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "errand.yaml")
			require.NoError(t, os.WriteFile(path, []byte(tt.file), 0o644))
			require.ErrorContains(t, config.AddChannel(path, phone, noEnv), tt.want)
			got, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, tt.file, string(got))
		})
	}
}

// FuzzAddChannel proves of any file that whatever it says is still said.
func FuzzAddChannel(f *testing.F) {
	for _, s := range []string{"", "a: b\n", "channels:\n  telegram:\n  - a\n", "channels: {telegram: [x, 'y]', \"z\\\"]\"]}\n", "{}\n", "- a\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, file string) {
		path := filepath.Join(t.TempDir(), "errand.yaml")
		require.NoError(t, os.WriteFile(path, []byte(file), 0o644))
		err := config.AddChannel(path, phone, noEnv)
		got, readErr := os.ReadFile(path)
		require.NoError(t, readErr)
		if err != nil {
			require.Equal(t, file, string(got))
			return
		}
		rest := string(got)
		for _, part := range strings.SplitAfter(file, "\n") {
			i := strings.Index(rest, part)
			if i < 0 && strings.ContainsAny(part, "[{") {
				return // an account came into the middle of this line
			}
			require.GreaterOrEqual(t, i, 0, "%q is gone from %q", part, got)
			rest = rest[i+len(part):]
		}
	})
}

func noEnv(string) string { return "" }
