package config_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/rights"
)

var tools = []string{
	"call_agent", "call_agent_async", "consult", "list_pending_async_agents", "get_task", "kill_async_agent", "steer_task",
	"remember", "recall", "list_working_memory", "remind_me",
}

// load loads text as the errand.yaml of an empty working directory; without
// text there is none.
func load(t testing.TB, text string, env map[string]string, flags config.Flags) (*config.Config, error) {
	t.Helper()
	if text != "" {
		require.NoError(t, os.WriteFile("errand.yaml", []byte(text), 0o600))
	}
	return config.Load(sources(env, flags))
}

func sources(env map[string]string, flags config.Flags) config.Sources {
	return config.Sources{Env: func(k string) string { return env[k] }, Flags: flags, Tools: tools}
}

const day = config.Age(24 * time.Hour)

func TestWithoutAnything(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, "", nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, core.AgentName("nikki"), c.Roster.Primary().Name)
	require.True(t, c.Demo)
	require.Equal(t, core.MasterAdmin, c.Rights.Least(rights.Command, "/approve"))
	c.Roster, c.Rights = nil, nil
	require.Equal(t, &config.Config{
		Settings: config.Settings{
			Language: "en", CheckModels: true, Log: config.Log{Format: "text", Level: slog.LevelInfo},
			Sessions: config.Sessions{
				SuspendAfter: 30 * time.Minute, Busy: "collect", Patience: time.Minute,
				FoldWindow: 3 * time.Second, FoldTimeout: 10 * time.Minute, Promises: true, MaxSteps: 20, Window: 60, BeginWith: config.BeginPrimary,
				Sticky: true, StickyFor: 24 * time.Hour, Groups: config.OwnSessions, EndAfter: 30 * day,
			},
			Delegation: config.Delegation{MaxDepth: 3, PairPerHour: 60},
			Team:       config.Team{AtOnce: 5, PerMinute: 6, PairPerMinute: 4, Messages: 5},
			Budgets: config.Budgets{
				Turn:      config.Budget{Calls: 200, Tokens: 2_000_000, Cost: 5},
				PersonDay: config.Budget{Calls: 5000, Tokens: 20_000_000, Cost: 50},
			},
			Temporal:   config.Temporal{Namespace: "default", Titles: true, SearchAttributes: true},
			Code:       config.Code{Sandbox: "auto", Timeout: time.Minute, Memory: 512e6, Files: 256e6, Processes: 64},
			Durability: "normal", Slots: config.Slots{Turns: 64, Tasks: 48, Store: 64},
			Limits: config.Limits{
				MessageBytes: 65536, AttachmentBytes: 20_000_000, PerDay: config.Attachments{Person: 200_000_000, All: 5_000_000_000},
				Downloads: 8, PerMinute: config.Rates{Person: 60, Channel: 600},
				OpenTasks: 64, Workspaces: config.Workspaces{Person: 1_000_000_000, All: 20_000_000_000},
			},
			TimeZone:    "Local",
			Retention:   config.Retention{Transcripts: 365 * day, Deliveries: 30 * day, UsageDetail: 90 * day, Audit: 365 * day},
			Maintenance: config.Maintenance{Enabled: true, At: config.Clock{Hour: 3}},
			Backup:      config.Backup{Keep: 7},
			Questions:   config.Questions{ExpireAfter: 7 * day, RemindAfter: []config.Age{day / 24, day}},
		},
		Web:  config.Web{Search: config.Search{Engine: config.DuckDuckGo, BaseURL: "https://html.duckduckgo.com"}},
		Data: "./data", Listen: "127.0.0.1:8080", TemporalPort: 7233, UIPort: 8233,
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Models:         map[string]config.Model{}, Demo: true,
		Access: map[string]config.Access{"web": {Mode: "pairing"}},
	}, c)
}

// A file that sets one thing leaves everything else, the roster included.
func TestFileWithoutAgents(t *testing.T) {
	for _, text := range []string{"# nothing\n", "---\n", "sessions: {busy: steer, max_steps: 7}\n", "agents:\nmodels:\nsessions:\n  # busy: steer\n"} {
		t.Chdir(t.TempDir())
		c, err := load(t, text, nil, config.Flags{})
		require.NoError(t, err, text)
		require.Len(t, c.Roster.Names(), 4)
		require.Equal(t, c.Sessions.MaxSteps, c.Roster.Primary().MaxSteps)
		require.Equal(t, 30*time.Minute, c.Sessions.SuspendAfter)
		require.True(t, c.Demo)
	}
}

