package config

import (
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"errand/internal/core"
)

// A file is errand.yaml. The schema is generated from this type, with the field comments
// as descriptions. Tags: enum lists the allowed words, least and most are limits, pattern
// is a regular expression, check names an entry of checks, and want describes a valid
// value. For a list or map they apply to each item.
type file struct {
	*Settings `yaml:",inline"`

	Primary string               `yaml:"primary"` // The agent that a new session starts with.
	Agents  map[string]agentFile `yaml:"agents"`  // The agents, by name. Default: nikki, sasha, finn and priest.
	// The models, by key. Agents that name no model use the key default.
	Models     map[string]modelFile     `yaml:"models"`
	Voice      *voiceFile               `yaml:"voice"`      // The model that transcribes voice messages.
	Web        webFile                  `yaml:"web"`        // How agents search the web and read it.
	Skills     string                   `yaml:"skills"`     // Folder of skills, relative to this file.
	Procedures map[string]procedureFile `yaml:"procedures"` // Named delegations: /team NAME.
	Channels   channelsFile             `yaml:"channels"`   // errand's accounts on platforms.
	Access     accessFiles              `yaml:"access"`     // Who gets in, by channel.
	Roles      rolesFile                `yaml:"roles"`      // Names of the roles.
	Rights     rightsFile               `yaml:"rights"`     // Changes to the table of docs/rights.md.
	// Agents of other systems, by name: a peer that speaks A2A (card), or a program on this machine that speaks ACP (acp).
	RemoteAgents map[string]remoteFile `yaml:"remote_agents"`
	Data         string                `yaml:"data"`       // Folder for all data of errand. Default: ./data.
	Listen       string                `yaml:"listen"`     // host:port of the pages and the API. Default: 127.0.0.1:8080.
	PublicURL    string                `yaml:"public_url"` // Address of the pages behind a proxy.
	// Addresses or networks of proxies whose X-Forwarded-For and X-Forwarded-Proto errand believes.
	TrustedProxies []string `yaml:"trusted_proxies" check:"network"`
}

// An agent.
type agentFile struct {
	// One line for the agents that may call this one. Default: the first sentence of the instructions.
	Description      string  `yaml:"description"`
	Instructions     string  `yaml:"instructions"`      // Who the agent is and what it does, in Markdown.
	InstructionsFile *string `yaml:"instructions_file"` // File with the instructions, relative to this file.
	Voice            string  `yaml:"voice"`             // How it speaks, such as "warm and brief".
	VoiceFile        *string `yaml:"voice_file"`        // File with the voice, relative to this file.
	// How its notifications begin: one text in the installation's language, or one for each language. It must contain {id};
	// {agent}, {title} and {asked} are optional.
	Notification oneOrEach[string] `yaml:"notification"`
	Model        string            `yaml:"model"`     // A key of models. Default: default.
	Delegates    []core.AgentName  `yaml:"delegates"` // Agents to which it may delegate.
	// Tools it has, by name or pattern such as "github.*". Default: all that are built in; []: none.
	Tools []string `yaml:"tools"`
	// Agents to which it may hand a conversation over, besides the primary agent. Default: the list of the primary agent.
	HandoffTo []core.AgentName `yaml:"handoff_to"`
	Sticky    *bool            `yaml:"sticky"` // Conversations may be handed over to it. Default: true.
	// A conversation returns to the primary agent this long after this agent's last reply. Default: sessions.sticky_for.
	StickyFor time.Duration `yaml:"sticky_for" least:"1m"`
	// The lowest role that may talk with it and delegate to it.
	Role core.Role `yaml:"role"`
	// The highest role with which it acts, even for people whose role is higher.
	ActsAs core.Role `yaml:"acts_as"`
	Skills []string  `yaml:"skills"` // Its skills, from the folder that the key skills names.
	// Model calls in one turn. Default: sessions.max_steps.
	MaxSteps  int    `yaml:"max_steps" least:"1" most:"1000"`
	Effort    string `yaml:"effort" enum:"none,minimal,low,medium,high,xhigh,max"` // How long its model reasons.
	Verbosity string `yaml:"verbosity" enum:"low,medium,high"`                     // How much its model writes.
}

// An endpoint is the address of a server and the place of its key.
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
	Sees     *bool `yaml:"vision"` // The model sees pictures. Default: errand's price list, or what a trial of the model shows.
}

// A model.
type modelFile struct {
	providerFile `yaml:",inline"`
	// Other providers, tried in this order if the first cannot answer. errand sends them a key only if they name one.
	Providers     []providerFile `yaml:"providers"`
	Price         *Price         `yaml:"price"`                    // US dollars per million tokens. Default: errand's price list.
	MaxOutput     int            `yaml:"max_output" least:"1"`     // Tokens of one answer.
	ContextTokens int            `yaml:"context_tokens" least:"1"` // Size of the context window, in tokens. Default: errand's price list, or what the server says.
}

type voiceFile struct {
	endpoint `yaml:",inline"`
	// What the provider calls the model. Default: whisper-1.
	Model string `yaml:"model" pattern:"." want:"what the provider calls the model, such as whisper-1"`
	// Language of the recordings, such as en. Default: the model detects it.
	Language  string             `yaml:"language" pattern:"^([a-z]{2,3})?$" want:"a language such as en"`
	MaxLength time.Duration      `yaml:"max_length"` // The longest voice message; 0: no limit. Default: 20m.
	Price     TranscriptionPrice `yaml:"price"`      // US dollars.
}

