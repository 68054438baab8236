package discord

import (
	"slices"
	"strings"
)

// Press lets a person press a button, by its label or its custom id. It returns nil
// if they can press no such button.
func (s *Server) Press(c *Channel, by *Person, id, button string) *Interaction {
	return s.use(c, by, id, func(b component) bool {
		return b.Type == componentButton && b.Style != styleLink && (b.Label == button || b.CustomID == button)
	}, nil)
}

func (s *Server) use(c *Channel, by *Person, id string, is func(component) bool, values []string) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := c.find(id)
	if m == nil || m.only != nil && m.only != by || s.channels[c.ID] == nil || s.may(by, c, ViewChannel) != nil {
		return nil
	}
	bot, ok := m.by.(*Bot)
	for _, row := range m.Components {
		for _, b := range row.Components {
			if !ok || b.Disabled || !is(b) {
				continue
			}
			data := map[string]any{"custom_id": b.CustomID, "component_type": b.Type}
			if values != nil {
				data["values"] = values
			}
			return s.interact(&Interaction{kind: interactionComponent, bot: bot, by: by, channel: c, on: m}, data)
		}
	}
	return nil
}

// An Option is what a person gave a command. Its value is a string, a number, a
// bool, or an [Account] where the command asks for one.
type Option struct {
	Name  string
	Value any
}

// Run is a person running a slash command: "ask", or "tasks show" where tasks
// has such a subcommand. It is nil if the person's client does not offer that
// command, or does not send it because an option is missing or unknown.
func (s *Server) Run(c *Channel, by *Person, b *Bot, name string, given ...Option) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.invoke(interactionCommand, c, by, b, name, given, "")
}

// Command is a person typing a slash command with all its words, the way it is
// shown: "/ask what is this". What follows the name is its first option. It is nil
// where Run would be.
func (s *Server) Command(c *Channel, by *Person, b *Bot, text string) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, rest, _ := strings.Cut(strings.TrimPrefix(text, "/"), " ")
	list := b.offered(c.guild)
	i := slices.IndexFunc(list, func(cmd command) bool { return cmd.Name == name })
	var given []Option
	if rest = strings.TrimSpace(rest); rest != "" {
		if i < 0 || len(list[i].Options) == 0 {
			return nil
		}
		given = []Option{{list[i].Options[0].Name, rest}}
	}
	return s.invoke(interactionCommand, c, by, b, name, given, "")
}

// Complete is a person having typed something of an option that completes; given
// are the options before it. The [Server.Answer] has the choices.
func (s *Server) Complete(c *Channel, by *Person, b *Bot, name, option, typed string, given ...Option) *Interaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.invoke(interactionAutocomplete, c, by, b, name, append(slices.Clone(given), Option{option, typed}), option)
}

func (s *Server) invoke(kind int, c *Channel, by *Person, b *Bot, name string, given []Option, focused string) *Interaction {
	if s.channels[c.ID] == nil || s.may(by, c, UseCommands) != nil || c.guild != nil && c.guild.member(b) == nil || c.guild == nil && c.bot != b {
		return nil
	}
	words := strings.Fields(name)
	list := b.offered(c.guild)
	i := slices.IndexFunc(list, func(cmd command) bool { return len(words) > 0 && cmd.Name == words[0] })
	if i < 0 {
		return nil
	}
	cmd := list[i]
	options, defined := []map[string]any{}, cmd.Options
	var path []option
	for _, word := range words[1:] {
		j := slices.IndexFunc(defined, func(o option) bool { return o.Name == word && (o.Type == optionCommand || o.Type == optionGroup) })
		if j < 0 {
			return nil
		}
		path, defined = append(path, defined[j]), defined[j].Options
	}
	users := map[string]*user{}
	for _, g := range given {
		j := slices.IndexFunc(defined, func(o option) bool { return o.Name == g.Name && o.Type > optionGroup })
		if j < 0 || g.Name == focused && !defined[j].Autocomplete {
			return nil
		}
		o := map[string]any{"name": g.Name, "type": defined[j].Type, "value": g.Value}
		if a, is := g.Value.(Account); is {
			o["value"] = a.account().ID
			users[a.account().ID] = a.account()
		}
		if g.Name == focused {
			o["focused"] = true
		}
		options = append(options, o)
	}
	for _, o := range defined {
		missing := !slices.ContainsFunc(given, func(g Option) bool { return g.Name == o.Name })
		if kind == interactionCommand && missing && (o.Required || o.Type <= optionGroup) {
			return nil
		}
	}
	for _, o := range slices.Backward(path) {
		options = []map[string]any{{"name": o.Name, "type": o.Type, "options": options}}
	}
	data := map[string]any{"id": cmd.ID, "name": cmd.Name, "type": cmd.Type, "options": options}
	if len(users) > 0 {
		data["resolved"] = map[string]any{"users": users}
	}
	if cmd.GuildID != "" {
		data["guild_id"] = cmd.GuildID
	}
	return s.interact(&Interaction{kind: kind, bot: b, by: by, channel: c}, data)
}