func TestLimitsOfAProvider(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, `
models:
  default:
    name: qwen3:8b
    base_url: "http://127.0.0.1:11434/v1"
    concurrency: 2
    first_token: 20m
    idle: 5m
    providers:
      - {base_url: "http://127.0.0.1:8000/v1", concurrency: 16, first_token: 90s}
`, nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, []config.Provider{
		{Name: "qwen3:8b", BaseURL: "http://127.0.0.1:11434/v1", APIKeyEnv: "OPENAI_API_KEY", Concurrency: 2, FirstToken: 20 * time.Minute, Idle: 5 * time.Minute},
		{Name: "qwen3:8b", BaseURL: "http://127.0.0.1:8000/v1", Concurrency: 16, FirstToken: 90 * time.Second},
	}, c.Models["default"].Providers)
}

func TestTheWireOfAProvider(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, `
models:
  default:
    name: gpt-6-sol
    background: true
    vision: true
    providers:
      - {base_url: "http://127.0.0.1:8000/v1", api: responses, background: true}
      - {base_url: "http://127.0.0.1:8001/v1", api: auto, vision: false}
      - {base_url: "http://127.0.0.1:8002/v1", name: another}
`, map[string]string{"OPENAI_API_KEY": "sk-1"}, config.Flags{})
	require.NoError(t, err)
	list := c.Models["default"].Providers
	require.Equal(t, []config.API{"", config.APIResponses, config.APIAuto}, []config.API{list[0].API, list[1].API, list[2].API})
	require.Equal(t, []*bool{new(true), new(true), new(false), nil}, []*bool{list[0].Vision, list[1].Vision, list[2].Vision, list[3].Vision}, "the same model sees elsewhere too")
	require.Equal(t, []bool{true, true, false}, []bool{list[0].Background, list[1].Background, list[2].Background})
}

func TestExampleInTheDesign(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, `
primary: nikki
agents:
  nikki: {instructions: "You are Nikki …", delegates: [sasha]}     # or instructions_file: agents/nikki.md
  sasha: {instructions: "You are Sasha …", model: small, effort: high, verbosity: low, voice: "brief, dry"}
models:
  default: {name: gpt-5-mini}                                      # base_url, api_key_env: from the environment where absent
  small: {name: gpt-5-nano, base_url: "http://127.0.0.1:11434/v1", accepts: [effort], price: {input: 0.05, cached: 0, write: 0.06, output: 0.40}}   # USD per million tokens
`, map[string]string{"OPENAI_API_KEY": "sk-1"}, config.Flags{})
	require.NoError(t, err)
	require.False(t, c.Demo)
	write := 0.06
	require.Equal(t, map[string]config.Model{
		"default": {Providers: []config.Provider{{Name: "gpt-5-mini", BaseURL: "https://api.openai.com/v1", APIKey: "sk-1", APIKeyEnv: "OPENAI_API_KEY"}}},
		"small": {
			Providers: []config.Provider{{Name: "gpt-5-nano", BaseURL: "http://127.0.0.1:11434/v1", APIKey: "sk-1", APIKeyEnv: "OPENAI_API_KEY", Accepts: []string{"effort"}}},
			Price:     &config.Price{Input: 0.05, Output: 0.40, Cached: new(float64), Write: &write},
		},
	}, c.Models)
	sasha, _ := c.Roster.Agent("sasha")
	require.Equal(t, "small", sasha.Model)
	require.Equal(t, "brief, dry", sasha.Voice)
	require.Equal(t, [2]string{"high", "low"}, [2]string{sasha.Effort, sasha.Verbosity})
}

// The file people copy from shows the defaults, and is whole.
func TestExampleFile(t *testing.T) {
	src := sources(map[string]string{"OPENAI_API_KEY": "sk-1"}, config.Flags{})
	src.File = "../../docs/errand.example.yaml"
	c, err := config.Load(src)
	require.NoError(t, err)
	require.Empty(t, c.Models["small"].Providers[0].APIKey)
	sasha, _ := c.Roster.Agent("sasha")
	require.Equal(t, 30, sasha.MaxSteps)

	t.Chdir(t.TempDir())
	plain, err := load(t, "", nil, config.Flags{})
	require.NoError(t, err)
	for _, c := range []*config.Config{c, plain} {
		c.File, c.Roster, c.Models, c.Demo, c.Rights = "", nil, nil, false, nil // the example has agents of its own
	}
	require.Equal(t, plain, c, "what the example sets is the default")
}

