package discord

import "slices"

// What people do. Who may not do it in that channel, does not: an id is then
// empty, and nobody is told.

// A File is something that is sent along.
type File struct {
	Name string
	Kind string // default by its content
	Data []byte
}

// A Post is what a person writes.
type Post struct {
	Text    string
	ReplyTo string // a message of the same channel
	Quiet   bool   // a reply that does not ping
	Files   []File
	Sticker string
	Poll    string // a question
	Answers []string
	Voice   []byte // a voice message
	Forward string // the text of a message from elsewhere, passed on
	// Component is a type of component that it has; clients made before there was
	// that type do not know it.
	Component int
	// Type is for what Discord writes in a person's name, such as 7: they joined,
	// 6: they pinned something. It may be empty.
	Type int
}

// Write is a person writing text; it returns the id of the message.
func (s *Server) Write(c *Channel, by *Person, text string) string {
	return s.Post(c, by, Post{Text: text})
}

// Reply is a person replying to a message.
func (s *Server) Reply(c *Channel, by *Person, to, text string) string {
	return s.Post(c, by, Post{Text: text, ReplyTo: to})
}

// Post is a person writing anything.
func (s *Server) Post(c *Channel, by *Person, p Post) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.channels[c.ID] == nil || c.guild != nil && s.permissions(by, c)&ViewChannel == 0 || c.with != nil && c.with != by {
		return ""
	}
	m := s.draw(c, by)
	text := p.Text
	d := &draft{Content: &text, Allowed: &allowed{Parse: []string{"users", "roles", "everyone"}, Replied: !p.Quiet}}
	if p.ReplyTo != "" && s.refer(m, &reference{MessageID: p.ReplyTo}) != nil {
		return ""
	}
	if p.Type != 0 {
		m.Type = p.Type
	}
	if p.Forward != "" {
		forwarded := snapshot{}
		forwarded.Message.Content, forwarded.Message.Timestamp = p.Forward, s.now()
		m.Snapshots, m.Reference = []snapshot{forwarded}, &reference{Type: 1, MessageID: s.id(), ChannelID: s.id()}
	}
	if p.Component != 0 {
		m.Components = []component{{Type: p.Component}}
	}
	for _, f := range p.Files {
		d.files = append(d.files, upload{name: f.Name, kind: f.Kind, data: f.Data})
	}
	if p.Sticker != "" {
		m.Stickers = []sticker{{ID: s.id(), Name: p.Sticker, Format: 1}}
	}
	if p.Poll != "" {
		m.Poll = &poll{Question: pollMedia{p.Poll}, Expiry: stamp(s.until(dayOfPoll)), Layout: 1}
		for i, a := range p.Answers {
			m.Poll.Answers = append(m.Poll.Answers, pollAnswer{i + 1, pollMedia{a}})
		}
	}
	if p.Voice != nil {
		m.Flags |= flagVoice
		d.files = []upload{{name: "voice-message.ogg", kind: "audio/ogg", data: p.Voice}}
	}
	if s.put(d, m) != nil {
		return ""
	}
	if p.Voice != nil {
		m.Attachments[0].Seconds = 3
	}
	s.publish(m)
	return m.ID
}

// Edit is a person changing what they wrote.
func (s *Server) Edit(c *Channel, id, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := c.find(id); m != nil {
		s.revise(m, &draft{Content: &text}) // an empty text is not sent by any client
	}
}

// Unfurl is Discord adding the preview of a link: an update of a message that
// nobody has edited.
func (s *Server) Unfurl(c *Channel, id, title string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := c.find(id); m != nil {
		m.Embeds = append(slices.Clone(m.Embeds), embed{Type: "link", Title: title})
		s.sendMessage("MESSAGE_UPDATE", m)
		s.happened()
	}
}

// Delete is a person, or a moderator, deleting a message.
func (s *Server) Delete(c *Channel, id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := c.find(id); m != nil {
		s.erase(m)
	}
}

// React is a person adding an emoji to a message.
func (s *Server) React(c *Channel, by *Person, id, emoji string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := c.find(id); m != nil {
		s.react(m, by, emoji, true)
	}
}
