package telegram

import "slices"

// reactions are the emoji that a bot may react with; there are more.
var reactions = []string{"👍", "👎", "❤", "🔥", "👏", "🤔", "🎉", "🙏", "👌", "👀", "💯", "⚡", "🤝", "✍", "🫡", "🆒"}

func (s *Server) setReaction(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.chat(r)
	if err != nil {
		return nil, err
	}
	var list []struct {
		Type  string `json:"type"`
		Emoji string `json:"emoji"`
	}
	if _, err := r.object("reaction", &list); err != nil {
		return nil, err
	}
	m := c.find(int(r.number("message_id")))
	switch {
	case m == nil:
		return nil, bad("message to react not found")
	case len(list) > 1:
		return nil, bad("REACTIONS_TOO_MANY")
	case len(list) == 1 && (list[0].Type != "emoji" || !slices.Contains(reactions, list[0].Emoji)):
		return nil, bad("REACTION_INVALID")
	}
	m.mark = ""
	if len(list) == 1 {
		m.mark = list[0].Emoji
	}
	s.happened()
	return true, nil
}
