package config

import (
	"log/slog"
	"net/netip"
	"time"

	"errand/api"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/texts"
)

// A Config is all settings, checked. [Load] makes it. It does not change.
type Config struct {
	Settings

	File string // path of the errand.yaml; empty: no file

	Data         string // folder for all data; ERRAND_DATA
	Listen       string // host:port of the HTTP server, already shifted; ERRAND_LISTEN
	TemporalPort int    // of the embedded Temporal server, already shifted
	UIPort       int    // of its Web UI, already shifted
	PortOffset   int
	Public       bool   // Listen is reachable from other machines
	Token        Secret // the owner's token, in addition to the key; optional; ERRAND_TOKEN
	Key          Secret // the owner's key, instead of the one in Data; ERRAND_KEY
	DatabaseURL  Secret // postgres://…; empty: SQLite under Data; DATABASE_URL

	// PublicURL is the address of the pages behind a proxy, without a trailing slash
	// ("https://errand.example.org"); empty: none. ERRAND_PUBLIC_URL
	PublicURL string
	// TrustedProxies are the proxies that may report the client's address.
	TrustedProxies []netip.Prefix

	Roster *agents.Roster

	// Channels are errand's accounts on platforms, in the order of the file.
	Channels []Channel

	// Rights holds who may do what, and the names of the roles. Access is who may use a
	// channel or an account ("telegram/main"); default: pairing.
	Rights *rights.Table
	Access map[string]Access

	// Models has every model that an agent of Roster names. If Demo is set, Models is empty
	// and every agent names agents.DefaultModel, the offline demonstration model.
	Models map[string]Model
	Demo   bool

	Skills Skills

	// Transcription is the model that transcribes recordings; nil: none.
	Transcription *TranscriptionModel

	// RemoteAgents are agents of other systems, in the order of the file. They are in Roster too.
	RemoteAgents []RemoteAgent

	// CodingAgents are the remote agents that are programs on this machine.
	CodingAgents []CodingAgent

	// Web configures how agents search and read the web.
	Web Web

	// Procedures are the named delegations, in the order of the file.
	Procedures []core.Procedure
}

// Settings are the sections of errand.yaml that are used unchanged. The field comments are
// the descriptions in the schema.
type Settings struct {
	CheckModels bool       `yaml:"check_models"` // At start, ask each provider for its models and try the default model. Default: true.
	Hooks       Hooks      `yaml:"hooks"`        // Which addresses webhooks may call.
	Code        Code       `yaml:"code"`         // The sandbox for programs of agents.
	Sessions    Sessions   `yaml:"sessions"`     // How a conversation behaves.
	Delegation  Delegation `yaml:"delegation"`   // Limits on delegation between agents.
	Team        Team       `yaml:"team"`         // Limits on the command /team.
	Budgets     Budgets    `yaml:"budgets"`      // Limits on model calls, tokens and cost; 0: no limit.
	Temporal    Temporal   `yaml:"temporal"`     // What errand shows in Temporal.
	// full: each commit waits for the disk, so a power cut loses nothing. normal: a power cut may lose the last moments before it.
	Durability Durability  `yaml:"durability" enum:"normal,full"`
	Slots      Slots       `yaml:"slots"`                 // How much work one worker runs at once.
	Limits     Limits      `yaml:"limits"`                // Limits on messages, files and tasks.
	MCPServers []MCPServer `yaml:"mcp_servers" most:"50"` // MCP servers whose tools agents can call.
	// Language of errand's own texts for people who have not chosen one, such as en or es.
	Language  string                       `yaml:"language" check:"language"`
	Texts     map[string]map[string]string `yaml:"texts"`                  // Replacements for errand's own texts, by language and key.
	TimeZone  string                       `yaml:"time_zone" check:"zone"` // Default time zone, such as Europe/Oslo; Local: the machine's.
	Retention Retention                    `yaml:"retention"`              // How long errand keeps old data; 0: for ever.
	// Tools that need an approval, by name or pattern. always: for each call. first: once in a session for the same arguments.
	Approvals   map[string]core.ApprovalRule `yaml:"approvals" enum:"always,first,never"`
	Questions   Questions                    `yaml:"questions"`   // What agents ask people.
	Maintenance Maintenance                  `yaml:"maintenance"` // The daily clean-up of old data.
	Backup      Backup                       `yaml:"backup"`      // Regular backups. Default: none.
	V1          V1                           `yaml:"v1"`          // The API for clients of OpenAI (/v1).
	Log         Log                          `yaml:"log"`         // How the process logs.
}

