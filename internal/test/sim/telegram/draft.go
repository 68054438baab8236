package telegram

import "time"

// A draft is a message that a bot is writing in a private chat: it is shown for half a
// minute, or until the bot sends one.
type draft struct {
	number int64
	text   string
	at     time.Time
}

const draftFades = 30 * time.Second

func (s *Server) sendMessageDraft(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.chat(r)
	if err != nil {
		return nil, err
	}
	if c.with == nil {
		return nil, bad("TEXTDRAFT_PEER_INVALID")
	}
	number := r.number("draft_id")
	if number == 0 {
		return nil, bad("draft_id must be non-zero")
	}
	text, _, _, err := r.content()
	if err != nil {
		return nil, err
	}
	c.draft = draft{number, text, s.opts.Now()}
	s.happened()
	return true, nil
}

// Draft returns what people see that a bot is writing in a private chat; empty: nothing.
func (s *Server) Draft(c *Chat) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.opts.Now().Sub(c.draft.at) >= draftFades {
		return ""
	}
	return c.draft.text
}
