package discord

import (
	"slices"
	"strconv"
)

// A Guild is what people call a server.
type Guild struct {
	ID      string
	Name    string
	members []*membership
	roles   []*Role // the first is @everyone's
}

// A Role gives permissions to who has it.
type Role struct {
	ID   string
	Name string
	May  Permission
	// Mentionable by everybody. @everyone and the others are mentioned only by who
	// has MentionEveryone.
	Mentionable bool
}

type membership struct {
	who    Account
	roles  []string
	joined string
}

// Mention is how a text mentions the role.
func (r *Role) Mention() string { return "<@&" + r.ID + ">" }

func (g *Guild) member(a Account) *membership { return g.memberBy(a.account().ID) }

func (g *Guild) memberBy(id string) *membership {
	if i := slices.IndexFunc(g.members, func(m *membership) bool { return m.who.account().ID == id }); i >= 0 {
		return g.members[i]
	}
	return nil
}

func (m *membership) info() *member {
	return &member{User: m.who.account(), Roles: append([]string{}, m.roles...), JoinedAt: m.joined}
}

// AddGuild makes a guild with a channel #general and these members.
func (s *Server) AddGuild(name string, members ...Account) *Guild {
	s.mu.Lock()
	g := &Guild{ID: s.id(), Name: name}
	g.roles = []*Role{{ID: g.ID, Name: "@everyone", May: everyone}}
	s.guilds[g.ID] = g
	s.addChannel(g, "general", kindText)
	s.mu.Unlock()
	for _, m := range members {
		s.Join(g, m)
	}
	return g
}

// General is the first channel of a guild.
func (s *Server) General(g *Guild) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	if list := s.channelsOf(g); len(list) > 0 {
		return list[0]
	}
	return nil
}

// AddRole makes a role.
func (s *Server) AddRole(g *Guild, r Role) *Role {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.ID = s.id()
	g.roles = append(g.roles, &r)
	return &r
}

// Everyone is the role that all members have.
func (s *Server) Everyone(g *Guild) *Role {
	s.mu.Lock()
	defer s.mu.Unlock()
	return g.roles[0]
}

func in(g *Guild, m *membership) *member {
	info := m.info()
	info.GuildID = g.ID
	return info
}

// Join is somebody joining a guild, or a bot being invited into it.
func (s *Server) Join(g *Guild, who Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g.member(who) != nil {
		return
	}
	m := &membership{who: who, joined: s.now()}
	s.sendToGuild(g, guildMembers, "GUILD_MEMBER_ADD", in(g, m))
	g.members = append(g.members, m)
	if b, is := who.(*Bot); is {
		s.dispatch(b, guilds, "GUILD_CREATE", s.whole(g, b, b.Intents&Members != 0))
	}
	s.happened()
}

// Kick is somebody leaving a guild, whether they like it or not.
func (s *Server) Kick(g *Guild, who Account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leave(g, who)
}

func (s *Server) leave(g *Guild, who Account) {
	m := g.member(who)
	if m == nil {
		return
	}
	g.members = slices.DeleteFunc(g.members, func(other *membership) bool { return other == m })
	if b, is := who.(*Bot); is {
		s.dispatch(b, guilds, "GUILD_DELETE", map[string]any{"id": g.ID})
		delete(b.commands, g.ID)
	}
	s.sendToGuild(g, guildMembers, "GUILD_MEMBER_REMOVE", map[string]any{"guild_id": g.ID, "user": who.account()})
	s.happened()
}

// Outage makes a guild unavailable, as when Discord has trouble with it; what it
// returns ends that.
func (s *Server) Outage(g *Guild) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sendToGuild(g, guilds, "GUILD_DELETE", map[string]any{"id": g.ID, "unavailable": true})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, b := range s.bots {
			if g.member(b) != nil {
				s.dispatch(b, guilds, "GUILD_CREATE", s.whole(g, b, b.Intents&Members != 0))
			}
		}
	}
}

func (g *Guild) info() guildInfo {
	info := guildInfo{ID: g.ID, Name: g.Name, Roles: g.roleInfos(), Emojis: []any{}, Locale: "en-US"}
	if len(g.members) > 0 {
		info.OwnerID = g.members[0].who.account().ID
	}
	return info
}

func (g *Guild) roleInfos() []roleInfo {
	var list []roleInfo
	for i, r := range g.roles {
		list = append(list, roleInfo{ID: r.ID, Name: r.Name, Permissions: strconv.FormatInt(int64(r.May), 10), Mentionable: r.Mentionable, Position: i})
	}
	return list
}

// whole is what GUILD_CREATE tells a bot. Without the intent for members it is
// told of itself only.
func (s *Server) whole(g *Guild, b *Bot, members bool) guildInfo {
	info := g.info()
	info.MemberCount = len(g.members)
	for _, m := range g.members {
		if m.who == Account(b) {
			info.JoinedAt = m.joined
		} else if !members {
			continue
		}
		info.Members = append(info.Members, *m.info())
	}
	for _, c := range s.channelsOf(g) {
		switch {
		case s.may(b, c, ViewChannel) != nil:
		case c.parent != nil:
			info.Threads = append(info.Threads, *c.info())
		default:
			info.Channels = append(info.Channels, *c.info())
		}
	}
	return info
}
