package config

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"errand"
)

// A file is errand.yaml. Its types are the one place that says which keys there are: the
// schema is made of them, with the comments of the fields as descriptions. A tag enum lists
// the words that are taken, least and most are bounds, pattern is a regular expression, check
// names one of checks, and want says what is wanted instead of a value that does not fit.
// In a list or map they are about each item.
type file struct {
	*Settings `yaml:",inline"`

	Primary string               `yaml:"primary"` // The agent that a new session starts with.
	Agents  map[string]agentFile `yaml:"agents"`  // The agents, by name. Default: nikki, sasha, finn and priest.
	// The models, by key; agents name one. default is that of agents that name none.
	Models     map[string]modelFile     `yaml:"models"`
	Voice      *voiceFile               `yaml:"voice"`      // What writes down voice messages.
	Web        webFile                  `yaml:"web"`        // How agents search the web and read it.
	Skills     string                   `yaml:"skills"`     // Folder of skills, relative to this file.
	Procedures map[string]procedureFile `yaml:"procedures"` // Delegations with names: /team NAME.
	Channels   channelsFile             `yaml:"channels"`   // Our accounts on platforms.
	Access     accessFiles              `yaml:"access"`     // Who gets in, by channel.
	Roles      rolesFile                `yaml:"roles"`      // What the roles are called here.
	Rights     rightsFile               `yaml:"rights"`     // Who may do what, where it differs from docs/rights.md.
	// Agents of other systems, by name: reached by A2A (card), or a program on this machine that speaks ACP (acp).
	RemoteAgents map[string]remoteFile `yaml:"remote_agents"`
	Data         string                `yaml:"data"`       // Folder of everything that errand keeps. Default: ./data.
	Listen       string                `yaml:"listen"`     // host:port of the pages and the API. Default: 127.0.0.1:8080.
	PublicURL    string                `yaml:"public_url"` // Where people reach the pages through a proxy.
	// Addresses or networks that are believed when they say for whom they ask.
	TrustedProxies []string `yaml:"trusted_proxies" check:"network"`
}

// An agent.
type agentFile struct {
	// One line for the agents that may call this one. Default: the first sentence of the instructions.
	Description      string  `yaml:"description"`
	Instructions     string  `yaml:"instructions"`      // Who the agent is and what it does, in Markdown.
	InstructionsFile *string `yaml:"instructions_file"` // File with the instructions, relative to this file.
	Voice            string  `yaml:"voice"`             // How it speaks.
	VoiceFile        *string `yaml:"voice_file"`        // File with the voice, relative to this file.
	// How it begins a notification, in the installation's language or by language. {id} has to be there; {agent}, {title} and
	// {asked} may be.
	Notification oneOrEach[string]  `yaml:"notification"`
	Model        string             `yaml:"model"`     // A key of models. Default: default.
	Delegates    []errand.AgentName `yaml:"delegates"` // Whom it may send on errands.
	// Tools it has, by name or pattern such as "github.*". Default: all that are built in; []: none.
	Tools []string `yaml:"tools"`
	// To whom it may hand a conversation over. Default: all whom the primary agent may.
	HandoffTo []errand.AgentName `yaml:"handoff_to"`
	Sticky    *bool              `yaml:"sticky"` // Conversations may be handed over to it. Default: true.
	// A conversation goes back to the primary agent when nothing was said for so long.
	StickyFor time.Duration `yaml:"sticky_for" least:"1m"`
	// The least role of people who may talk with it or have it sent on errands.
	Role errand.Role `yaml:"role"`
	// The most it may do for anybody, whatever they may themselves.
	ActsAs errand.Role `yaml:"acts_as"`
	Skills []string    `yaml:"skills"` // Skills that it has, of the folder skills.
	// Model calls in one turn. Default: sessions.max_steps.
	MaxSteps  int    `yaml:"max_steps" least:"1" most:"1000"`
	Effort    string `yaml:"effort" enum:"none,minimal,low,medium,high,xhigh,max"` // How long its model reasons.
	Verbosity string `yaml:"verbosity" enum:"low,medium,high"`                     // How much its model writes.
}

