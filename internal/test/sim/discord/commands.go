package discord

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

type command struct {
	ID          string          `json:"id"`
	AppID       string          `json:"application_id"`
	GuildID     string          `json:"guild_id,omitempty"`
	Version     string          `json:"version"`
	Type        int             `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Options     []option        `json:"options,omitempty"`
	Localized   json.RawMessage `json:"description_localizations,omitempty"`
	Contexts    []int           `json:"contexts"`
	DM          *bool           `json:"dm_permission,omitempty"`
	Needs       json.RawMessage `json:"default_member_permissions,omitempty"`
}

type option struct {
	Type         int      `json:"type"`
	Name         string   `json:"name"`
	Description  string   `json:"description"`
	Required     bool     `json:"required,omitempty"`
	Autocomplete bool     `json:"autocomplete,omitempty"`
	Choices      []Choice `json:"choices,omitempty"`
	Options      []option `json:"options,omitempty"`

	Localized json.RawMessage `json:"description_localizations,omitempty"`
}

// A Choice is one that an option offers.
type Choice struct {
	Name  string `json:"name"`
	Value any    `json:"value"`
}

// The types of options that nest.
const (
	optionCommand = 1
	optionGroup   = 2
)

// The limits of commands.
const (
	mostCommands   = 100
	mostChoices    = 25
	longestCommand = 8000 // all names, descriptions and values of one
)

var commandName = regexp.MustCompile(`^[-_'\p{L}\p{N}]{1,32}$`)

// Commands returns the names of the commands that people see of a bot in a
// guild, with those that are everywhere; nil: in direct messages.
func (s *Server) Commands(b *Bot, g *Guild) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, c := range b.offered(g) {
		names = append(names, c.Name)
	}
	return names
}

func (b *Bot) offered(g *Guild) []command {
	list := slices.Clone(b.commands[""])
	where := 1
	if g != nil {
		list = append(list, b.commands[g.ID]...)
		where = 0
	}
	return slices.DeleteFunc(list, func(c command) bool {
		return c.Type != 1 || len(c.Contexts) > 0 && !slices.Contains(c.Contexts, where) || g == nil && c.DM != nil && !*c.DM
	})
}

// scope returns where the commands of a call are; "" is everywhere.
func (s *Server) scope(r *request) (string, error) {
	if r.PathValue("application") != r.bot.ID {
		return "", errNotYours
	}
	id := r.PathValue("guild")
	if id == "" {
		return "", nil
	}
	if g := s.guilds[id]; g == nil || g.member(r.bot) == nil {
		return "", errAccess
	}
	return id, nil
}

func (s *Server) listCommands(r *request) (any, error) {
	scope, err := s.scope(r)
	if err != nil {
		return nil, err
	}
	return append([]command{}, r.bot.commands[scope]...), nil
}

// setCommands replaces all commands. One that was there keeps its id.
func (s *Server) setCommands(r *request) (any, error) {
	scope, err := s.scope(r)
	if err != nil {
		return nil, err
	}
	var list []command
	if err := r.decode(&list); err != nil {
		return nil, err
	}
	if len(list) > mostCommands {
		return nil, no(400, 30032, "Maximum number of application commands reached (100).")
	}
	names := map[string]bool{}
	for i := range list {
		c := &list[i]
		if err := c.check(strconv.Itoa(i)); err != nil {
			return nil, err
		}
		if names[fmt.Sprint(c.Type, c.Name)] {
			return nil, invalid([]string{strconv.Itoa(i), "name"}, "APPLICATION_COMMANDS_DUPLICATE_NAME", "Application command names must be unique")
		}
		names[fmt.Sprint(c.Type, c.Name)] = true
		s.adopt(r.bot, scope, c)
	}
	r.bot.commands[scope] = list
	s.happened()
	return append([]command{}, list...), nil
}

func (s *Server) adopt(b *Bot, scope string, c *command) {
	c.ID, c.AppID, c.GuildID, c.Version = s.id(), b.ID, scope, s.id()
	for _, old := range b.commands[scope] {
		if old.Name == c.Name && old.Type == c.Type {
			c.ID = old.ID
		}
	}
}

func (c *command) check(at ...string) error {
	if c.Type == 0 {
		c.Type = 1
	}
	if c.Type != 1 { // those of menus have a name only, which may be anything
		return nil
	}
	if err := named(at, c.Name, c.Description); err != nil {
		return err
	}
	total := utf8.RuneCountInString(c.Name + c.Description)
	if err := checkOptions(append(at, "options"), c.Options, &total); err != nil {
		return err
	}
	if total > longestCommand {
		return invalid(append(at, "options"), "APPLICATION_COMMAND_TOO_LARGE", "Command exceeds maximum size (8000)")
	}
	return nil
}

func named(at []string, name, description string) error {
	if !commandName.MatchString(name) || strings.ToLower(name) != name {
		return invalid(append(at, "name"), "APPLICATION_COMMAND_INVALID_NAME", "Command name is invalid")
	}
	if n := utf8.RuneCountInString(description); n < 1 || n > 100 {
		return invalid(append(at, "description"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
	}
	return nil
}

func checkOptions(at []string, list []option, total *int) error {
	if len(list) > mostOptions {
		return invalid(at, "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
	}
	optional := false
	for i, o := range list {
		here := append(at[:len(at):len(at)], strconv.Itoa(i))
		if err := named(here, o.Name, o.Description); err != nil {
			return err
		}
		*total += utf8.RuneCountInString(o.Name + o.Description)
		switch {
		case o.Required && optional:
			return invalid(here, "APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID", "Required options must be placed before non-required options")
		case o.Autocomplete && len(o.Choices) > 0:
			return invalid(here, "APPLICATION_COMMAND_OPTIONS_AUTOCOMPLETE_INVALID", "Autocomplete options cannot have choices")
		case len(o.Choices) > mostChoices:
			return invalid(append(here, "choices"), "BASE_TYPE_MAX_LENGTH", "Must be 25 or fewer in length.")
		}
		optional = optional || !o.Required
		if err := checkChoices(append(here, "choices"), o.Choices, total); err != nil {
			return err
		}
		if err := checkOptions(append(here, "options"), o.Options, total); err != nil {
			return err
		}
	}
	return nil
}

func checkChoices(at []string, list []Choice, total *int) error {
	for i, c := range list {
		here := append(at[:len(at):len(at)], strconv.Itoa(i))
		if n := utf8.RuneCountInString(c.Name); n < 1 || n > 100 {
			return invalid(append(here, "name"), "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")
		}
		text, _ := c.Value.(string)
		if utf8.RuneCountInString(text) > 100 {
			return invalid(append(here, "value"), "BASE_TYPE_MAX_LENGTH", "Must be 100 or fewer in length.")
		}
		*total += utf8.RuneCountInString(c.Name + text)
	}
	return nil
}