// What the section voice leaves out is the default model's; its key goes to no
// other server.
func TestVoice(t *testing.T) {
	t.Chdir(t.TempDir())
	env := map[string]string{"OPENAI_API_KEY": "sk-1", "EARS_KEY": "sk-2"}
	tests := []struct{ name, file, want string }{
		{"none", "", ""},
		{"all by default", "voice: {}\n", "whisper-1 https://api.openai.com/v1 sk-1 "},
		{"as the default model", "voice: {language: de}\nmodels: {default: {name: m, base_url: \"http://127.0.0.1:1/v1\", api_key_env: EARS_KEY}}\n",
			"whisper-1 http://127.0.0.1:1/v1 sk-2 de"},
		{"with a price", "voice: {price: {call: 0.5, minute: 0.006}}\n", "whisper-1 https://api.openai.com/v1 sk-1  0.5 0.006"},
		{"short", "voice: {max_length: 90s}\n", "whisper-1 https://api.openai.com/v1 sk-1  1m30s"},
		{"however long", "voice: {max_length: 0s}\n", "whisper-1 https://api.openai.com/v1 sk-1  0s"},
		{"elsewhere", "voice: {model: large-v3, base_url: \"http://127.0.0.1:2/v1\"}\n", "large-v3 http://127.0.0.1:2/v1  "},
		{"elsewhere, with a key", "voice: {base_url: \"http://127.0.0.1:2/v1\", api_key_env: EARS_KEY}\n", "whisper-1 http://127.0.0.1:2/v1 sk-2 "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, err := load(t, tt.file, env, config.Flags{})
			require.NoError(t, err)
			if tt.want == "" {
				require.Nil(t, c.Transcription)
				return
			}
			v := c.Transcription
			got := strings.Join([]string{v.Name, v.BaseURL, v.APIKey.Reveal(), v.Language}, " ")
			if v.Price != (config.TranscriptionPrice{}) {
				got += fmt.Sprint(" ", v.Price.Call, " ", v.Price.Minute)
			}
			if v.MaxLength != 20*time.Minute {
				got += fmt.Sprint(" ", v.MaxLength)
			}
			require.Equal(t, tt.want, got)
		})
	}
}

func TestTimes(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, "sessions: {end_after: 36h}\nretention: {transcripts: 0, usage_detail: 1.5d, audit: 12h}\ntime_zone: Europe/Oslo\nmaintenance: {at: 4:30, enabled: false}\n", nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, day*3/2, c.Sessions.EndAfter)
	require.Equal(t, config.Retention{Deliveries: 30 * day, UsageDetail: day * 3 / 2, Audit: day / 2}, c.Retention)
	require.Equal(t, config.Maintenance{At: config.Clock{Hour: 4, Minute: 30}}, c.Maintenance)
	require.Equal(t, "Europe/Oslo", c.Zone().String())
	require.Equal(t, "04:30", c.Maintenance.At.String())
}

func TestPrecedence(t *testing.T) {
	const file = "data: kept\nlisten: 127.0.0.1:1\nlog: {format: json, level: warn}\nmodels: {default: {name: of-file, base_url: \"http://file/v1\"}}\n"
	env := map[string]string{
		"ERRAND_DATA": "/env", "ERRAND_LISTEN": "127.0.0.1:2", "ERRAND_MODEL": "of-env",
		"OPENAI_BASE_URL": "http://env/v1/", "OPENAI_API_KEY": "k\n",
	}
	tests := []struct {
		name                      string
		file                      string
		env                       map[string]string
		flags                     config.Flags
		data, listen, model, base string
		format                    config.LogFormat
		level                     slog.Level
	}{
		{"file", file, nil, config.Flags{}, "kept", "127.0.0.1:1", "of-file", "http://file/v1", "json", slog.LevelWarn},
		{"environment over file", file, env, config.Flags{}, "/env", "127.0.0.1:2", "of-env", "http://file/v1", "json", slog.LevelWarn},
		{"environment alone", "", env, config.Flags{}, "/env", "127.0.0.1:2", "of-env", "http://env/v1", "text", slog.LevelInfo},
		{"flags over all", file, env, config.Flags{Data: "/flag", Listen: "127.0.0.1:3", LogFormat: "text", LogLevel: "debug"},
			"/flag", "127.0.0.1:3", "of-env", "http://file/v1", "text", slog.LevelDebug},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			c, err := load(t, tt.file, tt.env, tt.flags)
			require.NoError(t, err)
			p := c.Models["default"].Providers[0]
			require.Equal(t, []any{tt.data, tt.listen, tt.model, tt.base, tt.format, tt.level},
				[]any{c.Data, c.Listen, p.Name, p.BaseURL, c.Log.Format, c.Log.Level})
			if tt.env != nil {
				require.Equal(t, "k", p.APIKey.Reveal())
			}
		})
	}
}

