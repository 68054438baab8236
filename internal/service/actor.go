package service

import (
	"cmp"
	"strings"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// An Actor is who does something, with the role they have now.
type Actor struct {
	Person   errand.PersonID `json:"id"`
	Role     errand.Role     `json:"role"`
	Name     string          `json:"name"`
	Language string          `json:"language,omitempty"`
	TimeZone string          `json:"time_zone,omitempty"` // an IANA name; empty: the installation's
	// Here is the conversation that they write in, where several people share it:
	// it is theirs too. Whoever sets it has seen them write there.
	Here errand.SessionKey `json:"-"`

	token   string           // what they make for themselves ends with it, see [store.Token.Bound]; empty: none
	login   string           // id of the token that they ask by; empty: by none that is kept
	scope   rights.Scope     // of the token that they ask by; empty: as their role
	program bool             // by the token of the installation, or a login of it
	tool    string           // with which an agent does it for them; empty: they do it themselves
	agent   errand.AgentName // that has called the tool
	door    string           // by which they have come in, see [Actor.Through]
}

// AsProgram is a, who asks by the token of the installation: nobody knows whether a person
// does, and it approves nothing.
func (a Actor) AsProgram() Actor {
	a.program = true
	return a
}

// IsPerson reports whether somebody asks themselves, by no token and no tool of an agent.
func (a Actor) IsPerson() bool { return a.token == "" && a.tool == "" && !a.program }

// IsMasterAdmin reports whether somebody may do everything, and asks by no token that is for
// less.
func (a Actor) IsMasterAdmin() bool {
	return a.Role.Includes(errand.MasterAdmin) && a.scope.Covers(rights.OthersChange)
}

// Scoped is a, narrowed to a scope: that of the token that they ask by.
func (a Actor) Scoped(to rights.Scope) Actor {
	a.scope = to
	return a
}

// WithTokenOf is a, who asks by the token that b asks by, if there is one, and by its door.
func (a Actor) WithTokenOf(b Actor) Actor {
	a.token, a.login, a.program, a.scope = b.token, b.login, b.program, b.scope
	a.door = cmp.Or(b.door, a.door)
	return a
}

// callerOf is whoever a tool call is made for: they may what the tool is for.
func callerOf(call store.Call, tool string) Actor {
	return Actor{Person: call.Person, Role: call.Origin.Role, Here: call.Origin.SessionKey, tool: tool, agent: call.Agent}
}

// Allows reports whether the actor's role is enough for something, and their token's scope
// is: all that asks what somebody may comes here.
func (s *Service) Allows(by Actor, k rights.Kind, name string) bool {
	return s.Rights.May(by.Role, k, name) && by.scope.Covers(s.needed(k, name))
}

// needed is the capability of which something is; empty: of none.
func (s *Service) needed(k rights.Kind, name string) string {
	if k == rights.Capability {
		return name
	}
	return s.Rights.Needs(k, name)
}

// MayUse fails where the actor's role, or the scope of their token, is not enough for something.
func (s *Service) MayUse(by Actor, k rights.Kind, name string) error {
	if s.Allows(by, k, name) {
		return nil
	}
	if s.Rights.May(by.Role, k, name) {
		return Forbidden("refusal.scope", "what", s.needed(k, name), "scope", string(by.scope))
	}
	return Forbidden("refusal.role", "what", name, "role", s.roleWord(s.Rights.Least(k, name)), "yours", s.roleWord(by.Role))
}

// may fails where an actor has not a capability. It is what a method asks first.
// What an agent does for somebody is decided by the role of its tool, which is good
// for what that tool is for, and for nothing else.
func (s *Service) may(by Actor, capability string) error {
	switch {
	case by.tool == "":
		return s.MayUse(by, rights.Capability, capability)
	case s.Rights.Needs(rights.Tool, by.tool) != capability:
		return Forbidden("refusal.tool", "tool", by.tool, "what", capability)
	}
	return s.MayUse(by, rights.Tool, by.tool)
}

// whose returns whose things a list shows: the actor's own, or, for those who
// may look at everybody's, those of the person asked for. An empty person asks
// for the actor's own; "*" for everybody's.
func (s *Service) whose(by Actor, asked errand.PersonID) (errand.PersonID, error) {
	if asked == "" || asked == by.Person {
		return by.Person, nil
	}
	if err := s.readsOthers(by); err != nil {
		return "", err
	}
	if asked == "*" {
		return "", nil
	}
	return asked, nil
}

// readsOthers fails for those who may not look at what belongs to others.
func (s *Service) readsOthers(by Actor) error {
	if s.Rights.May(by.Role, rights.Capability, rights.OthersRead) {
		return s.MayUse(by, rights.Capability, rights.OthersRead)
	}
	return Forbidden("refusal.others_read", "role", s.leastFor(rights.OthersRead))
}

// changesOthers fails for those who may not change what belongs to others.
func (s *Service) changesOthers(by Actor) error {
	if s.Rights.May(by.Role, rights.Capability, rights.OthersChange) {
		return s.MayUse(by, rights.Capability, rights.OthersChange)
	}
	return Forbidden("refusal.others_change", "role", s.leastFor(rights.OthersChange))
}

func (s *Service) leastFor(capability string) any {
	return s.roleWord(s.Rights.Least(rights.Capability, capability))
}

// roleWord is what people call a role, as a value of a text: the installation's name for
// it, or that in the language of who reads.
func (s *Service) roleWord(r errand.Role) any { return roleWord(s.Rights, r) }

func roleWord(names *rights.Table, r errand.Role) any {
	if own := names.OwnName(r); own != "" || !r.Valid() {
		return own
	}
	return texts.Key("role." + string(r))
}

// RoleName is what people call a role in a language.
func (s *Service) RoleName(r errand.Role, t texts.Texts) string { return RoleName(s.Rights, r, t) }

// RoleName is what people call a role in a language: the installation's name for it, or
// errand's word; empty for what is no role.
func RoleName(names *rights.Table, r errand.Role, t texts.Texts) string {
	if key, ok := roleWord(names, r).(texts.Key); ok {
		return t.Localize(string(key))
	}
	return names.OwnName(r)
}

// RoleNames are those of all roles, from the least to the most.
func (s *Service) RoleNames(t texts.Texts) []string {
	var names []string
	for _, r := range errand.Roles() {
		names = append(names, s.RoleName(r, t))
	}
	return names
}

// ParseRole returns the role that people call name, in whichever language.
func (s *Service) ParseRole(name string) (errand.Role, bool) {
	if r, ok := s.Rights.Parse(name); ok {
		return r, true
	}
	for _, language := range s.Texts.Languages() {
		for _, r := range errand.Roles() {
			if strings.EqualFold(s.RoleName(r, s.Texts.For(language.Tag)), strings.TrimSpace(name)) {
				return r, true
			}
		}
	}
	return "", false
}

// reads fails where somebody may not look at a conversation, changes where they may
// not change it: their own they may, and the one that they write in.
func (s *Service) reads(by Actor, key errand.SessionKey) error {
	if isTheirs(by, key) {
		return nil
	}
	return s.readsOthers(by)
}

func (s *Service) changes(by Actor, key errand.SessionKey) error {
	if isTheirs(by, key) {
		return nil
	}
	return s.changesOthers(by)
}

func isTheirs(by Actor, key errand.SessionKey) bool {
	_, person, err := key.Parse()
	return err == nil && by.Person != "" && person == by.Person || key != "" && key == by.Here
}

// forAll fails where somebody may not do to everybody's session, where the people of
// a group share it, what a command does to it.
func (s *Service) forAll(by Actor, key errand.SessionKey, command string) error {
	if !key.Shared() || s.Allows(by, rights.GroupSession, command) {
		return nil
	}
	return Forbidden("refusal.group", "command", command,
		"role", s.roleWord(s.Rights.Least(rights.GroupSession, command)), "yours", s.roleWord(by.Role))
}
