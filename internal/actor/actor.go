// Package actor has the Actor: the person who does something, their role, and the token or tool
// that they use.
package actor

import (
	"cmp"
	"context"

	"errand/internal/core"
	"errand/internal/rights"
)

// An Actor is the person who does something, with their current role.
type Actor struct {
	Person   core.PersonID `json:"id"`
	Role     core.Role     `json:"role"`
	Name     string        `json:"name"`
	Language string        `json:"language,omitempty"`
	TimeZone string        `json:"time_zone,omitempty"` // an IANA name; empty: the installation's
	// Here is the conversation in which they write. It counts as theirs even if several people
	// share it. Set it only if the person has written there.
	Here core.SessionKey `json:"-"`
	// Reads is the language tag of a person who reads the answer; empty: a program reads it.
	Reads string `json:"-"`
	// Counted means that intake has already counted the message, which is a command in a chat.
	Counted bool `json:"-"`

	token   string         // parent of the tokens that they create, see core.Token.Bound; empty: none
	login   string         // id of the token that they use; empty: no stored token
	scope   rights.Scope   // of their token; empty: only their role counts
	program bool           // they use the installation's token, or a login made with it
	tool    string         // the tool by which an agent acts for them; empty: they act themselves
	agent   core.AgentName // that called the tool
	door    string         // see [Actor.Through]
}

// WithToken returns a copy of a that uses the token with the id login. The actor's new tokens
// expire with bound, see core.Token.Bound.
func (a Actor) WithToken(bound, login string) Actor {
	a.token, a.login = bound, login
	return a
}

// WithTool returns a copy of a on whose behalf an agent calls a tool.
func (a Actor) WithTool(tool string, agent core.AgentName) Actor {
	a.tool, a.agent = tool, agent
	return a
}

// Through returns a copy of a that came in by a door.
func (a Actor) Through(door string) Actor {
	a.door = door
	return a
}

// AsProgram returns a copy of a that uses the installation's token. A program may use that token,
// so the actor cannot approve anything.
func (a Actor) AsProgram() Actor {
	a.program = true
	return a
}

// IsPerson reports whether the person acts directly, and not a program's token or an agent's tool.
func (a Actor) IsPerson() bool { return a.token == "" && a.tool == "" && !a.program }

// IsMasterAdmin reports whether the actor has the role master_admin and no narrower token.
func (a Actor) IsMasterAdmin() bool {
	return a.Role.Includes(core.MasterAdmin) && a.scope.Covers(rights.OthersChange)
}

// Scoped returns a copy of a with the scope of its token.
func (a Actor) Scoped(to rights.Scope) Actor {
	a.scope = to
	return a
}

// WithTokenOf returns a copy of a with the token of b, and with the door of b if it has one.
func (a Actor) WithTokenOf(b Actor) Actor {
	a.token, a.login, a.program, a.scope = b.token, b.login, b.program, b.scope
	a.door = cmp.Or(b.door, a.door)
	return a
}

// Token returns the parent of the tokens that the actor creates; empty: none.
func (a Actor) Token() string { return a.token }

// Login returns the id of the token that they use; empty: no stored token.
func (a Actor) Login() string { return a.login }

// Scope returns the scope of their token; empty: only their role counts.
func (a Actor) Scope() rights.Scope { return a.scope }

// IsProgram reports whether they use the installation's token, or a login made with it.
func (a Actor) IsProgram() bool { return a.program }

// Tool returns the tool by which an agent acts for them; empty: they act themselves.
func (a Actor) Tool() string { return a.tool }

// Agent returns the agent that called the tool.
func (a Actor) Agent() core.AgentName { return a.agent }

// Door returns the door by which they came in, see [Actor.Through].
func (a Actor) Door() string { return a.door }

// Same reports whether a and b have the same rights. It compares a caller before and after a wait.
func (a Actor) Same(b Actor) bool {
	return a.Person == b.Person && a.Role == b.Role && a.token == b.token && a.login == b.login && a.scope == b.scope && a.program == b.program
}

type contextKey struct{}

// NewContext returns a context in which a acts. For a change that is a [core.Deed], the store
// writes an audit row for a in the same transaction. Without an actor in the context, errand itself
// acts, and the store writes no audit row.
func NewContext(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, contextKey{}, a)
}

// FromContext returns the actor of ctx, if it has one.
func FromContext(ctx context.Context) (Actor, bool) {
	a, ok := ctx.Value(contextKey{}).(Actor)
	return a, ok
}
