package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"errand"
	"errand/internal/rights"
)

// Access is who gets in on a channel.
type Access struct {
	Mode  AccessMode
	Allow []string    // of an allowlist: what the channel knows people by
	Role  errand.Role // of those whom allowlist and open let in; empty: the default of the mode
}

// An AccessMode says what becomes of a sender whom nobody knows.
type AccessMode string

// The modes of access.
const (
	AccessPairing   AccessMode = "pairing"   // they get a code that somebody has to approve
	AccessAllowlist AccessMode = "allowlist" // only those on the list get in
	AccessOpen      AccessMode = "open"      // everybody gets in
)

var accessChannels = []string{errand.ChannelWeb, "discord", "telegram", "whatsapp"}

const longestRole = 30

// roles reads what the roles are called here. It comes before whatever names one.
func (l *loader) roles(root *mapping) {
	m := root.section("roles")
	if m == nil {
		return
	}
	for _, role := range errand.Roles() {
		name := ""
		if !m.text(string(role), &name) {
			continue
		}
		name = strings.TrimSpace(name)
		line := m.lineOf(string(role))
		switch other := errand.Role(strings.ToLower(name)); {
		case name == "" || utf8.RuneCountInString(name) > longestRole || strings.ContainsFunc(name, unicode.IsControl):
			m.fault(line, string(role), "the name of a role has 1 to %d letters", longestRole)
		case other.Valid() && other != role:
			m.fault(line, string(role), "%q is another role: call it something else", name)
		default:
			if err := l.cfg.Rights.Rename(role, name); err != nil {
				m.fault(line, string(role), "%v", err)
			}
		}
	}
	m.done()
}

func (l *loader) role(m *mapping, key string, into *errand.Role) {
	var name string
	if !m.text(key, &name) {
		return
	}
	role, ok := l.cfg.Rights.Parse(name)
	if !ok {
		names := l.cfg.Rights.Names()
		hint := didYouMean(name, slices.Concat(names, errand.Strings(errand.Roles())))
		if hint == "" {
			hint = ": there are " + strings.Join(names, ", ")
		}
		m.fault(m.lineOf(key), key, "there is no role %q%s", name, hint)
		return
	}
	*into = role
}

func (l *loader) rights(root *mapping) {
	if l.cfg.Roster != nil {
		for _, name := range l.cfg.Roster.Names() {
			agent, _ := l.cfg.Roster.Agent(name)
			if err := l.cfg.Rights.Set(rights.Agent, string(name), agent.Role); err != nil {
				l.faults.add("", 0, "agent %q: %v", name, err)
			}
		}
	}
	m := root.section("rights")
	if m == nil {
		return
	}
	for _, kind := range []rights.Kind{rights.Capability, rights.Tool, rights.Command, rights.GroupSession, rights.Agent, rights.Route} {
		l.rightsOf(m.section(keyOfKind(kind)), kind)
	}
	m.done()
}

func keyOfKind(k rights.Kind) string {
	if k == rights.Capability {
		return "capabilities"
	}
	return string(k) + "s"
}

func (l *loader) rightsOf(m *mapping, kind rights.Kind) {
	if m == nil {
		return
	}
	var known []string
	for _, r := range l.cfg.Rights.Rules() {
		if r.Kind == kind {
			known = append(known, r.Name)
		}
	}
	for _, name := range m.names {
		var role errand.Role
		l.role(m, name, &role)
		thing := name
		if (kind == rights.Command || kind == rights.GroupSession) && !strings.HasPrefix(name, "/") {
			thing = "/" + name
		}
		if kind == rights.Tool {
			if why := l.unknownTool(name, known); why != "" {
				m.fault(m.lineOf(name), "", "%s", why)
				continue
			}
		} else if !slices.Contains(known, thing) {
			if kind == rights.Agent && l.cfg.Roster == nil {
				continue // the roster is at fault, and has been reported
			}
			m.fault(m.lineOf(name), "", "there is no %s %q%s", kind, thing, didYouMean(thing, known))
			continue
		}
		if role == "" {
			if m.get(name) == nil {
				m.fault(m.lineOf(name), "", "%s: names no role", thing)
			}
			continue
		}
		if err := l.cfg.Rights.Set(kind, thing, role); err != nil {
			m.fault(m.lineOf(name), "", "%v", err)
		}
	}
}

func (l *loader) access(root *mapping) {
	section := root.section("access")
	if section == nil {
		return
	}
	for _, channel := range accessChannels {
		if m := section.section(channel); m != nil {
			l.cfg.Access[channel] = l.accessOf(m, channel, "mode")
			m.done()
		}
	}
	section.done()
}

func (l *loader) accessOf(m *mapping, channel, modeKey string) Access {
	a := Access{Mode: AccessPairing}
	choice(m, modeKey, &a.Mode, AccessPairing, AccessAllowlist, AccessOpen)
	a.Allow, _ = m.texts("allow")
	l.role(m, "role", &a.Role)
	listed := m.get("allow") != nil
	switch {
	case listed && a.Mode != AccessAllowlist:
		m.fault(m.lineOf("allow"), "allow", "is for the mode allowlist, and this is %s", a.Mode)
	case listed && channel == errand.ChannelWeb:
		m.fault(m.lineOf("allow"), "allow", "a browser has no id that could be on a list: with allowlist, only tokens let people in on the page")
	case a.Mode == AccessAllowlist && channel != errand.ChannelWeb && len(a.Allow) == 0:
		m.fault(m.lineOf(modeKey), modeKey, "an allowlist without allow lets nobody in: name those who may come in")
	}
	switch {
	case a.Role == "":
	case a.Mode == AccessPairing:
		m.fault(m.lineOf("role"), "role", "whoever approves somebody says with which role: it is for the modes allowlist and open")
	case a.Mode == AccessOpen && a.Role.Includes(errand.Partner):
		m.fault(m.lineOf("role"), "role", "%s", fmt.Sprintf("open lets in whoever comes: as %s at most", l.cfg.Rights.Value(errand.Member)))
	}
	return a
}