// An endpoint is where a server is, and where the key for it is.
type endpoint struct {
	// Address of the server, such as http://127.0.0.1:11434/v1. Default: OPENAI_BASE_URL, or OpenAI's.
	BaseURL string `yaml:"base_url" check:"url"`
	// Name of the environment variable that has the key; never the key itself. "": no key is sent.
	KeyEnv  *string `yaml:"api_key_env" check:"variable key"`
	KeyFile *string `yaml:"api_key_file"` // File that has the key, relative to this file. Only you may read it (chmod 600).
}

// Another provider.
type providerFile struct {
	endpoint `yaml:",inline"`
	Provider `yaml:",inline"`
	Sees     *bool `yaml:"vision"` // The model sees pictures.
}

// A model.
type modelFile struct {
	providerFile `yaml:",inline"`
	// Where to go when the first cannot answer. A key is sent only if it is named.
	Providers     []providerFile `yaml:"providers"`
	Price         Price          `yaml:"price"`                    // US dollars per million tokens.
	MaxOutput     int            `yaml:"max_output" least:"1"`     // Tokens of one answer.
	ContextTokens int            `yaml:"context_tokens" least:"1"` // Tokens that the model reads at most.
}

type voiceFile struct {
	endpoint `yaml:",inline"`
	// What the provider calls the model. Default: whisper-1.
	Model string `yaml:"model" pattern:"." want:"what the provider calls the model, such as whisper-1"`
	// Language of what is said, such as en. Default: the model finds out.
	Language  string             `yaml:"language" pattern:"^([a-z]{2,3})?$" want:"a language such as en"`
	MaxLength time.Duration      `yaml:"max_length"` // The longest voice message; 0: no limit. Default: 20m.
	Price     TranscriptionPrice `yaml:"price"`      // US dollars.
}

type webFile struct {
	Search *searchFile `yaml:"search"` // The search engine.
	Fetch  fetchFile   `yaml:"fetch"`  // What agents may read.
}

type fetchFile struct {
	Allow []string `yaml:"allow" check:"host"` // Hosts of your own network that agents may read.
}

type searchFile struct {
	endpoint `yaml:",inline"`
	// The engine. Default: duckduckgo, which needs no key.
	Engine SearchEngine `yaml:"engine" enum:"duckduckgo,searxng,brave,tavily,exa,none"`
}

type branchFile struct {
	Agents []string `yaml:"agents"` // Who is asked.
	Task   string   `yaml:"task"`   // What for. {text} stands for the words behind the name.
}

// A procedure.
type procedureFile struct {
	branchFile `yaml:",inline"`
	Expect     string        `yaml:"expect" enum:"report,decision"`    // What is expected of the agents.
	Policy     string        `yaml:"policy"`                           // What makes a yes of the verdicts, such as "all veto:priest".
	Deadline   time.Duration `yaml:"deadline" least:"1m" most:"2160h"` // After which it ends with what is there.
	Then       *branchFile   `yaml:"then"`                             // What follows a yes.
	Else       *branchFile   `yaml:"else"`                             // What follows any other answer.
}

type channelsFile struct {
	Telegram []channelFile `yaml:"telegram"` // Accounts on Telegram.
	Discord  []channelFile `yaml:"discord"`  // Accounts on Discord.
	WhatsApp []channelFile `yaml:"whatsapp"` // Accounts on WhatsApp.
}

