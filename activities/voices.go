package activities

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/internal/agents"
	"errand/internal/core"
)

// Voices decides which account sends a notification, and how its text begins there.
type Voices struct {
	Roster   *agents.Roster
	Accounts agents.Accounts
}

// On returns a notification as the given account would send it.
func (v Voices) On(account string, n core.Notification) core.Notification {
	candidates := v.candidates(n)
	for _, c := range candidates {
		if c.Route.Account == account {
			return c
		}
	}
	return candidates[0]
}

// candidates returns the ways to send a notification, the best first. A late result, or a file of a
// sub-agent, goes out on the account of the agent who worked on it, if it has one. Everything can
// go out on the account of the session.
func (v Voices) candidates(n core.Notification) []core.Notification {
	here := n
	here.Text = v.textWithAgent(n)
	own, ok := v.Accounts.Of(n.Agent, n.Route.At())
	late := n.Event == core.EventLate || n.Event == core.EventFile && n.Task != ""
	if !late || !ok || own == n.Route.At() {
		return []core.Notification{here}
	}
	n.Route.Account = own.Name
	n.ReplyTo, n.Replaces = "", "" // the other account has other ids for these messages
	return []core.Notification{n, here}
}

// textWithAgent begins with the agent's name if people would think that the account's primary agent
// speaks. A late result names its agent itself.
func (v Voices) textWithAgent(n core.Notification) string {
	isReply := n.Event == core.EventReply || n.Event == core.EventQuestion || n.Event == core.EventFile && n.Text != ""
	at := n.Route.At()
	if !isReply || n.Agent == "" || !v.Accounts.Has(at) || v.Accounts.Roster(v.Roster, at).Primary().Name == n.Agent {
		return n.Text
	}
	// Markup at the start of a line must stay at the start of a line.
	behind := ":\n\n"
	if first, _ := utf8.DecodeRuneInString(n.Text); unicode.IsLetter(first) {
		behind = ": "
	}
	return n.Agent.Display() + behind + strings.TrimLeft(n.Text, "\n")
}
