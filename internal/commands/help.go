package commands

import (
	"context"
	"strings"

	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/team"
	"errand/internal/texts"
)

// allows reports whether somebody may use a command, by their role and by what else bounds it.
func (r *Runner) allows(by service.Actor, name string) bool {
	return r.service.Allows(by, rights.Command, name) && (name != team.Command || r.service.MayAskTeam(by) == nil)
}

func (r *Runner) commandsFor(by service.Actor) []string {
	var names []string
	for _, cmd := range commands() {
		if r.allows(by, cmd.name) {
			names = append(names, cmd.name)
		}
	}
	return names
}

func (r *Runner) help(_ context.Context, c chat, _ []string) (string, error) {
	var b strings.Builder
	for _, cmd := range commands() {
		if r.allows(c.by, cmd.name) {
			b.WriteString(c.Localize("help.line", "usage", cmd.usage(c.Texts), "about", cmd.about(c.Texts, "about")) + "\n")
		}
	}
	return b.String() + c.Localize("help.foot"), nil
}

// A MenuEntry is a command as the menus of platforms show it.
type MenuEntry struct {
	Name  string // "/tasks"
	Usage string // "/cancel ID [REASON]"
	About string
	// Words is what is typed behind it: "ID [REASON]"; empty: nothing. Required says
	// that it does nothing without.
	Words    string
	Required bool
}

// Menu is every command by language; "" is for whoever has another. What
// somebody may not use says so when they try it.
func (r *Runner) Menu() map[string][]MenuEntry {
	menu := map[string][]MenuEntry{"": menuIn(r.service.Texts.For(r.service.Language))}
	for _, l := range r.service.Texts.Languages() {
		menu[l.Tag] = menuIn(r.service.Texts.For(l.Tag))
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
