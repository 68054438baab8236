package config_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
	"errand/internal/core"
)

const aToken = "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

// TestChannels proves what an account is that says little, and one that says all.
func TestChannels(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("sasha.token", []byte("123:second\n"), 0o600))
	c, err := load(t, two+`access:
  telegram: {mode: allowlist, allow: ["1"]}
channels:
  whatsapp: [{}]
  telegram:
    - {account: main, token_env: MAIN_TOKEN}
    - account: sasha
      token_file: sasha.token
      agent: sasha
      access: open
      role: guest
      group_sessions: shared
      url: http://127.0.0.1:8081/
      reactions: true
      streaming: false
`, map[string]string{"MAIN_TOKEN": aToken}, config.Flags{})
	require.NoError(t, err)
	open := config.Access{Mode: config.AccessOpen, Role: core.Guest}
	require.Equal(t, []config.Channel{
		{Kind: "whatsapp", Account: "main", Agent: "nikki", Line: 11, Reactions: true},
		{Kind: "telegram", Account: "main", Token: aToken, TokenFrom: "MAIN_TOKEN", Agent: "nikki", Streaming: true, Line: 13},
		{Kind: "telegram", Account: "sasha", Token: "123:second", TokenFrom: "sasha.token", Agent: "sasha", Access: &open,
			Groups: config.SharedSessions, URL: "http://127.0.0.1:8081", Reactions: true, Line: 14},
	}, c.Channels)
	require.Equal(t, open, c.Access["telegram/sasha"])
	require.Equal(t, config.AccessAllowlist, c.Access["telegram"].Mode)
	require.NotContains(t, c.Access, "telegram/main", "the account has what the platform has")
}