// Team limits /team.
type Team struct {
	AtOnce        int  `yaml:"at_once" least:"1" most:"1000"`         // Open requests of one person.
	PerMinute     int  `yaml:"per_minute" least:"1" most:"1000"`      // Requests of one person.
	PairPerMinute int  `yaml:"pair_per_minute" least:"1" most:"1000"` // Requests of one person to one agent that does not lead the chat.
	Messages      int  `yaml:"messages" least:"1" most:"20"`          // Messages of the conversation that are sent along by default.
	AdminsOnly    bool `yaml:"admins_only"`                           // Only admins may use /team.
}

// Log configures the process log.
type Log struct {
	Format LogFormat  `yaml:"format" enum:"text,json"`            // Default: text.
	Level  slog.Level `yaml:"level" enum:"debug,info,warn,error"` // Default: info.
}

// A LogFormat is text for people or JSON for machines.
type LogFormat string

// The formats of the log.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// Sessions configures conversations.
type Sessions struct {
	SuspendAfter time.Duration `yaml:"suspend_after" least:"1s"`                  // Unload a session that has been idle for this long.
	Busy         BusyMode      `yaml:"busy" enum:"collect,steer,queue,interrupt"` // How errand handles messages during a turn.
	// How long a turn waits for another agent before it replies that the work continues.
	Patience    time.Duration `yaml:"patience"`
	FoldWindow  time.Duration `yaml:"fold_window"`                     // Results that arrive within this time share one message.
	FoldTimeout time.Duration `yaml:"fold_timeout" least:"1s"`         // After this time errand sends a result that no reply has reported as a notification.
	Promises    bool          `yaml:"check_promises"`                  // Hold back a reply that promises work that no agent has begun.
	MaxSteps    int           `yaml:"max_steps" least:"1" most:"1000"` // Model calls in one turn, for agents without max_steps.
	Window      int           `yaml:"window" least:"1" most:"10000"`   // Messages of the transcript in a prompt.
	EndAfter    Age           `yaml:"end_after"`                       // A session that is idle this long ends; 0: never.
	// A key of models: the model that names chats. Default: a chat's first words are its name.
	TitleModel string    `yaml:"title_model"`
	BeginWith  BeginMode `yaml:"begin_with" enum:"primary,last"` // Agent of a new session: the primary agent, or the person's last one.
	Sticky     bool      `yaml:"sticky"`                         // Conversations may be handed over.
	// A session returns to the primary agent this long after the agent's last reply. An agent's own sticky_for overrides it.
	StickyFor time.Duration `yaml:"sticky_for" least:"1m"`
	// Sessions in group chats. own: each person has one. shared: one for all. A map sets it for each chat.
	GroupChats oneOrEach[GroupMode] `yaml:"group_sessions" enum:"own,shared"`
	Groups     GroupMode            `yaml:"-"` // of group chats that GroupChats does not name
}

// A BeginMode selects the agent that a new session begins with.
type BeginMode string

// The begin modes.
const (
	BeginPrimary BeginMode = "primary" // the primary agent
	BeginLast    BeginMode = "last"    // the agent that the person last talked with
)

// A GroupMode says whether the people of a group chat share a session.
type GroupMode string

// The group modes.
const (
	OwnSessions    GroupMode = "own"    // one for each person
	SharedSessions GroupMode = "shared" // one for all
)

// Retention is how long errand keeps old data. Zero means for ever.
type Retention struct {
	Transcripts Age `yaml:"transcripts"`  // Sessions that have ended, with their tasks.
	Deliveries  Age `yaml:"deliveries"`   // What was sent on platforms.
	UsageDetail Age `yaml:"usage_detail"` // Each model call; the sums of each day stay.
	Memory      Age `yaml:"memory"`       // Notes, counted from their last change.
	Audit       Age `yaml:"audit"`        // The audit log.
}

// Maintenance is when errand removes old data.
type Maintenance struct {
	Enabled bool  `yaml:"enabled"` // Default: true.
	At      Clock `yaml:"at"`      // Time of day, such as "03:00".
}

// Backup is how often errand backs itself up, and where to.
type Backup struct {
	Every  time.Duration `yaml:"every" least:"1m"`           // Time between two backups, such as 24h.
	Keep   int           `yaml:"keep" least:"1" most:"1000"` // How many backups stay. Default: 7.
	Folder string        `yaml:"folder"`                     // Where they are written; relative to errand.yaml.
}

// A BusyMode is how errand handles messages that arrive during a turn.
type BusyMode string

// The busy modes.
const (
	Collect   BusyMode = "collect"   // all of them form the next turn
	Steer     BusyMode = "steer"     // they follow the tool results of the running step
	Queue     BusyMode = "queue"     // each gets its own turn
	Interrupt BusyMode = "interrupt" // they stop the running turn and start the next
)

// Delegation limits the requests between agents.
type Delegation struct {
	MaxDepth    int `yaml:"max_depth" least:"1" most:"10"`         // How deep delegations nest; 1: a sub-agent may not delegate.
	PairPerHour int `yaml:"pair_per_hour" least:"0" most:"100000"` // How often two agents ask each other in one conversation; 0: no limit.
}