func TestSlots(t *testing.T) {
	for _, test := range []struct {
		file string
		want config.Slots
	}{
		{"slots: {}\n", config.Slots{Turns: 64, Tasks: 48, Store: 64}},
		{"slots: {turns: 10, tasks: 2, store: 4, deliveries: 7}\n", config.Slots{Turns: 10, Tasks: 2, Store: 4, Deliveries: 7}},
	} {
		dir := t.TempDir()
		t.Chdir(dir)
		require.NoError(t, os.WriteFile("errand.yaml", []byte(test.file), 0o600))
		c, err := config.Load(sources(nil, config.Flags{}))
		require.NoError(t, err)
		require.Equal(t, test.want, c.Slots, test.file)
	}
}

func TestWhichFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"errand", "env", "flag", "given"} {
		text := fmt.Sprintf("slots: {turns: %d}\n", len(name))
		require.NoError(t, os.WriteFile(name+".yaml", []byte(text), 0o600))
	}
	src := sources(nil, config.Flags{})
	file := func() string {
		c, err := config.Load(src)
		require.NoError(t, err)
		require.Equal(t, len(strings.TrimSuffix(c.File, ".yaml")), c.Slots.Turns)
		return c.File
	}
	require.Equal(t, "errand.yaml", file())
	src.Env = func(k string) string { return map[string]string{"ERRAND_CONFIG": "env.yaml"}[k] }
	require.Equal(t, "env.yaml", file())
	src.Flags.Config = "flag.yaml"
	require.Equal(t, "flag.yaml", file())
	src.File = "given.yaml"
	require.Equal(t, "given.yaml", file())

	src.File = "gone.yaml"
	_, err := config.Load(src)
	require.EqualError(t, err, "gone.yaml: no such file or directory")
	src.File = dir
	_, err = config.Load(src)
	require.EqualError(t, err, dir+": is a directory")
}

// TestNotification proves that an agent has words for notifications in the
// installation's language, or by language, as the installation calls those.
func TestNotification(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, "texts: {de: {tasks.none: Keine.}}\nprimary: a\nagents:\n"+
		"  a: {instructions: x, delegates: [b, c], notification: \" A: {id}, {title} ({asked}). \"}\n"+
		"  b: {instructions: x, notification: {es-MX: \"B: {id}\", de: \"{agent}: {id}\"}}\n  c: {instructions: x}\n", nil, config.Flags{})
	require.NoError(t, err)
	for name, want := range map[core.AgentName]map[string]string{
		"a": {"": "A: {id}, {title} ({asked})."}, "b": {"es": "B: {id}", "de": "{agent}: {id}"}, "c": nil,
	} {
		agent, _ := c.Roster.Agent(name)
		require.Equal(t, want, agent.Notification)
	}
}

// Files are found beside the errand.yaml that names them, wherever errand runs.
func TestTextsInFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("errand.yaml", "data: kept\nprimary: a\nagents:\n  a: {instructions_file: a.md, voice_file: v.md}\n")
	write("a.md", "# A\n\nYou are A. And more.\n")
	write("v.md", "dry\n")
	t.Chdir(t.TempDir())
	src := sources(nil, config.Flags{Config: filepath.Join(dir, "errand.yaml")})
	c, err := config.Load(src)
	require.NoError(t, err)
	require.Equal(t, "# A\n\nYou are A. And more.", c.Roster.Primary().Instructions)
	require.Equal(t, "You are A.", c.Roster.Primary().Description)
	require.Equal(t, "dry", c.Roster.Primary().Voice)
	require.Equal(t, filepath.Join(dir, "kept"), c.Data)
}

func TestTextsAndLanguage(t *testing.T) {
	t.Chdir(t.TempDir())
	cfg, err := load(t, two+"language: de\ntexts:\n  es: {stop.done: Alto.}\n  de: {stop.done: Halt.}\n", nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, "de", cfg.Language)
	require.Equal(t, map[string]map[string]string{"es": {"stop.done": "Alto."}, "de": {"stop.done": "Halt."}}, cfg.Texts)
}

