package discord

import (
	"slices"
	"strings"
	"time"
	"unicode"
)

// typingLasts is how long people see somebody type who does not write.
const typingLasts = 10 * time.Second

func (s *Server) startTyping(r *request) (any, error) {
	c, err := s.channel(r, SendMessages)
	if err != nil {
		return nil, err
	}
	r.bot.typing[c.ID] = s.until(typingLasts).UnixMilli()
	s.sendTyping(c, r.bot)
	s.happened()
	return nil, nil
}

// Type is a person beginning to type.
func (s *Server) Type(c *Channel, by *Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sendTyping(c, by)
}

func (s *Server) sendTyping(c *Channel, by Account) {
	info := map[string]any{"channel_id": c.ID, "user_id": by.account().ID, "timestamp": s.opts.Now().Unix()}
	intent := directTyping
	if c.guild != nil {
		info["guild_id"], intent = c.guild.ID, guildTyping
		if m := c.guild.member(by); m != nil {
			info["member"] = m.info()
		}
	}
	s.sendToChannel(c, intent, "TYPING_START", info)
}

func (s *Server) addReaction(r *request) (any, error) {
	m, err := s.message(r, ReadHistory|AddReactions)
	if err != nil {
		return nil, err
	}
	name, err := emojiOf(r)
	if err != nil {
		return nil, err
	}
	s.react(m, r.bot, name, true)
	return nil, nil
}

// emojiOf reads an emoji of Unicode; there are no others here.
func emojiOf(r *request) (string, error) {
	name := r.PathValue("emoji")
	if name == "" || strings.ContainsFunc(name, func(c rune) bool { return unicode.IsLetter(c) || c == ':' }) {
		return "", errEmoji
	}
	return name, nil
}

func (s *Server) removeReaction(r *request) (any, error) {
	m, err := s.message(r, ViewChannel)
	if err != nil {
		return nil, err
	}
	name, err := emojiOf(r)
	if err != nil {
		return nil, err
	}
	var who Account = r.bot
	if id := r.PathValue("user"); id != "@me" && id != r.bot.ID {
		if s.may(r.bot, m.channel, ManageMessages) != nil || m.channel.guild == nil {
			return nil, errPermissions
		}
		p := s.people[id]
		if p == nil {
			return nil, errUser
		}
		who = p
	}
	s.react(m, who, name, false)
	return nil, nil
}

func (s *Server) react(m *shown, who Account, name string, add bool) {
	id := who.account().ID
	m.Reactions = slices.Clone(m.Reactions)
	i := slices.IndexFunc(m.Reactions, func(r reactions) bool { return r.Emoji.Name == name })
	there := i >= 0 && slices.Contains(m.Reactions[i].by, id)
	if there == add {
		return
	}
	if i < 0 {
		i = len(m.Reactions)
		m.Reactions = append(m.Reactions, reactions{Emoji: emoji{Name: name}})
	}
	re := &m.Reactions[i]
	event := "MESSAGE_REACTION_ADD"
	if add {
		re.by = append(slices.Clone(re.by), id)
	} else {
		event = "MESSAGE_REACTION_REMOVE"
		re.by = slices.DeleteFunc(slices.Clone(re.by), func(other string) bool { return other == id })
	}
	if re.Count = len(re.by); re.Count == 0 {
		m.Reactions = slices.Delete(m.Reactions, i, i+1)
	}
	info := map[string]any{"user_id": id, "channel_id": m.channel.ID, "message_id": m.ID, "message_author_id": m.Author.ID, "emoji": emoji{Name: name}}
	intent := directReactions
	if g := m.channel.guild; g != nil {
		info["guild_id"], intent = g.ID, guildReactions
		if by := g.member(who); by != nil {
			info["member"] = by.info()
		}
	}
	s.sendToChannel(m.channel, intent, event, info)
	s.happened()
}