type webFile struct {
	Search *searchFile `yaml:"search"` // The search engine.
	Fetch  fetchFile   `yaml:"fetch"`  // Which hosts agents may read.
}

type fetchFile struct {
	Allow []string `yaml:"allow" check:"host"` // Hosts of your own network that agents may read.
}

type searchFile struct {
	endpoint `yaml:",inline"`
	// The search engine. duckduckgo needs no key.
	Engine SearchEngine `yaml:"engine" enum:"duckduckgo,searxng,brave,tavily,exa,none"`
}

type branchFile struct {
	Agents []string `yaml:"agents"` // The agents that get the task.
	Task   string   `yaml:"task"`   // The task. {text} stands for the words after the procedure's name.
}

// A procedure.
type procedureFile struct {
	branchFile `yaml:",inline"`
	Expect     string        `yaml:"expect" enum:"report,decision"`    // report: each agent reports. decision: errand counts verdicts.
	Policy     string        `yaml:"policy"`                           // How verdicts are counted, such as "all veto:priest".
	Deadline   time.Duration `yaml:"deadline" least:"1m" most:"2160h"` // After this time it ends with the verdicts that exist.
	Then       *branchFile   `yaml:"then"`                             // The task that starts after YES.
	Else       *branchFile   `yaml:"else"`                             // The task that starts after any other answer.
}

type channelsFile struct {
	Telegram []channelFile `yaml:"telegram"` // Accounts on Telegram.
	Discord  []channelFile `yaml:"discord"`  // Accounts on Discord.
	WhatsApp []channelFile `yaml:"whatsapp"` // Accounts on WhatsApp.
}

// An account.
type channelFile struct {
	// errand's name for the account. Default: main.
	Account string `yaml:"account" pattern:"^[a-z0-9][a-z0-9_-]{0,31}$" want:"1 to 32 of a to z, 0 to 9, - and _"`
	// Name of the environment variable that has the token; never the token itself.
	TokenEnv *string `yaml:"token_env" check:"variable token"`
	// File that has the token, relative to this file. Only you may read it (chmod 600).
	TokenFile *string `yaml:"token_file"`
	// Sessions on it begin with this agent. Default: the primary agent.
	Agent  core.AgentName `yaml:"agent"`
	Access AccessMode     `yaml:"access" enum:"pairing,allowlist,open"` // Who gets in. Default: as the section access says.
	Allow  []string       `yaml:"allow"`                                // For allowlist: the ids or numbers of the people who get in.
	Role   core.Role      `yaml:"role"`                                 // For allowlist and open: the role of the people who get in.
	Groups GroupMode      `yaml:"group_sessions" enum:"own,shared"`     // Sessions in its group chats. own: each person has one. shared: one for all.
	// A server other than the platform's own, such as a local Bot API server.
	URL       string       `yaml:"url" check:"address"`
	Webhook   *webhookFile `yaml:"webhook"`   // For Telegram: it sends messages to errand, and errand does not poll.
	Reactions *bool        `yaml:"reactions"` // Mark messages as seen and answered. Default: true on WhatsApp.
	// Show answers while they are being written. Default: true on Telegram and Discord; WhatsApp does not support it.
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
	Guest       string `yaml:"guest"`        // Name of the role guest.
	Member      string `yaml:"member"`       // Name of the role member.
	Partner     string `yaml:"partner"`      // Name of the role partner.
	MasterAdmin string `yaml:"master_admin"` // Name of the role master_admin. Default: admin.
}

type rightsFile struct {
	Tools         map[string]core.Role `yaml:"tools"`          // Lowest role for each tool or pattern.
	Commands      map[string]core.Role `yaml:"commands"`       // Lowest role for each command.
	GroupSessions map[string]core.Role `yaml:"group_sessions"` // Lowest role for each command in a session that a group shares.
	Agents        map[string]core.Role `yaml:"agents"`         // Lowest role for each agent.
	Routes        map[string]core.Role `yaml:"routes"`         // Lowest role for each route, such as "GET /api/outbox".
	Capabilities  map[string]core.Role `yaml:"capabilities"`   // Lowest role for each capability.
}

// A remote agent: card, or acp and folder.
type remoteFile struct {
	Card    string            `yaml:"card"`    // Address of its card.
	Headers map[string]Secret `yaml:"headers"` // Headers of each request; ${NAME} stands for a variable of the environment.
	// stream: errand follows the stream of the peer, and polls a peer that has none. poll: errand polls. Default: stream.
	Updates     Updates           `yaml:"updates" enum:"stream,poll"`
	Description string            `yaml:"description"` // What it is good at: agents choose it by this.
	Role        core.Role         `yaml:"role"`        // The lowest role that may delegate to it. Default: guest.
	ACP         command           `yaml:"acp"`         // Command of the program, or a list where an argument has spaces.
	Folder      string            `yaml:"folder"`      // Where the program works.
	Env         map[string]Secret `yaml:"env"`         // Environment of the program; ${NAME} stands for a variable of the environment.
}

// oneOrEach is one value for all, under the key "", or one value per key.
type oneOrEach[T ~string] map[string]T

// UnmarshalYAML accepts both forms.
func (m *oneOrEach[T]) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*m = oneOrEach[T]{"": T(n.Value)}
		return nil
	}
	return n.Decode((*map[string]T)(m))
}

// A command is a program with its arguments. The file has it as a line of words or as a list.
type command []string

// UnmarshalYAML accepts both forms.
func (c *command) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*c = strings.Fields(n.Value)
		return nil
	}
	return n.Decode((*[]string)(c))
}
