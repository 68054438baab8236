package telegram

import "slices"

type shown struct {
	*message
	bot     *Bot // who sent it; nil: a person
	deleted bool
	mark    string // the bot's reaction
}

// A Line is a message as a person sees it.
type Line struct {
	ID       int
	From     string // the name of a person, or the username of a bot
	Text     string
	Entities []Entity
	ReplyTo  int
	Thread   int
	Buttons  []string
	Edited   bool
	Reaction string // the bot's
	File     string // the name of a document
	Data     []byte // what is in it
}

// Sees returns what people see in a chat, in order.
func (s *Server) Sees(c *Chat) []Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	var lines []Line
	for _, m := range c.shown {
		if m.deleted {
			continue
		}
		l := Line{ID: m.ID, From: m.From.FirstName, Text: m.Text + m.Caption, Entities: slices.Clone(m.Entities), Thread: m.Thread, Edited: m.EditDate != 0, Reaction: m.mark}
		if f := m.Document; f != nil {
			l.File = f.Name
			if kept := s.files[f.ID]; kept != nil {
				l.Data = kept.data
			}
		}
		if m.ReplyTo != nil {
			l.ReplyTo = m.ReplyTo.ID
		}
		if m.Markup != nil {
			for _, row := range m.Markup.Rows {
				for _, b := range row {
					l.Buttons = append(l.Buttons, b.Text)
				}
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// Lines returns what bots wrote in a chat, in order.
func (s *Server) Lines(c *Chat) []Line {
	s.mu.Lock()
	ours := map[int]bool{}
	for _, m := range c.shown {
		ours[m.ID] = m.bot != nil
	}
	s.mu.Unlock()
	return slices.DeleteFunc(s.Sees(c), func(l Line) bool { return !ours[l.ID] })
}

// Action returns what a bot shows that it is doing in a chat: "typing".
func (s *Server) Action(c *Chat, b *Bot) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return b.actions[c.ID]
}

func (c *Chat) find(id int) *shown {
	for _, m := range c.shown {
		if m.ID == id && !m.deleted {
			return m
		}
	}
	return nil
}
