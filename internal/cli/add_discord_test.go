package cli_test

import (
	"encoding/json"
	"io"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/cli"
	"errand/internal/cli/console"
	"errand/internal/config"
	"errand/internal/test/clitest"
	"errand/internal/test/sim/discord"
)

func discordHere(t *testing.T) *discord.Server {
	t.Helper()
	server, err := discord.Start(discord.Options{PerRoute: -1, Global: -1})
	require.NoError(t, err)
	t.Cleanup(server.Close)
	return server
}

// TestAddDiscord proves what a script gets: a checked token in a file of its own,
// an errand.yaml that a worker starts with, and a link that asks for what is needed
// and no more.
func TestAddDiscord(t *testing.T) {
	server := discordHere(t)
	ana := server.AddPerson(discord.Person{Name: "Ana"})
	bot := server.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent, Owner: ana})
	t.Chdir(t.TempDir())
	got := clitest.Alone(t, cli.Run, bot.Token, "channels", "add", "discord", "--url", server.URL(), "--json")
	require.Equal(t, 0, got.Code, got.Err)
	type answer struct {
		Account, Link, Greeted, Note string
		TokenFile                    string `json:"token_file"`
	}
	var said answer
	require.NoError(t, json.Unmarshal([]byte(got.Out), &said))
	assert.Equal(t, "discord/main", said.Account)
	assert.Equal(t, "secrets/discord-main.token", said.TokenFile)
	link, err := url.Parse(said.Link)
	require.NoError(t, err)
	assert.Equal(t, "discord.com/oauth2/authorize", link.Host+link.Path)
	assert.Equal(t, url.Values{"client_id": {bot.ID}, "scope": {"bot applications.commands"}, "permissions": {"274878024768"}}, link.Query())
	cfg, err := config.Load(config.Sources{Env: clitest.Env(nil)})
	require.NoError(t, err)
	assert.Equal(t, config.Secret(bot.Token), cfg.Channels[0].Token)

	// Nobody shares a server with the bot yet: that is said, and is no failure.
	got = clitest.Alone(t, cli.Run, bot.Token, "channels", "add", "discord", "--greet", "--json")
	require.Equal(t, 0, got.Code, got.Err)
	said = answer{}
	require.NoError(t, json.Unmarshal([]byte(got.Out), &said))
	assert.Contains(t, said.Note, "a bot may write only to people it shares a server with")
	assert.Empty(t, said.Greeted)
	server.AddGuild("Team", ana, bot)
	got = clitest.Alone(t, cli.Run, bot.Token, "channels", "add", "discord", "--greet", "--json")
	require.NoError(t, json.Unmarshal([]byte(got.Out), &said))
	assert.Equal(t, "Ana", said.Greeted)
	require.Len(t, server.Lines(server.DM(ana, bot)), 1)
	assert.Contains(t, server.Lines(server.DM(ana, bot))[0].Text, "This is errand")
}

// TestAddDiscordRefuses proves that each token that is of no use says what to do,
// and that nothing is written.
func TestAddDiscordRefuses(t *testing.T) {
	server := discordHere(t)
	deaf := server.AddBot(discord.Bot{Name: "deaf"})
	old := server.AddBot(discord.Bot{Name: "old", Intents: discord.MessageContent})
	revoked := old.Token
	server.Revoke(old)
	t.Chdir(t.TempDir())
	tests := []struct{ name, token, url, want string }{
		{"cannot read", deaf.Token, server.URL(), "switch on Message Content Intent at https://discord.com/developers/applications/" + deaf.ID + "/bot"},
		{"revoked", revoked, server.URL(), "not known to Discord: it is mistyped, or was reset"},
		{"Telegram's", "123456789:AAAAAAA", server.URL(), "this is a Telegram token, but this account is on Discord"},
		{"nobody answers", revoked, "http://127.0.0.1:1", "cannot reach Discord"},
		{"no address", revoked, "there", "--url: want an address"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := clitest.Alone(t, cli.Run, tt.token, "channels", "add", "discord", "--url", tt.url)
			assert.NotEqual(t, 0, got.Code)
			assert.Contains(t, got.Err, tt.want)
			assert.NotContains(t, got.Err+got.Out, tt.token)
			files, err := os.ReadDir(".")
			require.NoError(t, err)
			assert.Empty(t, files)
		})
	}
}

// TestAddDiscordWaits proves that on a terminal the greeting waits for the bot to be
// in a server, and is tried again when it was not.
func TestAddDiscordWaits(t *testing.T) {
	server := discordHere(t)
	ana := server.AddPerson(discord.Person{Name: "Ana"})
	bot := server.AddBot(discord.Bot{Name: "errand", Intents: discord.MessageContent, Owner: ana})
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("token", []byte(bot.Token), 0o600))
	keys, typing := io.Pipe()
	t.Cleanup(func() { typing.Close() })
	out, done := clitest.NewOutput(), make(chan int, 1)
	go func() {
		done <- cli.Run(t.Context(), []string{"channels", "add", "discord", "--token-file", "token", "--url", server.URL()},
			console.Console{In: keys, InTTY: true, Out: out, Err: out, Getenv: clitest.Env(nil)})
	}()
	at := out.Await(t, 0, "Press Enter when the bot is in the server")
	_, err := io.WriteString(typing, "\n")
	require.NoError(t, err)
	at = out.Await(t, at, "Check that the bot is in one of your servers")
	at = out.Await(t, at, "Press Enter")
	server.AddGuild("Team", ana, bot)
	_, err = io.WriteString(typing, "\n")
	require.NoError(t, err)
	out.Await(t, at, "The bot greeted Ana in a direct message.")
	require.Equal(t, 0, ended(t, done))
	assert.Equal(t, 1, strings.Count(out.String(), "https://discord.com/oauth2/authorize?"))
}
