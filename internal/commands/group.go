package commands

import (
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/texts"
)

// mayForAll returns an error if a person may not use a command on other people's work in a shared
// session. Any other session belongs to one person.
func (r *Runner) mayForAll(c chat) error {
	if !c.key.Shared() || r.deps.Allows(c.by, rights.GroupSession, c.cmd.name) {
		return nil
	}
	text := texts.Key("group.forbidden")
	if c.cmd.name == "/stop" || c.cmd.name == "/cancel" {
		text = "group.others"
	}
	return service.Forbidden(text, "command", c.cmd.name,
		"role", r.deps.RoleName(r.deps.Rights.Least(rights.GroupSession, c.cmd.name), c.Texts), "yours", r.deps.RoleName(c.by.Role, c.Texts))
}

func (c chat) inPrivate() string { return c.Localize("command.private", "command", c.cmd.name) }
