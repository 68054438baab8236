package service

import (
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/texts"
)

// Allows reports whether the actor's role and their token's scope permit something. All checks end
// here.
func (e *Env) Allows(by actor.Actor, k rights.Kind, name string) bool {
	return e.Rights.May(by.Role, k, name) && by.Scope().Covers(e.needed(k, name))
}

func (e *Env) needed(k rights.Kind, name string) string {
	if k == rights.Capability {
		return name
	}
	return e.Rights.Needs(k, name)
}

// MayUse returns an error unless the actor's role and their token's scope permit something.
func (e *Env) MayUse(by actor.Actor, k rights.Kind, name string) error {
	if e.Allows(by, k, name) {
		return nil
	}
	if e.Rights.May(by.Role, k, name) {
		return Forbidden("refusal.scope", "what", e.needed(k, name), "scope", string(by.Scope()))
	}
	if k == rights.Route && strings.HasPrefix(name, "GET /") && !strings.HasPrefix(name, "GET /api/") {
		return Forbidden("refusal.page", "role", e.roleWord(e.Rights.Least(k, name)), "yours", e.roleWord(by.Role))
	}
	return Forbidden("refusal.role", "what", name, "role", e.roleWord(e.Rights.Least(k, name)), "yours", e.roleWord(by.Role))
}

func (e *Env) check(by actor.Actor, s api.Spec) error {
	if s.Tool && by.Tool() == "" {
		return Forbidden("refusal.tool", "tool", "", "what", s.Needs)
	}
	if err := e.may(by, s.Needs); err != nil || s.Least == "" || by.Tool() != "" {
		return err
	}
	return e.MayUse(by, rights.Route, s.Route)
}

// may returns an error unless the actor has the capability. Every method calls it first. For an
// agent that acts for a person, the role of its tool decides, for the purpose of that tool only.
func (e *Env) may(by actor.Actor, capability string) error {
	switch {
	case by.Tool() == "":
		return e.MayUse(by, rights.Capability, capability)
	case e.Rights.Needs(rights.Tool, by.Tool()) != capability:
		return Forbidden("refusal.tool", "tool", by.Tool(), "what", capability)
	}
	return e.MayUse(by, rights.Tool, by.Tool())
}

// whose returns the person whose things a list shows. asked is empty for the actor's own or "*" for
// all people's; for all, whose returns "". Actors who may not read other people's things get an
// error.
func (e *Env) whose(by actor.Actor, asked core.PersonID) (core.PersonID, error) {
	if asked == "" || asked == by.Person {
		return by.Person, nil
	}
	if err := e.readsOthers(by); err != nil {
		return "", err
	}
	if asked == "*" {
		return "", nil
	}
	return asked, nil
}

func (e *Env) readsOthers(by actor.Actor) error {
	if e.Rights.May(by.Role, rights.Capability, rights.OthersRead) {
		return e.MayUse(by, rights.Capability, rights.OthersRead)
	}
	return Forbidden("refusal.others_read", "role", e.leastFor(rights.OthersRead))
}

func (e *Env) changesOthers(by actor.Actor) error {
	if e.Rights.May(by.Role, rights.Capability, rights.OthersChange) {
		return e.MayUse(by, rights.Capability, rights.OthersChange)
	}
	return Forbidden("refusal.others_change", "role", e.leastFor(rights.OthersChange))
}

func (e *Env) leastFor(capability string) any {
	return e.roleWord(e.Rights.Least(rights.Capability, capability))
}

func (e *Env) roleWord(r core.Role) any { return roleWord(e.Rights, r) }

func roleWord(names *rights.Table, r core.Role) any {
	if own := names.OwnName(r); own != "" || !r.Valid() {
		return own
	}
	return texts.Key("role." + string(r))
}

// RoleName returns the name of a role in a language.
func (e *Env) RoleName(r core.Role, t texts.Texts) string { return RoleName(e.Rights, r, t) }

// RoleName returns the installation's own name of a role, or errand's word in a language. It
// returns "" for an invalid role.
func RoleName(names *rights.Table, r core.Role, t texts.Texts) string {
	if key, ok := roleWord(names, r).(texts.Key); ok {
		return t.Localize(string(key))
	}
	return names.OwnName(r)
}

// RoleNames returns the names of all roles, from the lowest to the highest.
func (e *Env) RoleNames(t texts.Texts) []string {
	var names []string
	for _, r := range core.Roles() {
		names = append(names, e.RoleName(r, t))
	}
	return names
}

// ParseRole returns the role with a name in any language.
func (e *Env) ParseRole(name string) (core.Role, bool) {
	if r, ok := e.Rights.Parse(name); ok {
		return r, true
	}
	for _, language := range e.Texts.Languages() {
		for _, r := range core.Roles() {
			if strings.EqualFold(e.RoleName(r, e.Texts.For(language.Tag)), strings.TrimSpace(name)) {
				return r, true
			}
		}
	}
	return "", false
}

// reads and changes permit a person their own conversation, and the one that they write in.
func (e *Env) reads(by actor.Actor, key core.SessionKey) error {
	if isTheirs(by, key) {
		return nil
	}
	return e.readsOthers(by)
}

func (e *Env) changes(by actor.Actor, key core.SessionKey) error {
	if isTheirs(by, key) {
		return nil
	}
	return e.changesOthers(by)
}

func isTheirs(by actor.Actor, key core.SessionKey) bool {
	_, person, err := key.Parse()
	return err == nil && by.Person != "" && person == by.Person || key != "" && key == by.Here
}

// forAll returns an error if the actor may not use a command for all people in a shared session.
func (e *Env) forAll(by actor.Actor, key core.SessionKey, command string) error {
	if !key.Shared() || e.Allows(by, rights.GroupSession, command) {
		return nil
	}
	return Forbidden("refusal.group", "command", command,
		"role", e.roleWord(e.Rights.Least(rights.GroupSession, command)), "yours", e.roleWord(by.Role))
}
