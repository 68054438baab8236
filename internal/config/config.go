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
	Log          Log

	// PublicURL is where people reach the pages through a proxy, without a slash at
	// its end ("https://errand.example.org"); empty: there is none. ERRAND_PUBLIC_URL
	PublicURL string
	// TrustedProxies are believed when they say for whom they ask.
	TrustedProxies []netip.Prefix

	// V1 is the door for clients of OpenAI's API.
	V1 V1

	Roster *agents.Roster

	// Channels are our accounts on platforms, in the order of the file.
	Channels []Channel

	// Rights say who may do what, and what the roles are called; Access who gets
	// in, by channel or by account ("telegram/main"), where that is not by pairing.
	Rights *rights.Table
	Access map[string]Access

	// Language is what people are spoken to in who have not said otherwise
	// (BCP 47), and Texts what errand says differently, by language and key.
	Language string
	Texts    map[string]map[string]string

	// Models has every model that an agent of Roster names, and is empty when
	// Demo is set: then all of them name agents.DefaultModel, which is the
	// offline demonstration model.
	Models map[string]Model
	Demo   bool

	// CheckModels makes a call to the default model at start, once a day, and asks
	// its providers for their lists of models; ERRAND_CHECK_MODELS.
	CheckModels bool

	// Code is how programs of agents are run.
	Code Code

	// Skills are the instructions for kinds of work that agents read when they need them.
	Skills Skills

	// Files are what agents have of files besides their workspaces.
	Files Files

	// Transcription writes down what people say; nil: nothing does.
	Transcription *TranscriptionModel

	// RemoteAgents are the agents of other systems, in the order of the file; the roster has
	// them too.
	RemoteAgents []RemoteAgent

	// CodingAgents are those of them that are programs on this machine.
	CodingAgents []CodingAgent

	// MCPServers are the MCP servers whose tools agents can call, in the order of the file.
	MCPServers []MCPServer

	// Web is how agents search the web and read it.
	Web Web
	// Hooks are what programs are told over HTTP.
	Hooks Hooks

	Sessions    Sessions
	Delegation  Delegation
	Budgets     Budgets
	Temporal    Temporal
	Durability  Durability
	Slots       Slots
	Limits      Limits
	TimeZone    string // of every time of day: IANA's name, or "Local" for the machine's; see [Config.Zone]
	Retention   Retention
	Maintenance Maintenance
	Questions   Questions
	QuietHours  QuietHours
	// Approvals are the rules by which tools wait for a yes, by name or pattern.
	Approvals map[string]errand.ApprovalRule
	Team      Team

	// Procedures are the delegations that have names, in the order of the file.
	Procedures []errand.Procedure
}

// Team bounds what people ask of agents by /team.
type Team struct {
	AtOnce        int // open requests of one person
	PerMinute     int // requests of one person
	PairPerMinute int // requests of one person to an agent, beside their conversation with another
	Messages      int // of the conversation that go with a request which does not say how many
	AdminsOnly    bool
}

// Log is how the process logs.
type Log struct {
	Format LogFormat
	Level  slog.Level
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
	SuspendAfter time.Duration // idle for this long, the workflow of a session completes
	Busy         BusyMode
	Patience     time.Duration // how long a turn waits for a delegated task before it says "working"
	FoldWindow   time.Duration // results that arrive within it are told in one turn; 0: each for itself
	FoldTimeout  time.Duration // after which a result that no turn has told is told as a notification
	Promises     bool          // a reply that promises work which nobody has begun is held back
	MaxSteps     int           // model calls in one turn, of agents that set no bound of their own
	Window       int           // messages of the transcript in a prompt
	EndAfter     time.Duration // idle for this long, a session ends; 0: never
	TitleModel   string        // names chats that their people have not named; empty: none does

	BeginWith  BeginMode            // whom a new session begins with
	Sticky     bool                 // conversations may be handed over
	StickyFor  time.Duration        // after which, without a reply, a session goes back to the primary agent
	Groups     GroupMode            // of group chats that GroupChats does not name
	GroupChats map[string]GroupMode // by chat: "telegram/main/-1001234567"
}

// A BeginMode says whom a new session begins with.
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
	Transcripts time.Duration // of ended sessions, with their tasks
	Deliveries  time.Duration // that have been made or dismissed
	UsageDetail time.Duration // of each model call; the sums of each day stay
	Memory      time.Duration // since a note was last changed, whatever its own expiry
	Audit       time.Duration // of who has done what
}

// Maintenance is when what is past its time is removed.
type Maintenance struct {
	Enabled bool
	At      Clock // in TimeZone
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
	MaxDepth int // 1: a sub-agent may not delegate
	// PairPerHour is how often two agents may ask each other in one conversation; 0:
	// without bound.
	PairPerHour int
}

// Budgets are what may be spent before model calls are refused.
type Budgets struct {
	Turn      Budget // of one root (turn, API call, reminder) and its whole tree of tasks
	PersonDay Budget // of one person on one day
}

// A Budget bounds model calls. Zero is no bound.
type Budget struct {
	Calls  int
	Tokens int     // input and output
	Cost   float64 // USD
}