// Budgets limit what people may spend. errand refuses model calls beyond them.
type Budgets struct {
	Turn      Budget `yaml:"turn"`       // Limits of one turn with all its tasks.
	PersonDay Budget `yaml:"person_day"` // Limits of one person in a UTC day.
}

// A Budget limits model calls. Zero means no limit.
type Budget struct {
	Calls  int     `yaml:"calls" least:"0"`  // Model calls.
	Tokens int     `yaml:"tokens" least:"0"` // Tokens, in and out.
	Cost   float64 `yaml:"cost" least:"0"`   // US dollars.
}

// Temporal is the connection to Temporal, and what errand shows there.
type Temporal struct {
	Address   string `yaml:"-"` // host:port of a cluster; empty: the embedded server; TEMPORAL_ADDRESS
	Namespace string `yaml:"-"` // TEMPORAL_NAMESPACE
	APIKey    Secret `yaml:"-"` // optional; TEMPORAL_API_KEY

	Titles           bool `yaml:"titles"`            // Show the first 60 characters of a task in Temporal's Web UI.
	SearchAttributes bool `yaml:"search_attributes"` // Add and set errand's search attributes.
}

// Durability says what a power cut may lose with the embedded default. A killed process
// never loses anything.
type Durability string

// The durabilities.
const (
	DurabilityNormal Durability = "normal" // the last moments; faster
	DurabilityFull   Durability = "full"   // nothing: each commit waits for the disk
)

// Slots limit the concurrent work of one worker. Each kind of work has its own slots. If
// Deliveries is 0, it is as many as the accounts need.
type Slots struct {
	// Model and tool calls of people's turns. One person gets at most three quarters of the slots, a guest at most half.
	Turns      int `yaml:"turns" least:"1" most:"10000"`
	Tasks      int `yaml:"tasks" least:"1" most:"10000"`      // Model and tool calls of sub-agents.
	Store      int `yaml:"store" least:"1" most:"10000"`      // Activities that only read and write the store.
	Deliveries int `yaml:"deliveries" least:"1" most:"10000"` // Chats to which errand sends at the same time, on all accounts.
}

// Limits limit what people may send and start.
type Limits struct {
	MessageBytes    int         `yaml:"message_bytes" least:"1" most:"1048576"`      // Text of one message.
	AttachmentBytes int         `yaml:"attachment_bytes" least:"0" most:"200000000"` // All files of one message; 0: errand takes no files.
	PerDay          Attachments `yaml:"attachment_bytes_per_day"`                    // Files that people send in a UTC day; 0: no limit.
	// Messages with files that one worker downloads at once from each account.
	Downloads int   `yaml:"downloads" least:"1" most:"100"`
	PerMinute Rates `yaml:"messages_per_minute"` // Messages accepted in a minute; 0: no limit.
	// Open tasks of one person; 0: no limit.
	OpenTasks  int        `yaml:"open_tasks" least:"0" most:"1000000"`
	Workspaces Workspaces `yaml:"workspace_bytes"` // All files of workspaces with their versions; 0: no limit.
}

// Workspaces limits the bytes of all files in workspaces. Zero means no limit.
type Workspaces struct {
	Person int `yaml:"person" least:"0"` // Bytes of one person's files.
	All    int `yaml:"all" least:"0"`    // Bytes of all people's files.
}

// Attachments limits the bytes of files accepted in a UTC day. Zero means no limit.
type Attachments struct {
	Person int `yaml:"person" least:"0"` // Bytes of one person's files.
	All    int `yaml:"all" least:"0"`    // Bytes of all people's files.
}

// Rates limits the messages accepted in a minute. Zero means no limit.
type Rates struct {
	Person  int `yaml:"person" least:"0" most:"100000"`   // Messages of one person.
	Channel int `yaml:"channel" least:"0" most:"1000000"` // Messages to one account of errand.
}

// A Model is a configured model.
type Model struct {
	Providers     []Provider // in order of preference; the first is the model's own
	Price         *Price     // nil: unknown
	MaxOutput     int        // tokens of one answer; 0: the provider's default
	ContextTokens int        // size of the context window; 0: unknown
}

// A TranscriptionModel is a model that transcribes recordings.
type TranscriptionModel struct {
	Provider
	Language string // of the recordings, such as "en"; empty: the model detects it
	Price    TranscriptionPrice
	// MaxLength is the longest voice message accepted; 0: no limit.
	MaxLength time.Duration
}

// A TranscriptionPrice is in USD. The zero value means free or unknown.
type TranscriptionPrice struct {
	Call   float64 `yaml:"call" least:"0"`   // Price of each call.
	Minute float64 `yaml:"minute" least:"0"` // Price of each minute.
}

