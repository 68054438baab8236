package cli_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli"
	"errand/internal/cli/console"
	"errand/internal/config"
	"errand/internal/test/clitest"
	"errand/internal/test/sim/telegram"
)

func telegramHere(t *testing.T) (*telegram.Server, string) {
	t.Helper()
	server := telegram.New(telegram.Options{PerChat: -1, PerBot: -1})
	web := httptest.NewServer(server)
	t.Cleanup(func() { web.CloseClientConnections(); web.Close(); server.Close() })
	return server, web.URL
}

func fileMode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	require.NoError(t, err)
	return info.Mode().Perm()
}

// TestAddTelegram proves what a script gets: a checked token in a file of its own,
// and an errand.yaml that a worker starts with.
func TestAddTelegram(t *testing.T) {
	server, url := telegramHere(t)
	bot, finn := server.AddBot("errand_bot"), server.AddBot("finn_bot")
	t.Chdir(t.TempDir())
	got := clitest.Alone(t, cli.Run, bot.Token+"\n", "channels", "add", "telegram", "--url", url, "--json")
	require.Equal(t, 0, got.Code, got.Err)
	var values map[string]any
	require.NoError(t, json.Unmarshal([]byte(got.Out), &values))
	assert.Equal(t, map[string]any{"account": "telegram/main", "name": "errand_bot", "link": "https://t.me/errand_bot", "file": "errand.yaml",
		"token_file": "secrets/telegram-main.token"}, values)
	assert.Equal(t, os.FileMode(0o600), fileMode(t, "secrets/telegram-main.token"))
	assert.Equal(t, os.FileMode(0o700), fileMode(t, "secrets"))
	ignored, err := os.ReadFile("secrets/.gitignore")
	require.NoError(t, err)
	assert.Equal(t, "*\n", string(ignored), "git leaves tokens alone")

	require.NoError(t, os.WriteFile("finn.txt", []byte(finn.Token), 0o600))
	got = clitest.Alone(t, cli.Run, "", "channels", "add", "telegram", "--account", "finn", "--agent", "finn", "--token-file", "finn.txt", "--url", url)
	require.Equal(t, 0, got.Code, got.Err)
	assert.Contains(t, got.Out, "Telegram accepts the token. The bot is @finn_bot.\n")
	assert.Contains(t, got.Out, "People find the bot at https://t.me/finn_bot\n")
	assert.Contains(t, got.Out, "restart it")

	cfg, err := config.Load(config.Sources{Env: clitest.Env(nil)}) // as the worker does
	require.NoError(t, err)
	require.Len(t, cfg.Channels, 2)
	assert.Equal(t, config.Secret(bot.Token), cfg.Channels[0].Token)
	assert.Equal(t, config.Secret(finn.Token), cfg.Channels[1].Token)
	assert.Equal(t, "finn", string(cfg.Channels[1].Agent))
	file, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	for _, b := range []*telegram.Bot{bot, finn} {
		_, key, _ := strings.Cut(b.Token, ":")
		assert.NotContains(t, string(file)+got.Out+got.Err, key, "a token is shown nowhere")
	}
}

// TestAddTelegramRefuses proves that nothing is written where the token cannot be
// this account's, and that each case says what to do.
func TestAddTelegramRefuses(t *testing.T) {
	server, url := telegramHere(t)
	bot, other := server.AddBot("errand_bot"), server.AddBot("other_bot")
	t.Chdir(t.TempDir())
	require.Equal(t, 0, clitest.Alone(t, cli.Run, bot.Token, "channels", "add", "telegram", "--url", url).Code)
	before, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	revoked := server.AddBot("late_bot").Token
	server.Revoke(server.AddBot("unused_bot"))
	tests := []struct {
		name, input, want string
		args              []string
	}{
		{"none", "", "there is no token", []string{"--account", "two"}},
		{"no token", "hello", "this is not a Telegram token; those look like", []string{"--account", "two"}},
		{"of another platform", "MTAwMDAwMDAwMDAw.GAbCdE.abcdefghijklmnopqrstuvwxyz", "this is a Discord token, but this account is on Telegram", []string{"--account", "two"}},
		{"unknown", "123456:AAbbcc", "not known to Telegram: it is mistyped, or was revoked. Ask @BotFather", []string{"--account", "two"}},
		{"that of another account", bot.Token, "telegram/main already uses this token: create another bot for this account", []string{"--account", "two"}},
		{"of another bot than before", other.Token, "another bot than the one of telegram/main", nil},
		{"nobody answers", revoked, "cannot reach Telegram", []string{"--account", "two", "--url", "http://127.0.0.1:1"}},
		{"no such agent", revoked, `unknown agent "nobody"`, []string{"--account", "two", "--agent", "nobody"}},
		{"no name", revoked, "a name has 1 to 32", []string{"--account", "My Phone"}},
		{"variable not set", "", "the environment variable NONE is not set", []string{"--account", "two", "--token-env", "NONE"}},
		{"other agent", bot.Token, "telegram/main is already in errand.yaml, line", []string{"--agent", "finn"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			args := append([]string{"channels", "add", "telegram"}, tt.args...)
			if len(tt.args) < 3 || tt.args[2] != "--url" {
				args = append(args, "--url", url)
			}
			got := clitest.Alone(t, cli.Run, tt.input, args...)
			assert.NotEqual(t, 0, got.Code)
			assert.Contains(t, got.Err, tt.want)
			if _, key, ok := strings.Cut(strings.TrimSpace(tt.input), ":"); ok {
				assert.NotContains(t, got.Err+got.Out, key, "no token is repeated")
			}
			after, err := os.ReadFile("errand.yaml")
			require.NoError(t, err)
			assert.Equal(t, string(before), string(after))
			files, err := os.ReadDir("secrets")
			require.NoError(t, err)
			assert.Len(t, files, 2, "the token of before, and .gitignore")
		})
	}
}

