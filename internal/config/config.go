package config

import (
	"log/slog"
	"net/netip"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/rights"
	"errand/internal/texts"
)

// A Config is all that can be set, checked. [Load] makes one; nothing changes
// it afterwards.
type Config struct {
	Settings

	File string // the errand.yaml it was read from; empty: there is none

	Data         string // directory of everything that errand keeps; ERRAND_DATA
	Listen       string // host:port of the HTTP server, already shifted; ERRAND_LISTEN
	TemporalPort int    // of the embedded Temporal server, already shifted
	UIPort       int    // of its Web UI, already shifted
	PortOffset   int    // by which the three were shifted
	Public       bool   // other machines can reach Listen
	Token        Secret // the owner's, beside the key; may be empty; ERRAND_TOKEN
	Key          Secret // the owner's, where it is not to be that of Data; ERRAND_KEY
	DatabaseURL  Secret // postgres://…; empty: SQLite under Data; DATABASE_URL

	// PublicURL is where people reach the pages through a proxy, without a slash at
	// its end ("https://errand.example.org"); empty: there is none. ERRAND_PUBLIC_URL
	PublicURL string
	// TrustedProxies are believed when they say for whom they ask.
	TrustedProxies []netip.Prefix

	Roster *agents.Roster

	// Channels are our accounts on platforms, in the order of the file.
	Channels []Channel

	// Rights say who may do what, and what the roles are called; Access who gets
	// in, by channel or by account ("telegram/main"), where that is not by pairing.
	Rights *rights.Table
	Access map[string]Access

	// Models has every model that an agent of Roster names, and is empty when
	// Demo is set: then all of them name agents.DefaultModel, which is the
	// offline demonstration model.
	Models map[string]Model
	Demo   bool

	// Skills are the instructions for kinds of work that agents read when they need them.
	Skills Skills

	// Transcription writes down what people say; nil: nothing does.
	Transcription *TranscriptionModel

	// RemoteAgents are the agents of other systems, in the order of the file; the roster has
	// them too.
	RemoteAgents []RemoteAgent

	// CodingAgents are those of them that are programs on this machine.
	CodingAgents []CodingAgent

	// Web is how agents search the web and read it.
	Web Web

	// Procedures are the delegations that have names, in the order of the file.
	Procedures []errand.Procedure
}

// Settings are the sections of errand.yaml that are used as they are written. The
// comments of the fields describe the keys in the schema.
type Settings struct {
	CheckModels bool       `yaml:"check_models"` // At start, ask each provider for its models and try the default model. Default: true.
	Hooks       Hooks      `yaml:"hooks"`        // Which addresses webhooks may call.
	Code        Code       `yaml:"code"`         // The sandbox for programs of agents.
	Sessions    Sessions   `yaml:"sessions"`     // How a conversation behaves.
	Delegation  Delegation `yaml:"delegation"`   // Limits on delegation between agents.
	Team        Team       `yaml:"team"`         // Limits on /team.
	Budgets     Budgets    `yaml:"budgets"`      // Limits on model calls, tokens and cost; 0: no limit.
	Temporal    Temporal   `yaml:"temporal"`     // What errand shows in Temporal.
	// full: each commit waits for the disk, so a power cut loses nothing. normal: a power cut may lose the last moments.
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
	Approvals   map[string]errand.ApprovalRule `yaml:"approvals" enum:"always,first,never"`
	Questions   Questions                      `yaml:"questions"`   // What agents ask people.
	Maintenance Maintenance                    `yaml:"maintenance"` // The daily clean-up of old data.
	V1          V1                             `yaml:"v1"`          // The door for clients of OpenAI's API.
	Log         Log                            `yaml:"log"`         // How the process logs.
}

// Team limits /team.
type Team struct {
	AtOnce        int  `yaml:"at_once" least:"1" most:"1000"`         // Open requests of one person.
	PerMinute     int  `yaml:"per_minute" least:"1" most:"1000"`      // Requests of one person.
	PairPerMinute int  `yaml:"pair_per_minute" least:"1" most:"1000"` // Requests of one person to one agent that does not lead the chat.
	Messages      int  `yaml:"messages" least:"1" most:"20"`          // Messages of the conversation that are sent along.
	AdminsOnly    bool `yaml:"admins_only"`                           // Only admins may use /team.
}

// Log is how the process logs.
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

