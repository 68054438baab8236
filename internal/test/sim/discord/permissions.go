package discord

import "strconv"

// A Permission is a bit of https://docs.discord.com/developers/topics/permissions.
type Permission int64

// The permissions that this server minds.
const (
	AddReactions          Permission = 1 << 6
	Administrator         Permission = 1 << 3
	ManageChannels        Permission = 1 << 4
	ViewChannel           Permission = 1 << 10
	SendMessages          Permission = 1 << 11
	ManageMessages        Permission = 1 << 13
	EmbedLinks            Permission = 1 << 14
	AttachFiles           Permission = 1 << 15
	ReadHistory           Permission = 1 << 16
	MentionEveryone       Permission = 1 << 17
	UseCommands           Permission = 1 << 31
	CreateThreads         Permission = 1 << 35
	SendMessagesInThreads Permission = 1 << 38

	everyone = AddReactions | ViewChannel | SendMessages | EmbedLinks | AttachFiles | ReadHistory | MentionEveryone | UseCommands |
		CreateThreads | SendMessagesInThreads
)

// Deny takes permissions in a channel away from an account or a [*Role]; Allow
// gives them.
func (s *Server) Deny(c *Channel, to any, p Permission) { s.overwrite(c, to, 0, p) }

// Allow gives permissions in a channel; see Deny.
func (s *Server) Allow(c *Channel, to any, p Permission) { s.overwrite(c, to, p, 0) }

type grant struct {
	role        bool
	allow, deny Permission
}

func (s *Server) overwrite(c *Channel, to any, allow, deny Permission) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, role := "", false
	switch w := to.(type) {
	case *Role:
		id, role = w.ID, true
	case Account:
		id = w.account().ID
	default:
		panic("discord: permissions are a role's or an account's")
	}
	if c.grants == nil {
		c.grants = map[string]grant{}
	}
	g := c.grants[id]
	c.grants[id] = grant{role, g.allow&^deny | allow, g.deny&^allow | deny}
	s.sendToChannel(c, guilds, "CHANNEL_UPDATE", c.info())
}

func (s *Server) permissions(a Account, c *Channel) Permission {
	m := c.guild.member(a)
	if m == nil {
		return 0
	}
	p := c.guild.roles[0].May
	has := map[string]bool{}
	for _, id := range m.roles {
		has[id] = true
	}
	for _, r := range c.guild.roles {
		if has[r.ID] {
			p |= r.May
		}
	}
	if p&Administrator != 0 {
		return -1
	}
	if c.parent != nil {
		c = c.parent
	}
	all := c.grants[c.guild.ID]
	p = p&^all.deny | all.allow
	var roles grant
	for id := range has {
		roles.allow |= c.grants[id].allow
		roles.deny |= c.grants[id].deny
	}
	p = p&^roles.deny | roles.allow
	own := c.grants[a.account().ID]
	return p&^own.deny | own.allow
}

// may returns why an account may not do something in a channel.
func (s *Server) may(a Account, c *Channel, p Permission) error {
	if c.guild == nil {
		if a != Account(c.bot) && a != Account(c.with) {
			return errAccess
		}
		return nil
	}
	has := s.permissions(a, c)
	switch {
	case has&ViewChannel == 0:
		return errAccess
	case has&p != p:
		return errPermissions
	}
	return nil
}

func (p Permission) String() string { return strconv.FormatInt(int64(p), 10) }
