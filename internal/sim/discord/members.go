package discord

import "slices"

func (s *Server) getGuild(r *request) (any, error) {
	g, err := s.guild(r)
	if err != nil {
		return nil, err
	}
	return g.info(), nil
}

func (s *Server) getRoles(r *request) (any, error) {
	g, err := s.guild(r)
	if err != nil {
		return nil, err
	}
	return g.roleInfos(), nil
}

func (s *Server) getMember(r *request) (any, error) {
	g, err := s.guild(r)
	if err != nil {
		return nil, err
	}
	id := r.PathValue("user")
	if m := g.memberBy(id); m != nil {
		return m.info(), nil
	}
	if s.user(id) == nil {
		return nil, errUser
	}
	return nil, errMember
}

func (s *Server) listMembers(r *request) (any, error) {
	g, err := s.guild(r)
	if err != nil {
		return nil, err
	}
	if r.bot.Intents&Members == 0 {
		return nil, errAccess
	}
	list := []*member{}
	for _, m := range g.members {
		list = append(list, m.info())
	}
	return list, nil
}

func (s *Server) listGuilds(r *request) (any, error) {
	list := []guildInfo{}
	for _, g := range s.guilds {
		if g.member(r.bot) != nil {
			list = append(list, g.info())
		}
	}
	slices.SortFunc(list, func(a, b guildInfo) int { return compare(a.ID, b.ID) })
	return list, nil
}

func (s *Server) activeThreads(r *request) (any, error) {
	g, err := s.guild(r)
	if err != nil {
		return nil, err
	}
	list := []*channelInfo{}
	for _, c := range s.channelsOf(g) {
		if c.parent != nil && !c.archived && s.may(r.bot, c, ViewChannel) == nil {
			list = append(list, c.info())
		}
	}
	return map[string]any{"threads": list, "members": []any{}, "has_more": false}, nil
}
