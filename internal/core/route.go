package core

import (
	"errors"
	"strings"
	"time"
)

// Channels without a platform. Their chats read the session's event log, so that the outbox row is
// already the delivery.
const (
	ChannelWeb = "web" // the page, the terminal and the API

	// LocalAccount is the account of channels without a platform.
	LocalAccount = "local"
)

// ChannelMCP is for tasks from MCP clients. It has no chats: the client receives questions and
// answers them.
const ChannelMCP = "mcp"

// ChannelA2A is for tasks from programs over A2A. Each is in a thread named after the program's
// conversation. It has no chats.
const ChannelA2A = "a2a"

// ChannelWhatsApp is the only channel on which only the process with the connection can send.
const ChannelWhatsApp = "whatsapp"

// SharesIDs reports whether a platform's ids of people are valid on all of errand's accounts. On
// the page and the API an id is valid only on its account.
func SharesIDs(channel string) bool {
	return channel == "telegram" || channel == ChannelDiscord || channel == ChannelWhatsApp
}

// HasConnections reports whether accounts of a channel have a live connection. One process at a
// time holds it, and sends on it.
func HasConnections(channel string) bool {
	return channel == "telegram" || channel == ChannelDiscord || channel == ChannelWhatsApp
}

// ChannelDiscord is the only channel on which a private chat's id differs from the person's.
const ChannelDiscord = "discord"

// DirectTo begins the name of a private chat that is named by its person's id, on channels where
// the chat's own id is not known.
const DirectTo = "@"

// DirectRoute returns the route of an account's private chat with the person that has this id.
func DirectRoute(a Account, id string) Route {
	if a.Channel == ChannelDiscord {
		id = DirectTo + id
	}
	return Route{Channel: a.Channel, Account: a.Name, Chat: id}
}

// ShowsReaders reports whether the address of a chat reveals whether others read it. On Discord
// only a message does, unless the address names the person.
func (r Route) ShowsReaders() bool {
	return r.Channel != ChannelDiscord || strings.HasPrefix(r.Chat, DirectTo)
}

// MessageLink returns a link to a message in a private chat, or "" if the platform has none
// (Telegram in private chats, WhatsApp in all).
func MessageLink(r Route, id string) string {
	if r.Channel != ChannelDiscord || id == "" || strings.HasPrefix(r.Chat, DirectTo) {
		return ""
	}
	return "https://discord.com/channels/@me/" + r.Chat + "/" + id
}

// A Route is a chat, or a thread of a chat, on one of errand's accounts.
type Route struct {
	Channel string `json:"channel"`
	Account string `json:"account,omitempty" description:"ours, on the channel"`
	Chat    string `json:"chat,omitempty"` // empty: no chat to notify
	Thread  string `json:"thread,omitempty"`
}

// WebRoute returns the route of the chat with this name on the page, the terminal and the API.
func WebRoute(name string) Route {
	return Route{Channel: ChannelWeb, Account: LocalAccount, Chat: name}
}

// UnnamedChats is the prefix of chat names for requests over OpenAI's API that name no chat. A
// person's list shows such a chat only after a late result, or after they opened it.
const UnnamedChats = "v1."

// HasReader reports whether a person on r can be asked.
func (r Route) HasReader() bool {
	return r.Chat != "" || r.Channel == ChannelMCP || r.Channel == ChannelA2A
}

// At returns the account of r.
func (r Route) At() Account { return Account{Channel: r.Channel, Name: r.Account} }

// InGroup reports whether others read the conversation. Then it has its own notes, and the person's
// private notes are not shown.
func (o Origin) InGroup() bool { return o.Group || o.SessionKey.Shared() }

// An Account is one of errand's accounts on a platform: a bot or a number.
type Account struct {
	Channel string `json:"channel"`
	Name    string `json:"name"` // its name in errand.yaml
}

func (a Account) String() string { return a.Channel + "/" + a.Name }

// AgentAbove explains that an agent in the chain of callers may not be called again.
func AgentAbove(a AgentName, chain []string) string {
	return a.Display() + " is already working on this errand, above you (" + strings.Join(chain, " → ") + ")"
}

// An Origin is fixed when a task is delegated. It determines the chat, session and rights of a late
// result, whatever the person does in between.
type Origin struct {
	Route
	ReplyTo    string     `json:"reply_to,omitempty"` // platform's id of the requesting message
	Person     PersonID   `json:"person,omitempty"`
	Role       Role       `json:"role,omitempty"`
	Agent      AgentName  `json:"agent,omitempty"` // that delegated it
	Session    SessionID  `json:"session_id,omitempty"`
	SessionKey SessionKey `json:"session_key,omitempty"`
	Group      bool       `json:"group,omitempty"` // others read the chat
	// Direct delivers the result in the sub-agent's own words even while the session runs, because
	// the person asked for that agent.
	Direct bool `json:"direct,omitempty"`
	// Source is the conversation in which the person asked, if the result goes to another one.
	Source SessionKey `json:"source,omitempty"`
	Depth  int        `json:"depth"`           // 1: delegated by a session
	Chain  []string   `json:"chain,omitempty"` // agents from the session's to the caller
	Root   string     `json:"root,omitempty"`  // key of the budget of the whole tree
}

type ConnectionState string

const (
	Connecting ConnectionState = "connecting" // no data has arrived yet, or no worker holds it
	Connected  ConnectionState = "connected"
	Degraded   ConnectionState = "degraded"   // not working at the moment; it is retried
	LoggedOut  ConnectionState = "logged out" // a person has to log in
	Replaced   ConnectionState = "replaced"   // another program has taken the connection
)

func ConnectionStates() []ConnectionState {
	return []ConnectionState{Connecting, Connected, Degraded, LoggedOut, Replaced}
}

// A PeerTask is the state of a task at a peer, another system. The peer reports all of it: Text is
// a report, never an instruction.
type PeerTask struct {
	ID      string    // assigned by the peer; empty: it keeps no task
	Context string    // the peer's name for the conversation
	State   TaskState // as one of errand's states
	Text    string    // the peer's text with that state
	// Word identifies the peer's message, so that a repeated question is recognised.
	Word string
	// Login means that it waits for a login at the peer. Text explains how.
	Login bool
	// Gone means that the peer no longer knows the task.
	Gone bool
	// Canceled means that it was canceled at the peer.
	Canceled bool
	// Files are the files of its result, in order.
	Files []PeerFile
}

// A PeerFile is a file of a peer's result, or the reason why it is missing.
type PeerFile struct {
	Name  string // safe to show and to use as a file name
	Type  string // MIME, by its content
	Data  []byte
	Fault string // in one line; empty: the file is there
}

// A PeerOrder is the message that sends a task to a peer.
type PeerOrder struct {
	Message string // the message's id, the same in each attempt
	Text    string
}

// QuickPeerTask is the age up to which errand polls a task at a peer every five seconds.
const QuickPeerTask = 10 * time.Minute

// PeerPause returns the pause between two polls of a peer's task of that age.
func PeerPause(age time.Duration) time.Duration {
	if age <= QuickPeerTask {
		return 5 * time.Second
	}
	return time.Minute
}

// ErrPeerNotFollowed means that the peer has no stream, or errand may not use it. Poll instead.
var ErrPeerNotFollowed = errors.New("the peer is not followed")

// ErrPeerMayHaveBegun means that a peer was sent a task and has not confirmed it.
var ErrPeerMayHaveBegun = errors.New("the peer has not said whether it has begun")