// Temporal is where Temporal is and what it is shown.
type Temporal struct {
	Address   string // host:port of a cluster; empty: the embedded server; TEMPORAL_ADDRESS
	Namespace string // TEMPORAL_NAMESPACE
	APIKey    Secret // may be empty; TEMPORAL_API_KEY

	// Titles lets workflows carry the first 60 characters of a task, for the
	// Web UI.
	Titles bool

	// SearchAttributes lets errand add and set its own search attributes.
	SearchAttributes bool
}

// Durability is what a power cut may cost on the embedded default. A killed
// process loses nothing in either.
type Durability string

// The durabilities.
const (
	DurabilityNormal Durability = "normal" // the last moments, for speed
	DurabilityFull   Durability = "full"   // nothing: each commit waits for the disk
)

// Slots bound what one worker does at once, each kind of work for itself: what
// has used up its own takes none of the others'.
type Slots struct {
	Turns      int // model and tool calls of people's turns
	Tasks      int // model and tool calls of sub-agents
	Store      int // what only reads and writes the store
	Deliveries int // 0: as many as the accounts of platforms need
}

// Limits bound what is taken in.
type Limits struct {
	MessageBytes int // of the text of one message
	// AttachmentBytes is how much a message may bring besides its text, all
	// together; 0: nothing.
	AttachmentBytes int
	PerDay          Attachments
	Downloads       int // messages that bring something, of one account, taken at once by one worker
	PerMinute       Rates
	OpenTasks       int // of one person; 0: no limit
	Workspaces      Workspaces
}

// Workspaces are how many bytes all files of workspaces have together. Zero is no limit.
type Workspaces struct {
	Person int // of one person
	All    int
}

// Attachments are how many bytes of files are taken in a UTC day. Zero is no bound.
type Attachments struct {
	Person int // from one person
	All    int // from everybody together
}

// Rates are how many messages are taken in a minute. Zero is no bound.
type Rates struct {
	Person  int // from one person
	Channel int // on one account as a whole; those of guests and of strangers count for themselves
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
	Call   float64 // of each recording
	Minute float64 // of what is said
}

// A Provider is one server of the OpenAI-compatible wire that offers a model.
type Provider struct {
	Name      string // the provider's name of the model
	BaseURL   string // "https://api.openai.com/v1"
	APIKey    Secret // may be empty
	APIKeyEnv string // the variable or the file it came from, for messages; empty: no key is sent

	API        API  // empty: [APIAuto]
	Background bool // the provider keeps answers, so that a call goes on without us
	Vision     bool // the model sees pictures

	// Accepts are what the server takes besides what it is known to: some of acceptedFields.
	Accepts []string

	// 0, of each: as package llm has it.
	Concurrency int           // calls in flight to this server, over all models
	MaxTools    int           // with one request
	FirstToken  time.Duration // how long it may say nothing before an answer begins
	Idle        time.Duration // how long an answer may stand still
}

// An API is a wire that a provider is spoken to over.
type API string

// The wires.
const (
	APIAuto      API = "auto"
	APIChat      API = "chat"
	APIResponses API = "responses"
)

var acceptedFields = []string{"cache_key", "effort", "verbosity"}

// A Price is in USD per million tokens. The zero value is free, or unknown.
type Price struct {
	Input  float64
	Output float64
	Cached *float64 // of input that the provider had in its cache; nil: as other input
	Write  *float64 // of input that it put there; likewise
}

func defaults() *Config {
	return &Config{
		TemporalPort: 7233,
		UIPort:       8233,
		// Addresses prove nothing, so that a process here that lies about for whom it
		// asks gains only that its attempts are counted elsewhere.
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
		Language:       texts.English,
		Models:         make(map[string]Model),
		CheckModels:    true,
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
		Web:        Web{Search: Search{Engine: DuckDuckGo, BaseURL: engines[DuckDuckGo].base}},
		Delegation: Delegation{MaxDepth: 3, PairPerHour: 60},
		Team:       Team{AtOnce: 5, PerMinute: 6, PairPerMinute: 4, Messages: 5},
		Budgets: Budgets{
			Turn:      Budget{Calls: 200, Tokens: 2_000_000, Cost: 5},
			PersonDay: Budget{Calls: 5000, Tokens: 20_000_000, Cost: 50},
		},
		Temporal:   Temporal{Namespace: "default", Titles: true, SearchAttributes: true},
		Durability: DurabilityNormal,
		Slots:      Slots{Turns: 64, Tasks: 48, Store: 64},
		Limits:     Limits{MessageBytes: 64 << 10, AttachmentBytes: 20_000_000, PerDay: Attachments{Person: 200_000_000, All: 5_000_000_000}, Downloads: 8, PerMinute: Rates{Person: 60, Channel: 600}, OpenTasks: 64, Workspaces: Workspaces{Person: 1_000_000_000, All: 20_000_000_000}},
		Rights:     rights.Default(),
		Access:     map[string]Access{errand.ChannelWeb: {Mode: AccessPairing}},
		TimeZone:   LocalZone,
		Retention:  Retention{Transcripts: 365 * day, Deliveries: 30 * day, UsageDetail: 90 * day, Audit: 365 * day},
		Maintenance: Maintenance{
			Enabled: true,
			At:      Clock{Hour: 3},
		},
		QuietHours: QuietHours{AwakeFor: 30 * time.Minute},
		Questions:  Questions{ExpireAfter: 7 * day, RemindAfter: []time.Duration{time.Hour, day}},
	}
}