func TestPeople(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, two+`roles: {member: Colleague, master_admin: boss}
rights:
  tools: {remind_me: partner}
  commands: {approve: partner, /cancel: colleague}
  group_sessions: {stop: partner}
  agents: {nikki: boss}
  routes: {"GET /api/outbox": master_admin}
  capabilities: {people.read: partner}
access:
  whatsapp: {mode: allowlist, allow: ["+49 171", 4917], role: Partner}
limits: {messages_per_minute: {person: 5}}
`, nil, config.Flags{})
	require.NoError(t, err)
	for _, test := range []struct {
		kind rights.Kind
		name string
		want core.Role
	}{
		{rights.Tool, "remind_me", core.Partner}, {rights.Command, "/approve", core.Partner}, {rights.Command, "/cancel", core.Member},
		{rights.GroupSession, "/stop", core.Partner}, {rights.Agent, "nikki", core.MasterAdmin}, {rights.Agent, "sasha", core.Guest}, {rights.Route, "GET /api/outbox", core.MasterAdmin},
		{rights.Capability, rights.DeliveriesRead, core.MasterAdmin}, {rights.Route, "POST /api/outbox/{id}/retry", core.Partner},
		{rights.Capability, rights.PeopleRead, core.Partner}, {rights.Route, "GET /people", core.Partner}, {rights.Route, "POST /api/pairings/{code}/deny", core.Partner},
	} {
		require.Equal(t, test.want, c.Rights.Least(test.kind, test.name), test.name)
	}
	require.Equal(t, "Colleague", c.Rights.Name(core.Member))
	require.Equal(t, map[string]config.Access{"web": {Mode: "pairing"}, "whatsapp": {Mode: "allowlist", Allow: []string{"+49 171", "4917"}, Role: core.Partner}}, c.Access)
	require.Equal(t, config.Rates{Person: 5, Channel: 600}, c.Limits.PerMinute)
}

func TestPortOffset(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, "", nil, config.Flags{PortOffset: 100})
	require.NoError(t, err)
	require.Equal(t, []any{"127.0.0.1:8180", 7333, 8333}, []any{c.Listen, c.TemporalPort, c.UIPort})
	c, err = load(t, "", nil, config.Flags{PortOffset: 100, Listen: "[::1]:0"})
	require.NoError(t, err)
	require.Equal(t, "[::1]:0", c.Listen, "any free port stays any free port")
	c, err = load(t, "", nil, config.Flags{PortOffset: 100, Listen: "0.0.0.0:8650"})
	require.NoError(t, err)
	require.Equal(t, []any{"0.0.0.0:8650", 7333}, []any{c.Listen, c.TemporalPort}, "a port that the command line names is that port")
	c, err = load(t, "", map[string]string{"ERRAND_LISTEN": "127.0.0.1:9000"}, config.Flags{PortOffset: 100})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:9100", c.Listen, "that of a second installation on the same settings is shifted")
}

func TestListening(t *testing.T) {
	t.Chdir(t.TempDir())
	const long = "sixteen letters!"
	for _, closed := range []string{"localhost:80", "127.9.9.9:80", "[::1]:80"} {
		c, err := load(t, "", map[string]string{"ERRAND_TOKEN": "secret"}, config.Flags{Listen: closed})
		require.NoError(t, err)
		require.False(t, c.Public)
	}
	for _, open := range []string{":8080", "0.0.0.0:8080", "[::]:8080", "192.168.1.2:8080", "localhost.example.org:8080"} {
		c, err := load(t, "", map[string]string{"ERRAND_TOKEN": " \n"}, config.Flags{Listen: open})
		require.NoError(t, err, "the key is enough")
		require.True(t, c.Public)
		require.Empty(t, c.Token)
		_, err = load(t, "", map[string]string{"ERRAND_TOKEN": "secret"}, config.Flags{Listen: open})
		require.ErrorContains(t, err, "ERRAND_TOKEN: has 6 characters, but needs at least 16")
		c, err = load(t, "", map[string]string{"ERRAND_TOKEN": long + "\n"}, config.Flags{Listen: open})
		require.NoError(t, err)
		require.Equal(t, long, c.Token.Reveal())
	}
	_, err := load(t, "public_url: https://errand.example.org\n", map[string]string{"ERRAND_TOKEN": "secret"}, config.Flags{})
	require.ErrorContains(t, err, "needs at least 16", "a proxy is reached by other machines")
}

