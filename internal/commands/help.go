package commands

import (
	"context"
	"strings"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/texts"
)

func (r *Runner) allows(ctx context.Context, by actor.Actor, name string) bool {
	if !r.deps.Allows(by, rights.Command, name) {
		return false
	}
	if name != core.TeamCommand {
		return true
	}
	_, err := r.procedures(ctx, by)
	return err == nil
}

func (r *Runner) commandsFor(ctx context.Context, by actor.Actor) []string {
	var names []string
	for _, cmd := range commands() {
		if r.allows(ctx, by, cmd.name) {
			names = append(names, cmd.name)
		}
	}
	return names
}

func (r *Runner) help(ctx context.Context, c chat, _ []string) (string, error) {
	var b strings.Builder
	for _, cmd := range commands() {
		if r.allows(ctx, c.by, cmd.name) {
			b.WriteString(c.Localize("help.line", "usage", cmd.usage(c.Texts), "about", cmd.about(c.Texts, "about")) + "\n")
		}
	}
	return b.String() + c.Localize("help.foot"), nil
}

// A MenuEntry is a command in the menu of a platform.
type MenuEntry struct {
	Name  string // "/tasks"
	Usage string // "/cancel ID [REASON]"
	About string
	// Words are the arguments, such as "ID [REASON]"; empty: none. Required means that the command
	// does nothing without them.
	Words    string
	Required bool
}

// Menu returns all commands by language, including those that a person may not use; "" is the
// default language.
func (r *Runner) Menu() map[string][]MenuEntry {
	menu := map[string][]MenuEntry{"": menuIn(r.deps.Texts.For(r.deps.Language))}
	for _, l := range r.deps.Texts.Languages() {
		menu[l.Tag] = menuIn(r.deps.Texts.For(l.Tag))
	}
	return menu
}

func menuIn(t texts.Texts) []MenuEntry {
	var list []MenuEntry
	for _, cmd := range commands() {
		about := MenuEntry{Name: cmd.name, Usage: cmd.usage(t), About: cmd.about(t, "about"), Required: cmd.least > 0}
		if cmd.most != 0 {
			about.Words = cmd.about(t, "words")
			if cmd.then {
				about.Words += " " + t.Localize("command.then")
			}
		}
		list = append(list, about)
	}
	return list
}