// An account.
type channelFile struct {
	// Our name for the account. Default: main.
	Account string `yaml:"account" pattern:"^[a-z0-9][a-z0-9_-]{0,31}$" want:"1 to 32 of a to z, 0 to 9, - and _"`
	// Name of the environment variable that has the token; never the token itself.
	TokenEnv *string `yaml:"token_env" check:"variable token"`
	// File that has the token, relative to this file. Only you may read it (chmod 600).
	TokenFile *string `yaml:"token_file"`
	// Sessions on it begin with this agent. Default: the primary agent.
	Agent  errand.AgentName `yaml:"agent"`
	Access AccessMode       `yaml:"access" enum:"pairing,allowlist,open"` // Who gets in. Default: as the section access says.
	Allow  []string         `yaml:"allow"`                                // Of an allowlist: ids or numbers that people are known by.
	Role   errand.Role      `yaml:"role"`                                 // Role of those whom allowlist and open let in.
	Groups GroupMode        `yaml:"group_sessions" enum:"own,shared"`     // In its group chats.
	// A server other than the platform's own, such as a local Bot API server.
	URL       string       `yaml:"url" check:"address"`
	Webhook   *webhookFile `yaml:"webhook"`   // Telegram delivers messages instead of being asked for them.
	Reactions *bool        `yaml:"reactions"` // Mark messages as seen and answered. Default: true on WhatsApp.
	// Show answers while they are being written. Default: true on Telegram and Discord; WhatsApp has none.
	Streaming *bool `yaml:"streaming"`
}

type webhookFile struct {
	URL       string `yaml:"url" check:"address"`                // Address at which Telegram reaches errand.
	SecretEnv string `yaml:"secret_env" check:"variable secret"` // Name of the environment variable that has the secret.
}

type accessFiles struct {
	Web      *Access `yaml:"web"`      // Who gets in on this channel.
	Discord  *Access `yaml:"discord"`  // Who gets in on this channel.
	Telegram *Access `yaml:"telegram"` // Who gets in on this channel.
	WhatsApp *Access `yaml:"whatsapp"` // Who gets in on this channel.
}

type rolesFile struct {
	Guest       string `yaml:"guest"`        // Guest.
	Member      string `yaml:"member"`       // Member.
	Partner     string `yaml:"partner"`      // Partner.
	MasterAdmin string `yaml:"master_admin"` // Admin.
}

type rightsFile struct {
	Tools         map[string]errand.Role `yaml:"tools"`          // By tool or pattern.
	Commands      map[string]errand.Role `yaml:"commands"`       // By command.
	GroupSessions map[string]errand.Role `yaml:"group_sessions"` // Commands where the people of a group share a session.
	Agents        map[string]errand.Role `yaml:"agents"`         // By agent.
	Routes        map[string]errand.Role `yaml:"routes"`         // By route, such as "GET /api/outbox".
	Capabilities  map[string]errand.Role `yaml:"capabilities"`   // By capability.
}

// A remote agent: card, or acp and folder.
type remoteFile struct {
	Card    string            `yaml:"card"`    // Address of its card.
	Headers map[string]Secret `yaml:"headers"` // Of each request; ${NAME} stands for a variable of the environment.
	// How errand learns of what is new there. Default: auto, what the agent can.
	Updates     Updates           `yaml:"updates" enum:"stream,poll"`
	Description string            `yaml:"description"` // By which callers choose it.
	Role        errand.Role       `yaml:"role"`        // The least role of people who may have it sent. Default: guest.
	ACP         command           `yaml:"acp"`         // Command of the program, or a list where an argument has spaces.
	Folder      string            `yaml:"folder"`      // Where the program works.
	Env         map[string]Secret `yaml:"env"`         // Of the program; ${NAME} stands for a variable of the environment.
}

// oneOrEach is one value for all, which has the key "", or one for each key.
type oneOrEach[T ~string] map[string]T

// UnmarshalYAML reads either form.
func (m *oneOrEach[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*m = oneOrEach[T]{"": T(n.Value)}
		return nil
	}
	return n.Decode((*map[string]T)(m))
}

// A command is a program with its arguments: a line of words, or a list of them.
type command []string

// UnmarshalYAML reads either form.
func (c *command) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*c = strings.Fields(n.Value)
		return nil
	}
	return n.Decode((*[]string)(c))
}
