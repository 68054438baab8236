package telegram

import (
	"regexp"
	"strings"
)

// A Command is an entry of the list that clients show.
type Command struct {
	Name        string `json:"command"`
	Description string `json:"description"`
}

func (s *Server) getMe(r *request) (any, error) {
	u, yes := r.bot.user(), true
	u.CanJoinGroups, u.CanReadAllGroupMessages = &yes, &r.bot.ReadsAll
	return u, nil
}

func (s *Server) getChat(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.chat(r)
	if err != nil {
		return nil, err
	}
	return c.info(), nil
}

var commandName = regexp.MustCompile(`^[a-z0-9_]{1,32}$`)

func commandsFor(r *request) string { return r.params["scope"] + "|" + r.params["language_code"] }

func (s *Server) setMyCommands(r *request) (any, error) {
	var list []Command
	if given, err := r.object("commands", &list); err != nil || !given {
		return nil, bad("can't parse commands JSON object")
	}
	if len(list) > 100 {
		return nil, bad("BOT_COMMANDS_TOO_MUCH")
	}
	for _, c := range list {
		switch {
		case !commandName.MatchString(strings.TrimPrefix(c.Name, "/")):
			return nil, bad("BOT_COMMAND_INVALID")
		case c.Description == "" || len([]rune(c.Description)) > 256:
			return nil, bad("BOT_COMMAND_DESCRIPTION_INVALID")
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r.bot.commands[commandsFor(r)] = list
	s.happened()
	return true, nil
}

func (s *Server) getMyCommands(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Command{}, r.bot.commands[commandsFor(r)]...), nil
}

func (s *Server) deleteMyCommands(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(r.bot.commands, commandsFor(r))
	return true, nil
}

// Commands returns the list that a bot shows people of a language; empty: all.
func (s *Server) Commands(b *Bot, language string) []Command {
	s.mu.Lock()
	defer s.mu.Unlock()
	return b.commands["|"+language]
}
