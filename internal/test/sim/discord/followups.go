package discord

func (s *Server) webhook(r *request) (*Interaction, error) {
	i := s.presses[r.PathValue("token")]
	switch {
	case i == nil || i.bot.ID != r.PathValue("application") || i.answered == 0 || i.kind == interactionAutocomplete:
		return nil, errWebhook
	case s.opts.Now().Sub(i.at) > sayMoreFor:
		return nil, errWebhookToken
	}
	return i, nil
}

// followUp says more. The first time after a promise, it is what was promised.
func (s *Server) followUp(r *request) (any, error) {
	i, err := s.webhook(r)
	if err != nil {
		return nil, err
	}
	d, err := r.draft()
	if err != nil {
		return nil, err
	}
	if m := i.original; m != nil && m.Flags&flagLoading != 0 {
		err := s.fulfil(m, d)
		return s.render(m, i.bot, true), err
	}
	m, err := s.answer(i, d, false)
	if err != nil {
		return nil, err
	}
	return s.render(m, i.bot, true), nil
}

// fulfil edits a message by way of its interaction; what was promised is not
// edited by that, and pings.
func (s *Server) fulfil(m *shown, d *draft) error {
	if m.Flags&flagLoading == 0 {
		return s.revise(m, d)
	}
	if err := s.put(d, m); err != nil {
		return err
	}
	m.Flags &^= flagLoading
	if m.only == nil {
		s.sendMessage("MESSAGE_UPDATE", m)
	}
	s.happened()
	return nil
}

// interactionMessage returns a message of an interaction: @original, or one by its id.
func (s *Server) interactionMessage(r *request) (*Interaction, *shown, error) {
	i, err := s.webhook(r)
	if err != nil {
		return nil, nil, err
	}
	m := i.original
	if id := r.PathValue("message"); id != "@original" {
		if m = i.channel.find(id); m != nil && m.press != i && m != i.on {
			m = nil
		}
	}
	if m == nil || m.deleted {
		return nil, nil, errMessage
	}
	return i, m, nil
}

func (s *Server) editFollowUp(r *request) (any, error) {
	i, m, err := s.interactionMessage(r)
	if err != nil {
		return nil, err
	}
	d, err := r.draft()
	if err != nil {
		return nil, err
	}
	if err := s.fulfil(m, d); err != nil {
		return nil, err
	}
	return s.render(m, i.bot, true), nil
}

func (s *Server) deleteFollowUp(r *request) (any, error) {
	_, m, err := s.interactionMessage(r)
	if err != nil {
		return nil, err
	}
	s.erase(m)
	return nil, nil
}
