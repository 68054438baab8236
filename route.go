package errand

import "strings"

// Channels that are always there. A chat on them is read from the session's
// event log, so an outbox row is the delivery.
const (
	ChannelWeb = "web" // the page, the terminal and the API

	// LocalAccount is the account of channels that have no platform behind them.
	LocalAccount = "local"
)

// ChannelMCP is where tasks come from that MCP clients give. It has no chats: who reads
// such a task is told what it asks, and answers it.
const ChannelMCP = "mcp"

// ChannelA2A is where tasks come from that programs give over A2A, each in the thread that is
// the program's own name for its conversation. It has no chats, as [ChannelMCP] has none.
const ChannelA2A = "a2a"

// ChannelWhatsApp is the one channel on which only the process that holds the
// connection can send.
const ChannelWhatsApp = "whatsapp"

// SharesIDs reports whether a platform calls somebody the same on each of our
// accounts: who is known there on one account is known on all of them. On the
// page and the API an id is worth something on its account only.
func SharesIDs(channel string) bool {
	return channel == "telegram" || channel == ChannelDiscord || channel == ChannelWhatsApp
}

// HasConnections reports whether accounts on a channel have a live connection, which one
// process at a time holds: that one sends on them.
func HasConnections(channel string) bool {
	return channel == "telegram" || channel == ChannelDiscord || channel == ChannelWhatsApp
}

// ChannelDiscord is the one channel on which a private chat has another id than
// the person.
const ChannelDiscord = "discord"

// DirectTo begins a chat that is named by the person who alone reads it, on
// channels where it has an id of its own that is not known.
const DirectTo = "@"

// DirectRoute is the route of the private chat of an account with a person, by the
// platform's id of the person.
func DirectRoute(a Account, id string) Route {
	if a.Channel == ChannelDiscord {
		id = DirectTo + id
	}
	return Route{Channel: a.Channel, Account: a.Name, Chat: id}
}

// ShowsReaders reports whether the address of a chat says if others read it. On
// Discord it does not, but where it names the person: there a message has to.
func (r Route) ShowsReaders() bool {
	return r.Channel != ChannelDiscord || strings.HasPrefix(r.Chat, DirectTo)
}

// MessageLink returns what leads a person to a message in a private chat of theirs;
// empty: their platform has no such links (Telegram none for private chats, WhatsApp none
// at all).
func MessageLink(r Route, id string) string {
	if r.Channel != ChannelDiscord || id == "" || strings.HasPrefix(r.Chat, DirectTo) {
		return ""
	}
	return "https://discord.com/channels/@me/" + r.Chat + "/" + id
}

// A Route says where a message goes: a chat, or a thread of it, that one of
// our accounts sees on one channel.
type Route struct {
	Channel string `json:"channel"`
	Account string `json:"account,omitempty" description:"ours, on the channel"`
	Chat    string `json:"chat,omitempty"` // empty: there is nobody to tell
	Thread  string `json:"thread,omitempty"`
}

// WebRoute is the route of the chat called name on the page, the terminal and
// the API.
func WebRoute(name string) Route {
	return Route{Channel: ChannelWeb, Account: LocalAccount, Chat: name}
}

// UnnamedChats begins the names of the chats of requests over OpenAI's API that name none. The
// list of a person's chats has one only after a late result, or after the person has opened it.
const UnnamedChats = "v1."

// HasReader reports whether somebody is at r who can be asked something.
func (r Route) HasReader() bool {
	return r.Chat != "" || r.Channel == ChannelMCP || r.Channel == ChannelA2A
}

// At returns the account of ours that r is on.
func (r Route) At() Account { return Account{Channel: r.Channel, Name: r.Account} }

// InGroup reports whether others read what is said where o is from: what is kept
// there is that conversation's, and what is known of the person elsewhere has no
// place in it.
func (o Origin) InGroup() bool { return o.Group || o.SessionKey.Shared() }

// An Account is one of ours on a platform: a bot, or a number.
type Account struct {
	Channel string `json:"channel"`
	Name    string `json:"name"` // what errand.yaml calls it
}

// String returns "telegram/main".
func (a Account) String() string { return a.Channel + "/" + a.Name }

// AgentAbove says why an agent may not be sent on an errand that it works on already: it
// is in the chain of whoever would send it.
func AgentAbove(a AgentName, chain []string) string {
	return a.Display() + " is already working on this errand, above you (" + strings.Join(chain, " → ") + ")"
}

// An Origin is captured once, when a task is delegated, and never changes. A
// late result finds its chat, its session and its rights by it, whatever the
// person did in between.
type Origin struct {
	Route
	ReplyTo    string     `json:"reply_to,omitempty"` // platform's id of the message that asked for it
	Person     PersonID   `json:"person,omitempty"`
	Role       Role       `json:"role,omitempty"`
	Agent      AgentName  `json:"agent,omitempty"` // who delegated it
	Session    SessionID  `json:"session_id,omitempty"`
	SessionKey SessionKey `json:"session_key,omitempty"`
	Group      bool       `json:"group,omitempty"` // others read the chat
	// Direct says that the result is told in the sub-agent's own voice, also while the
	// session goes on: the person has asked for that agent.
	Direct bool `json:"direct,omitempty"`
	// Source is the conversation in which the person has asked for it, where it is
	// another than the one that the result is told in.
	Source SessionKey `json:"source,omitempty"`
	Depth  int        `json:"depth"`           // 1: delegated by a session
	Chain  []string   `json:"chain,omitempty"` // agents from the session's down to the caller
	Root   string     `json:"root,omitempty"`  // key of the budget of the whole tree
}