// TestAddTelegramRenews proves that an account gets the token that replaces a
// revoked one.
func TestAddTelegramRenews(t *testing.T) {
	server, url := telegramHere(t)
	bot := server.AddBot("errand_bot")
	t.Chdir(t.TempDir())
	require.Equal(t, 0, clitest.Alone(t, cli.Run, bot.Token, "channels", "add", "telegram", "--url", url).Code)
	before, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	old := bot.Token
	server.Revoke(bot)
	assert.Contains(t, clitest.Alone(t, cli.Run, old, "channels", "add", "telegram").Err, "was revoked")
	got := clitest.Alone(t, cli.Run, bot.Token, "channels", "add", "telegram")
	require.Equal(t, 0, got.Code, got.Err)
	assert.Contains(t, got.Out, "telegram/main already existed. Its token in secrets/telegram-main.token is now this one.")
	after, err := os.ReadFile("errand.yaml")
	require.NoError(t, err)
	assert.Equal(t, string(before), string(after))
	text, err := os.ReadFile(filepath.Join("secrets", "telegram-main.token"))
	require.NoError(t, err)
	assert.Equal(t, bot.Token+"\n", string(text))
}

// TestAddTelegramGreets proves that whoever writes first is greeted, that errand
// still gets what they wrote, and that Ctrl-C leaves the greeting out and nothing
// else.
func TestAddTelegramGreets(t *testing.T) {
	server, url := telegramHere(t)
	bot, ana := server.AddBot("errand_bot"), server.AddPerson(telegram.Person{Name: "Ana"})
	t.Chdir(t.TempDir())
	begin := func(ctx context.Context, token string, args ...string) (*clitest.Output, chan int) {
		out, done := clitest.NewOutput(), make(chan int, 1)
		go func() {
			done <- cli.Run(ctx, append([]string{"channels", "add", "telegram", "--greet", "--url", url}, args...),
				console.Console{In: strings.NewReader(token), Out: out, Err: out, Getenv: clitest.Env(nil)})
		}()
		return out, done
	}
	out, done := begin(t.Context(), bot.Token)
	at := out.Await(t, 0, "press Start")
	chat := server.Private(ana, bot)
	server.Write(chat, ana, "/start")
	out.Await(t, at, "Ana wrote to @errand_bot, and the bot answered.")
	require.Equal(t, 0, ended(t, done))
	require.Len(t, server.Lines(chat), 1)
	assert.True(t, strings.HasPrefix(server.Lines(chat)[0].Text, "Hello Ana. "))
	assert.Equal(t, 1, server.Unconfirmed(bot), "the worker gets the message too")

	two := server.AddBot("two_bot")
	ctx, cancel := context.WithCancel(t.Context())
	out, done = begin(ctx, two.Token, "--account", "two")
	out.Await(t, 0, "press Start")
	cancel()
	require.Equal(t, 0, ended(t, done))
	assert.Contains(t, out.String(), "Nobody was greeted.")
	cfg, err := config.Load(config.Sources{Env: clitest.Env(nil)})
	require.NoError(t, err)
	assert.Len(t, cfg.Channels, 2)
}

func ended(t *testing.T, done chan int) int {
	t.Helper()
	select {
	case code := <-done:
		return code
	case <-time.After(20 * time.Second):
		t.Fatal("it does not end")
		return 0
	}
}