// Sessions is how a conversation behaves.
type Sessions struct {
	SuspendAfter time.Duration `yaml:"suspend_after" least:"1s"`                  // Unload a session that is idle for so long.
	Busy         BusyMode      `yaml:"busy" enum:"collect,steer,queue,interrupt"` // How errand handles messages during a turn.
	// How long a turn waits for another agent before it replies that the work continues.
	Patience    time.Duration `yaml:"patience"`
	FoldWindow  time.Duration `yaml:"fold_window"`                     // Results that arrive within this time share one message.
	FoldTimeout time.Duration `yaml:"fold_timeout" least:"1s"`         // Then errand sends an unreported result as a notification.
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

// A BeginMode says which agent a new session begins with.
type BeginMode string

// The modes of beginning.
const (
	BeginPrimary BeginMode = "primary" // the primary agent
	BeginLast    BeginMode = "last"    // the agent that the person talked with last
)

// A GroupMode says whose sessions a group chat has.
type GroupMode string

// The modes of group chats.
const (
	OwnSessions    GroupMode = "own"    // each person's own
	SharedSessions GroupMode = "shared" // one that all of them share
)

// Retention is how long what is over is kept. Zero is for ever.
type Retention struct {
	Transcripts Age `yaml:"transcripts"`  // Sessions that have ended, with their tasks.
	Deliveries  Age `yaml:"deliveries"`   // What was sent on platforms.
	UsageDetail Age `yaml:"usage_detail"` // Each model call; the sums of each day stay.
	Memory      Age `yaml:"memory"`       // Notes that nobody has changed.
	Audit       Age `yaml:"audit"`        // Who has done what.
}

// Maintenance is when what is past its time is removed.
type Maintenance struct {
	Enabled bool  `yaml:"enabled"` // Default: true.
	At      Clock `yaml:"at"`      // Time of day, such as "03:00".
}

// A BusyMode says what becomes of messages that arrive while a turn runs.
type BusyMode string

// The busy modes.
const (
	Collect   BusyMode = "collect"   // the burst is the next turn
	Steer     BusyMode = "steer"     // appended after the tool results of the running step
	Queue     BusyMode = "queue"     // one turn each
	Interrupt BusyMode = "interrupt" // the running turn is closed, and the next begins
)

// Delegation bounds what agents ask of one another.
type Delegation struct {
	MaxDepth    int `yaml:"max_depth" least:"1" most:"10"`         // 1: a sub-agent may not delegate.
	PairPerHour int `yaml:"pair_per_hour" least:"0" most:"100000"` // How often two agents ask each other in one conversation; 0: no limit.
}

// Budgets are what may be spent before model calls are refused.
type Budgets struct {
	Turn      Budget `yaml:"turn"`       // One turn with all its tasks.
	PersonDay Budget `yaml:"person_day"` // One person's day.
}

// A Budget bounds model calls. Zero is no bound.
type Budget struct {
	Calls  int     `yaml:"calls" least:"0"`  // Model calls.
	Tokens int     `yaml:"tokens" least:"0"` // Tokens, in and out.
	Cost   float64 `yaml:"cost" least:"0"`   // US dollars.
}

// Temporal is where Temporal is and what it is shown.
type Temporal struct {
	Address   string `yaml:"-"` // host:port of a cluster; empty: the embedded server; TEMPORAL_ADDRESS
	Namespace string `yaml:"-"` // TEMPORAL_NAMESPACE
	APIKey    Secret `yaml:"-"` // may be empty; TEMPORAL_API_KEY

	Titles           bool `yaml:"titles"`            // The first 60 characters of a task in Temporal's Web UI.
	SearchAttributes bool `yaml:"search_attributes"` // Add and set errand's search attributes.
}

// Durability is what a power cut may cost on the embedded default. A killed
// process loses nothing in either.
type Durability string

// The durabilities.
const (
	DurabilityNormal Durability = "normal" // the last moments, for speed
	DurabilityFull   Durability = "full"   // nothing: each commit waits for the disk
)

// Slots limit what one worker does at once. Each kind of work has slots of its own, and never
// takes those of another kind. Deliveries 0: as many as the accounts need.
type Slots struct {
	// Model and tool calls of people's turns; one person has at most three quarters of them, a guest half.
	Turns      int `yaml:"turns" least:"1" most:"10000"`
	Tasks      int `yaml:"tasks" least:"1" most:"10000"`      // Model and tool calls of sub-agents.
	Store      int `yaml:"store" least:"1" most:"10000"`      // Activities that only read and write the store.
	Deliveries int `yaml:"deliveries" least:"1" most:"10000"` // Chats that errand sends to, on all accounts.
}

// Limits bound what people may send and start.
type Limits struct {
	MessageBytes    int         `yaml:"message_bytes" least:"1" most:"1048576"`      // Text of one message.
	AttachmentBytes int         `yaml:"attachment_bytes" least:"0" most:"200000000"` // All files of one message; 0: errand takes no files.
	PerDay          Attachments `yaml:"attachment_bytes_per_day"`                    // Files that people send in a UTC day; 0: no limit.
	// Messages with files that one worker downloads at once from each account.
	Downloads int   `yaml:"downloads" least:"1" most:"100"`
	PerMinute Rates `yaml:"messages_per_minute"` // 0: no limit.
	// Open tasks of one person; 0: no limit.
	OpenTasks  int        `yaml:"open_tasks" least:"0" most:"1000000"`
	Workspaces Workspaces `yaml:"workspace_bytes"` // All files of workspaces with their versions; 0: no limit.
}

// Workspaces are how many bytes all files of workspaces have together. Zero is no limit.
type Workspaces struct {
	Person int `yaml:"person" least:"0"` // Of one person.
	All    int `yaml:"all" least:"0"`    // Of all people.
}

// Attachments are how many bytes of files are taken in a UTC day. Zero is no bound.
type Attachments struct {
	Person int `yaml:"person" least:"0"` // Of one person.
	All    int `yaml:"all" least:"0"`    // Of everybody.
}

// Rates are how many messages are taken in a minute. Zero is no bound.
type Rates struct {
	Person  int `yaml:"person" least:"0" most:"100000"`   // Of one person.
	Channel int `yaml:"channel" least:"0" most:"1000000"` // To one account of ours.
}

// A Model is a configured model.
type Model struct {
	Providers     []Provider // in order of preference; the first is the model's own
	Price         Price
	MaxOutput     int // tokens of one answer; 0: the provider's default
	ContextTokens int // size of the context window; 0: unknown
}

// A TranscriptionModel is a model that writes down speech.
type TranscriptionModel struct {
	Provider
	Language string // of what is said, as "en"; empty: the model finds out
	Price    TranscriptionPrice
	// MaxLength is of the longest voice message that is taken; 0: no limit.
	MaxLength time.Duration
}

// A TranscriptionPrice is in USD. The zero value is free, or unknown.
type TranscriptionPrice struct {
	Call   float64 `yaml:"call" least:"0"`   // Of each call.
	Minute float64 `yaml:"minute" least:"0"` // Of each minute.
}

// A Provider is one server of the OpenAI-compatible wire that offers a model.
type Provider struct {
	BaseURL   string `yaml:"-"` // "https://api.openai.com/v1"
	APIKey    Secret `yaml:"-"` // may be empty
	APIKeyEnv string `yaml:"-"` // the variable or the file it came from, for messages; empty: no key is sent
	Vision    bool   `yaml:"-"` // the model sees pictures

	Name        string `yaml:"name"`                               // What the provider calls the model.
	Concurrency int    `yaml:"concurrency" least:"1" most:"10000"` // Calls in flight at this server, over all workers. Default: 64.
	MaxTools    int    `yaml:"max_tools" least:"1" most:"10000"`   // How many tools it takes with one request. Default: 128.
	// How long errand waits for an answer to begin. Default: 10m, or 1m if another provider follows.
	FirstToken time.Duration `yaml:"first_token" least:"1s"`
	// How long a pause within an answer may last. Default: 1m.
	Idle    time.Duration `yaml:"idle" least:"1s"`
	Accepts []string      `yaml:"accepts" enum:"cache_key,effort,verbosity"` // Parameters that the server supports besides the known ones.
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

// A Price is in USD per million tokens. The zero value is free, or unknown.
type Price struct {
	Input  float64  `yaml:"input" least:"0"`  // Input tokens.
	Output float64  `yaml:"output" least:"0"` // Output tokens.
	Cached *float64 `yaml:"cached" least:"0"` // Input tokens read from the provider's cache. Default: as input.
	Write  *float64 `yaml:"write" least:"0"`  // Input tokens written to the provider's cache. Default: as input.
}

func defaults() *Config {
	return &Config{
		Settings:     defaultSettings(),
		TemporalPort: 7233,
		UIPort:       8233,
		// Addresses prove nothing, so that a process here that lies about for whom it
		// asks gains only that its attempts are counted elsewhere.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Models:         make(map[string]Model),
		Web:            Web{Search: Search{Engine: DuckDuckGo, BaseURL: engines[DuckDuckGo].base}},
		Rights:         rights.Default(),
		Access:         map[string]Access{errand.ChannelWeb: {Mode: AccessPairing}},
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
		Questions:   Questions{ExpireAfter: 7 * day, RemindAfter: []Age{Age(time.Hour), day}},
		Log:         Log{Format: LogText},
	}
}
