package discord

import (
	"slices"
	"time"
)

// A Line is a message as a person sees it.
type Line struct {
	ID      string
	From    string
	Bot     bool
	Text    string
	ReplyTo string // the id of a message; it may be deleted
	Buttons []string
	Embeds  []string // title and description
	Files   []File
	// Pings is who was notified when it was written: "@everyone", "@Ana", "@team".
	Pings     []string
	Reactions []string
	Edited    bool
	// Silent: it is there, and no device makes a sound.
	Silent bool
	// Only is who alone sees it; empty: everybody.
	Only string
	// Thinking: a bot has promised an answer.
	Thinking bool
	// Answers is the id of the interaction that it answers.
	Answers string
	At      time.Time
}

// Sees returns what a person sees in a channel, in order; nil: what everybody
// does.
func (s *Server) Sees(c *Channel, who *Person) []Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines(c, func(m *shown) bool { return m.only == nil || m.only == who })
}

// Lines returns what bots wrote in a channel, in order, including messages that only one person
// sees.
func (s *Server) Lines(c *Channel) []Line {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lines(c, func(m *shown) bool { return m.Author.Bot })
}

func (s *Server) lines(c *Channel, see func(*shown) bool) []Line {
	var list []Line
	for _, m := range c.shown {
		if !m.deleted && see(m) {
			list = append(list, s.line(m))
		}
	}
	return list
}

func (s *Server) line(m *shown) Line {
	l := Line{ID: m.ID, From: m.Author.Username, Bot: m.Author.Bot, Text: m.Content, Pings: slices.Clone(m.pings), Edited: m.Edited != nil, Silent: m.Flags&flagSilent != 0,
		Thinking: m.Flags&flagLoading != 0, At: timeOf(m.ID)}
	if m.Reference != nil && m.Type != typeDefault {
		l.ReplyTo = m.Reference.MessageID
	}
	if m.only != nil {
		l.Only = m.only.Name
	}
	if m.press != nil {
		l.Answers = m.press.ID
	}
	for _, row := range m.Components {
		for _, b := range row.Components {
			l.Buttons = append(l.Buttons, b.Label)
		}
	}
	for _, e := range m.Embeds {
		l.Embeds = append(l.Embeds, e.Title+"\n"+e.Description)
	}
	for _, a := range m.Attachments {
		l.Files = append(l.Files, File{a.Filename, a.ContentType, s.files[a.path].data})
	}
	for _, r := range m.Reactions {
		l.Reactions = append(l.Reactions, r.Emoji.Name)
	}
	return l
}

// Types reports whether people see that a bot is typing in a channel: from its
// call on for ten seconds, or until it writes.
func (s *Server) Types(c *Channel, b *Bot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Now().UnixMilli() < b.typing[c.ID]
}
