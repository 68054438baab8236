package discord

import (
	"slices"
)

// The types of channels.
const (
	kindText   = 0
	kindDM     = 1
	kindThread = 11
)

// A Channel is a channel of a guild, a thread in one, or the direct messages of
// a person with a bot.
type Channel struct {
	ID   string
	Name string

	kind             int
	guild            *Guild
	parent           *Channel // threads
	owner            string   // threads
	with             *Person  // direct
	bot              *Bot     // direct
	grants           map[string]grant
	archived, locked bool
	shown            []*shown
	last             string // id of the last message
}

// AddChannel makes a text channel.
func (s *Server) AddChannel(g *Guild, name string) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.addChannel(g, name, kindText)
	s.sendToChannel(c, guilds, "CHANNEL_CREATE", c.info())
	return c
}

func (s *Server) addChannel(g *Guild, name string, kind int) *Channel {
	c := &Channel{ID: s.id(), Name: name, kind: kind, guild: g}
	s.channels[c.ID] = c
	return c
}

// AddThread is somebody making a thread in a channel.
func (s *Server) AddThread(parent *Channel, by Account, name string) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addThread(parent, s.id(), by, name)
}

func (s *Server) addThread(parent *Channel, id string, by Account, name string) *Channel {
	c := &Channel{ID: id, Name: name, kind: kindThread, guild: parent.guild, parent: parent, owner: by.account().ID}
	s.channels[id] = c
	info := c.info()
	info.NewlyCreated = true
	s.sendToChannel(c, guilds, "THREAD_CREATE", info)
	s.happened()
	return c
}

// Archive puts a thread away. Whoever writes in it gets it back, unless it is
// locked.
func (s *Server) Archive(thread *Channel, locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	thread.archived, thread.locked = true, locked
	s.sendToChannel(thread, guilds, "THREAD_UPDATE", thread.info())
}

// RemoveChannel is an admin deleting a channel, with its threads.
func (s *Server) RemoveChannel(c *Channel) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.removeChannel(c)
}

func (s *Server) removeChannel(c *Channel) {
	event := "CHANNEL_DELETE"
	if c.parent != nil {
		event = "THREAD_DELETE"
	}
	s.sendToChannel(c, guilds, event, c.info())
	delete(s.channels, c.ID)
	for id, thread := range s.channels {
		if thread.parent == c {
			delete(s.channels, id)
		}
	}
	s.happened()
}

func (s *Server) channelsOf(g *Guild) []*Channel {
	var list []*Channel
	for _, c := range s.channels {
		if c.guild == g {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *Channel) int { return compare(a.ID, b.ID) })
	return list
}

func compare(a, b string) int {
	switch x, y := number(a), number(b); {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

func (c *Channel) info() *channelInfo {
	info := &channelInfo{ID: c.ID, Type: c.kind, Name: c.Name, OwnerID: c.owner}
	if c.last != "" {
		info.LastMessageID = &c.last
	}
	if c.with != nil {
		info.Recipients = []*user{c.with.account()}
		return info
	}
	info.GuildID = c.guild.ID
	if c.parent != nil {
		info.ParentID = c.parent.ID
		info.Thread = &threadInfo{Archived: c.archived, Locked: c.locked, Duration: 1440, ArchiveAt: stamp(timeOf(c.ID))}
	}
	for id, g := range c.grants {
		o := overwrite{ID: id, Type: 1, Allow: g.allow.String(), Deny: g.deny.String()}
		if g.role {
			o.Type = 0
		}
		info.Overwrites = append(info.Overwrites, o)
	}
	slices.SortFunc(info.Overwrites, func(a, b overwrite) int { return compare(a.ID, b.ID) })
	return info
}

func (s *Server) channel(r *request, p Permission) (*Channel, error) {
	c := s.channels[r.PathValue("channel")]
	if c == nil {
		return nil, errChannel
	}
	return c, s.may(r.bot, c, p)
}

func (s *Server) getChannel(r *request) (any, error) {
	c, err := s.channel(r, ViewChannel)
	if err != nil {
		return nil, err
	}
	return c.info(), nil
}