func TestRefusedChannels(t *testing.T) {
	tests := []struct {
		name, file, want string // file comes after 'channels:' on line 8
	}{
		{"unknown platform", "  telegramm: []\n", `errand.yaml:9: channels: unknown key "telegramm" (did you mean "telegram"?)`},
		{"no list", "  telegram: {account: main}\n", `errand.yaml:9: channels.telegram: want a list such as [one, two], found settings`},
		{"unknown key", "  whatsapp: [{acount: x}]\n", `errand.yaml:9: channels.whatsapp[0]: unknown key "acount" (did you mean "account"?)`},
		{"account", "  whatsapp: [{account: My Phone}]\n", `errand.yaml:9: channels.whatsapp[0].account: want 1 to 32 of a to z, 0 to 9, - and _, found "My Phone"`},
		{"unknown agent", "  whatsapp:\n    - account: main\n      agent: sascha\n", `errand.yaml:11: channels.whatsapp[0].agent: unknown agent "sascha" (did you mean "sasha"?)`},
		{"account twice", "  whatsapp:\n    - account: main\n    - account: main\n", `errand.yaml:11: channels.whatsapp[1].account: another whatsapp account is already called "main", on line 10`},
		{"no token", "  discord: [{account: main}]\n", `errand.yaml:9: channels.discord[0]: has no token: set token_env or token_file. To get a token, run errand channels add discord`},
		{"variable not set", "  telegram: [{token_env: NONE}]\n", `errand.yaml:9: channels.telegram[0].token_env: the environment variable NONE is not set. To get a token, run errand channels add telegram`},
		{"token in the file", "  telegram: [{token: \"1:secret\"}]\n", `errand.yaml:9: channels.telegram[0].token: a token does not belong in this file: put it into an environment variable (token_env) or a separate file (token_file). Create a new token, because others may have read this file`},
		{"token for the name of a variable", "  telegram: [{token_env: \"1:secret\"}]\n", `errand.yaml:9: channels.telegram[0].token_env: want the name of an environment variable; the token itself does not belong in this file`},
		{"two tokens", "  telegram: [{token_env: A, token_file: b}]\n", `errand.yaml:9: channels.telegram[0].token_file: token_env is set too: keep only one of them`},
		{"no file", "  telegram: [{token_file: gone}]\n", `errand.yaml:9: channels.telegram[0].token_file: gone: no such file or directory. To get a token, run errand channels add telegram`},
		{"empty file", "  telegram: [{token_file: empty}]\n", `errand.yaml:9: channels.telegram[0].token_file: empty: is empty. To get a token, run errand channels add telegram`},
		{"file for all to read", "  telegram: [{token_file: open}]\n", `errand.yaml:9: channels.telegram[0].token_file: other users can read open (0644): run chmod 600 open`},
		{"spaces in a token", "  discord: [{token_env: SPACES}]\n", `errand.yaml:9: channels.discord[0]: the value of SPACES is not a token: tokens have no spaces or special characters`},
		{"no token of Telegram's", "  telegram: [{token_env: DISCORD}]\n", `errand.yaml:9: channels.telegram[0]: the value of DISCORD is a Discord token, but this account is on Telegram`},
		{"tokens swapped", "  discord: [{token_env: A}]\n", `errand.yaml:9: channels.discord[0]: the value of A is a Telegram token, but this account is on Discord`},
		{"one token for two", "  telegram:\n    - {account: main, token_env: A}\n    - {account: sasha, token_env: B}\n", `errand.yaml:11: channels.telegram[1]: B has the same token as telegram/main (line 10): each account needs its own`},
		{"token on WhatsApp", "  whatsapp: [{token_env: A}]\n", `errand.yaml:9: channels.whatsapp[0].token_env: WhatsApp uses no token: link the account with errand channels add whatsapp`},
		{"access", "  whatsapp: [{access: all}]\n", `errand.yaml:9: channels.whatsapp[0].access: "all" is not one of pairing, allowlist, open`},
		{"empty allowlist", "  whatsapp: [{access: allowlist}]\n", `errand.yaml:9: channels.whatsapp[0].access: allowlist needs the list allow: without it nobody gets in`},
		{"role of pairing", "  whatsapp: [{role: member}]\n", `errand.yaml:9: channels.whatsapp[0].role: works only with the modes allowlist and open: with pairing, the person who approves chooses the role`},
		{"address", "  whatsapp: [{url: localhost}]\n", `errand.yaml:9: channels.whatsapp[0].url: want an address such as http://127.0.0.1:8081`},
		{"password in an address", "  whatsapp: [{url: \"http://a:b@h\"}]\n", `errand.yaml:9: channels.whatsapp[0].url: passwords do not belong in an address`},
		{"webhook elsewhere", "  whatsapp: [{webhook: {url: \"https://h\", secret_env: A}}]\n", `errand.yaml:9: channels.whatsapp[0].webhook: works only on Telegram`},
		{"webhook with a secret that is guessed", "  telegram: [{token_env: A, webhook: {url: \"https://h\", secret_env: SHORT}}]\n", `errand.yaml:9: channels.telegram[0].webhook.secret_env: the secret in SHORT is not valid: use 16 to 256 characters of A to Z, a to z, 0 to 9, _ and -`},
		{"webhook without secret", "  telegram: [{token_env: A, webhook: {url: \"https://h\", secret_env: NONE}}]\n", `errand.yaml:9: channels.telegram[0].webhook.secret_env: the environment variable NONE is not set: set it to a random secret of at least 32 letters and digits`},
	}
	env := map[string]string{"A": aToken, "B": aToken, "SPACES": "a b", "DISCORD": "MTIz.abc.def", "SHORT": "x"}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			require.NoError(t, os.WriteFile("empty", nil, 0o600))
			require.NoError(t, os.WriteFile("open", []byte(aToken), 0o600))
			require.NoError(t, os.Chmod("open", 0o644))
			_, err := load(t, two+"channels:\n"+tt.file, env, config.Flags{})
			require.EqualError(t, err, tt.want)
			require.NotContains(t, err.Error(), "secret\"")
			require.False(t, strings.Contains(err.Error(), aToken))
		})
	}
}

// TestChannelsOfClients proves that a program that only speaks to a worker needs
// no tokens.
func TestChannelsOfClients(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("errand.yaml", []byte(two+"channels:\n  telegram: [{token_env: A}, {account: b, token_file: gone}]\n"), 0o600))
	src := sources(nil, config.Flags{})
	src.Client = true
	c, err := config.Load(src)
	require.NoError(t, err)
	require.Len(t, c.Channels, 2)
}

// TestTokenAnywhere proves that a token is not repeated wherever in the file it is
// put, and that whoever put it there is told to have another made.
func TestTokenAnywhere(t *testing.T) {
	for _, token := range []string{"7001001:AAEhBP0av28abcdefghijklmnopqrstuvwx", "MTA0NzAwMTAwMTAwMTAwMTAw.GabcDE.abcdefghijklmnopqrstuvwxyz0123456789ab"} {
		for _, file := range []string{"  telegram: [%q]\n", "  telegram: %q\n", "  telegram: [{token_file: %q}]\n", "  telegram: [{%q: x}]\n", "  %q: []\n",
			"  telegram: [{token_env: A, access: %q}]\n", "  telegram: [{token_env: A, agent: %q}]\n", "  telegram: [{token_env: A, reactions: %q}]\n"} {
			t.Chdir(t.TempDir())
			_, err := load(t, two+"channels:\n"+fmt.Sprintf(file, token), map[string]string{"A": aToken}, config.Flags{})
			require.ErrorContains(t, err, "a token does not belong in this file", file)
			_, secret, _ := strings.Cut(token, token[7:8])
			require.NotContains(t, err.Error(), secret[:12], file)
		}
	}
}
