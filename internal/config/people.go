package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand/internal/core"
	"errand/internal/rights"
)

// Access is who may use a channel.
type Access struct {
	// pairing: with a code that an admin approves. allowlist: only those on the list. open: everybody.
	Mode  AccessMode `yaml:"mode" enum:"pairing,allowlist,open"`
	Allow []string   `yaml:"allow"` // For allowlist: the ids or numbers of the people who get in.
	Role  core.Role  `yaml:"role"`  // For allowlist and open: the role of the people who get in.
}

// An AccessMode is how errand treats an unknown sender.
type AccessMode string

// The access modes.
const (
	AccessPairing   AccessMode = "pairing"   // an admin has to approve their code
	AccessAllowlist AccessMode = "allowlist" // only people on the list
	AccessOpen      AccessMode = "open"      // everybody
)

const longestRole = 30 // characters

// roles sets the names of the roles. It runs before anything looks up a role by name.
func (l *loader) roles() {
	f := l.file.Roles
	names := map[core.Role]string{
		core.Guest: f.Guest, core.Member: f.Member, core.Partner: f.Partner, core.MasterAdmin: f.MasterAdmin,
	}
	for _, role := range core.Roles() {
		p, name := at("roles", role), strings.TrimSpace(names[role])
		if !l.has(p) {
			continue
		}
		switch other := core.Role(strings.ToLower(name)); {
		case name == "" || utf8.RuneCountInString(name) > longestRole || strings.ContainsFunc(name, unicode.IsControl):
			l.fault(p, "the name of a role must have 1 to %d characters", longestRole)
		case other.Valid() && other != role:
			l.fault(p, "%q is the name of another role: choose another", name)
		default:
			if err := l.cfg.Rights.Rename(role, name); err != nil {
				l.fault(p, "%v", err)
			}
		}
	}
}

// role returns the role with this name; empty if the name is empty or unknown.
func (l *loader) role(p path, name core.Role) core.Role {
	if !l.has(p) {
		return ""
	}
	role, ok := l.cfg.Rights.Parse(string(name))
	if !ok {
		words := slices.Concat(l.cfg.Rights.Names(), core.Strings(core.Roles()))
		slices.Sort(words)
		l.fault(p, "there is no role %q%s", name, hint(string(name), slices.Compact(words)))
		return ""
	}
	return role
}

func (l *loader) rights() {
	if l.cfg.Roster != nil {
		for _, name := range l.cfg.Roster.Names() {
			agent, _ := l.cfg.Roster.Agent(name)
			if err := l.cfg.Rights.Set(rights.Agent, string(name), agent.Role); err != nil {
				l.faults.add("", 0, "agent %q: %v", name, err)
			}
		}
	}
	f := l.file.Rights
	l.rightsOf("capabilities", rights.Capability, f.Capabilities)
	l.rightsOf("tools", rights.Tool, f.Tools)
	l.rightsOf("commands", rights.Command, f.Commands)
	l.rightsOf("group_sessions", rights.GroupSession, f.GroupSessions)
	l.rightsOf("agents", rights.Agent, f.Agents)
	l.rightsOf("routes", rights.Route, f.Routes)
}

func (l *loader) rightsOf(key string, kind rights.Kind, roles map[string]core.Role) {
	var known []string
	for _, r := range l.cfg.Rights.Rules() {
		if r.Kind == kind {
			known = append(known, r.Name)
		}
	}
	for _, name := range l.names(at("rights", key)) {
		p, thing := at("rights", key, name), name
		role := l.role(p, roles[name])
		if (kind == rights.Command || kind == rights.GroupSession) && !strings.HasPrefix(name, "/") {
			thing = "/" + name
		}
		why := ""
		switch {
		case kind == rights.Tool:
			why = l.unknownTool(name, known)
		// The errors in the roster were already reported.
		case kind == rights.Agent && l.cfg.Roster == nil:
		case !slices.Contains(known, thing):
			why = fmt.Sprintf("there is no %s %q%s", kind, thing, hint(thing, known))
		}
		if why == "" && !l.has(p) {
			why = "is empty: write a role"
		}
		if why == "" && role != "" {
			if err := l.cfg.Rights.Set(kind, thing, role); err != nil {
				why = err.Error()
			}
		}
		if why != "" {
			l.fault(p, "%s", why)
		}
	}
}

func (l *loader) access() {
	f := l.file.Access
	for channel, a := range map[string]*Access{core.ChannelWeb: f.Web, Discord: f.Discord, Telegram: f.Telegram, WhatsApp: f.WhatsApp} {
		if a != nil {
			l.cfg.Access[channel] = l.checkAccess(at("access", channel), channel, "mode", *a)
		}
	}
}

func (l *loader) checkAccess(p path, channel, modeKey string, a Access) Access {
	a.Mode = cmp.Or(a.Mode, AccessPairing)
	a.Role = l.role(p.at("role"), a.Role)
	switch listed := l.has(p.at("allow")); {
	case listed && a.Mode != AccessAllowlist:
		l.fault(p.at("allow"), "works only with the mode allowlist; the mode here is %s", a.Mode)
	case listed && channel == core.ChannelWeb:
		l.fault(p.at("allow"), "does not work on web, because browsers have no ids: with allowlist, people need a token to use the page")
	case a.Mode == AccessAllowlist && channel != core.ChannelWeb && len(a.Allow) == 0:
		l.fault(p.at(modeKey), "allowlist needs the list allow: without it nobody gets in")
	}
	switch {
	case a.Role == "":
	case a.Mode == AccessPairing:
		l.fault(p.at("role"), "works only with the modes allowlist and open: with pairing, the person who approves chooses the role")
	case a.Mode == AccessOpen && a.Role.Includes(core.Partner):
		l.fault(p.at("role"), "open lets everybody in, so the role can be %s at most", l.cfg.Rights.Value(core.Member))
	}
	return a
}
