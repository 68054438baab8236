package commands

import (
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

// mayForAll says why somebody may not do what a command does to everybody's
// session, or to what another has asked for, where the people of a group share
// it; nil if they may. Elsewhere a session is one person's, and they may.
func (r *Runner) mayForAll(c chat) error {
	if !c.key.Shared() || r.service.Allows(c.by, rights.GroupSession, c.cmd.name) {
		return nil
	}
	text := texts.Key("group.forbidden")
	if c.cmd.name == "/stop" || c.cmd.name == "/cancel" {
		text = "group.others"
	}
	return service.Forbidden(text, "command", c.cmd.name,
		"role", r.service.RoleName(r.service.Rights.Least(rights.GroupSession, c.cmd.name), c.Texts), "yours", r.service.RoleName(c.by.Role, c.Texts))
}

// inPrivate says where to ask for what is one person's: here others read it.
func (c chat) inPrivate() string { return c.Localize("command.private", "command", c.cmd.name) }