func TestProxies(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, "", nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, "[127.0.0.0/8 ::1/128]", fmt.Sprint(c.TrustedProxies))
	c, err = load(t, "public_url: https://errand.example.org:8443/\ntrusted_proxies: [10.1.2.3/8, \"fd00::5\"]\n", nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, "https://errand.example.org:8443", c.PublicURL)
	require.Equal(t, "[10.0.0.0/8 fd00::5/128]", fmt.Sprint(c.TrustedProxies))
	c, err = load(t, "trusted_proxies: []\n", nil, config.Flags{})
	require.NoError(t, err)
	require.Empty(t, c.TrustedProxies)
}

func TestKeyOfTheEnvironment(t *testing.T) {
	t.Chdir(t.TempDir())
	key := "errand_owner_" + strings.Repeat("a", 43)
	c, err := load(t, "", map[string]string{"ERRAND_KEY": key + "\n"}, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, key, c.Key.Reveal())
	_, err = load(t, "", map[string]string{"ERRAND_KEY": "errand_owner_short"}, config.Flags{})
	require.ErrorContains(t, err, "ERRAND_KEY: ")
	require.NotContains(t, err.Error(), "short")
}

func TestFlagsOfBothLibraries(t *testing.T) {
	args := []string{"--config", "c", "--data=d", "--listen", "l", "--port-offset", "7", "--log-format", "json", "--log-level", "warn"}
	want := &config.Flags{Config: "c", Data: "d", Listen: "l", PortOffset: 7, LogFormat: "json", LogLevel: "warn"}

	fs := flag.NewFlagSet("", flag.ContinueOnError)
	got := config.BindFlags(fs)
	require.NoError(t, fs.Parse(args))
	require.Equal(t, want, got)

	fs = flag.NewFlagSet("", flag.ContinueOnError)
	got = config.BindFlags(fs)
	cobras := pflag.NewFlagSet("", pflag.ContinueOnError)
	cobras.AddGoFlagSet(fs)
	require.NoError(t, cobras.Parse(args))
	require.Equal(t, want, got)
}

// Whoever only speaks to a worker need not hold its keys.
func TestClient(t *testing.T) {
	t.Chdir(t.TempDir())
	src := sources(map[string]string{"ERRAND_LISTEN": "0.0.0.0:80"}, config.Flags{})
	src.File, src.Client = "c.yaml", true
	require.NoError(t, os.WriteFile("c.yaml", []byte("models: {default: {name: x, api_key_env: NOT_HERE}}\n"), 0o600))
	_, err := config.Load(src)
	require.NoError(t, err)
	src.Client = false
	_, err = config.Load(src)
	require.Error(t, err)
}

func TestFailOver(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, `models:
  default:
    name: m
    base_url: https://a/v1/
    providers:
      - {base_url: "https://b/v1"}
      - {name: n, base_url: "https://c/v1", api_key_env: C_KEY}
`, map[string]string{"OPENAI_API_KEY": "ours", "C_KEY": "theirs"}, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, []config.Provider{
		{Name: "m", BaseURL: "https://a/v1", APIKey: "ours", APIKeyEnv: "OPENAI_API_KEY"},
		{Name: "m", BaseURL: "https://b/v1"},
		{Name: "n", BaseURL: "https://c/v1", APIKey: "theirs", APIKeyEnv: "C_KEY"},
	}, c.Models["default"].Providers)
}

func TestSecretsAreNotShown(t *testing.T) {
	t.Chdir(t.TempDir())
	const key = "sk-very-secret"
	c, err := load(t, "", map[string]string{
		"OPENAI_API_KEY": key, "ERRAND_TOKEN": key, "DATABASE_URL": "postgres://u:" + key + "@h/d",
	}, config.Flags{})
	require.NoError(t, err)
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "config", c, "token", c.Token)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "config", c, "token", c.Token)
	encoded, err := json.Marshal(c)
	require.NoError(t, err)
	log.Write(encoded)
	fmt.Fprintf(&log, "%v %+v %#v %s %q %x %d", *c, *c, *c, c.Token, c.Token, c.Token, c.Token)
	require.NotContains(t, log.String(), key)
	require.NotContains(t, log.String(), fmt.Sprintf("%x", key))
	require.Contains(t, log.String(), "[redacted]")
	require.Equal(t, key, c.Token.Reveal())
}
