package discord

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