// A Provider is one server of the OpenAI-compatible wire that offers a model.
type Provider struct {
	BaseURL string `yaml:"-"` // "https://api.openai.com/v1"
	APIKey  Secret `yaml:"-"` // optional
	// The variable or file that the key came from, for messages; empty: no key.
	APIKeyEnv string `yaml:"-"`
	Vision    *bool  `yaml:"-"` // the model accepts pictures; nil: unknown

	Name        string `yaml:"name"`                               // What the provider calls the model.
	Concurrency int    `yaml:"concurrency" least:"1" most:"10000"` // Calls at the same time at this server, from all workers. Default: 64.
	MaxTools    int    `yaml:"max_tools" least:"1" most:"10000"`   // How many tools one request may have. Default: 128.
	// How long errand waits for an answer to begin. Default: 10m, or 1m if another provider follows.
	FirstToken time.Duration `yaml:"first_token" least:"1s"`
	// How long a pause within an answer may last. Default: 1m.
	Idle    time.Duration `yaml:"idle" least:"1s"`
	Accepts []string      `yaml:"accepts" enum:"cache_key,effort,verbosity"` // Optional parameters that the server supports.
	// API of the server. auto: responses for api.openai.com, chat for all others.
	API API `yaml:"api" enum:"auto,chat,responses"`
	// With responses only: the provider stores answers, so errand fetches one that was cut off instead of paying again.
	Background bool `yaml:"background"`
}

// An API is the wire that errand uses with a provider.
type API string

// The wires.
const (
	APIAuto      API = "auto"
	APIChat      API = "chat"
	APIResponses API = "responses"
)

// A Price is in USD per million tokens. The zero value means free or unknown.
type Price struct {
	Input  float64  `yaml:"input" least:"0"`  // Input tokens.
	Output float64  `yaml:"output" least:"0"` // Output tokens.
	Cached *float64 `yaml:"cached" least:"0"` // Input tokens read from the provider's cache. Default: the price of input.
	Write  *float64 `yaml:"write" least:"0"`  // Input tokens written to the provider's cache. Default: the price of input.
}

func defaults() *Config {
	return &Config{
		Settings:     defaultSettings(),
		TemporalPort: 7233,
		UIPort:       8233,
		// A local process could report a false client address. It would gain little, because
		// addresses only count attempts and prove nothing.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Models:         make(map[string]Model),
		Web:            Web{Search: Search{Engine: DuckDuckGo, BaseURL: engines[DuckDuckGo].base}},
		Rights:         api.Rights(),
		Access:         map[string]Access{core.ChannelWeb: {Mode: AccessPairing}},
	}
}

func defaultSettings() Settings {
	return Settings{
		Language:    texts.English,
		CheckModels: true,
		Code:        Code{Sandbox: "auto", Timeout: time.Minute, Memory: 512, Files: 256, Processes: 64},
		Sessions: Sessions{
			SuspendAfter: 30 * time.Minute,
			Busy:         Collect,
			Patience:     time.Minute,
			FoldWindow:   3 * time.Second,
			FoldTimeout:  10 * time.Minute,
			MaxSteps:     agents.DefaultMaxSteps,
			Window:       60,
			EndAfter:     30 * day,
			BeginWith:    BeginPrimary,
			Promises:     true,
			Sticky:       true,
			StickyFor:    24 * time.Hour,
			Groups:       OwnSessions,
		},
		Delegation: Delegation{MaxDepth: 3, PairPerHour: 60},
		Team:       Team{AtOnce: 5, PerMinute: 6, PairPerMinute: 4, Messages: 5},
		Budgets: Budgets{
			Turn:      Budget{Calls: 200, Tokens: 2_000_000, Cost: 5},
			PersonDay: Budget{Calls: 5000, Tokens: 20_000_000, Cost: 50},
		},
		Temporal:   Temporal{Namespace: "default", Titles: true, SearchAttributes: true},
		Durability: DurabilityNormal,
		Slots:      Slots{Turns: 64, Tasks: 48, Store: 64},
		Limits: Limits{
			MessageBytes: 64 << 10, AttachmentBytes: 20_000_000, Downloads: 8,
			PerDay: Attachments{Person: 200_000_000, All: 5_000_000_000}, PerMinute: Rates{Person: 60, Channel: 600},
			OpenTasks: 64, Workspaces: Workspaces{Person: 1_000_000_000, All: 20_000_000_000},
		},
		TimeZone:    LocalZone,
		Retention:   Retention{Transcripts: 365 * day, Deliveries: 30 * day, UsageDetail: 90 * day, Audit: 365 * day},
		Maintenance: Maintenance{Enabled: true, At: Clock{Hour: 3}},
		Backup:      Backup{Keep: 7},
		Questions:   Questions{ExpireAfter: 7 * day, RemindAfter: []Age{Age(time.Hour), day}},
		Log:         Log{Format: LogText},
	}
}
