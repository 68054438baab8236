package telegram

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"
)

// A Bot is an account of ours.
type Bot struct {
	ID       int64
	Token    string
	Username string
	// ReadsAll lets it see everything in groups. Otherwise, as BotFather sets
	// it, only commands, mentions, and replies to it.
	ReadsAll bool

	queue, confirmed []*update
	lastUpdate       int64
	held             bool
	allowed          []string // of allowed_updates; nil: what comes by default
	poll             chan struct{}
	hook             *webhook
	lastMessage      int // ids in private chats are the bot's
	commands         map[string][]Command
	sent             bucket
	actions          map[int64]string
}

func (b *Bot) user() *user {
	return &user{ID: b.ID, IsBot: true, FirstName: b.Username, Username: b.Username}
}

// A Person has an account, and may be somebody else's bot.
type Person struct {
	ID       int64
	Name     string
	Username string
	Language string
	IsBot    bool
}

func (p *Person) user() *user {
	return &user{ID: p.ID, IsBot: p.IsBot, FirstName: p.Name, Username: p.Username, LanguageCode: p.Language}
}

// A Chat is private, between a person and a bot, or a group.
type Chat struct {
	ID    int64
	Title string
	Forum bool

	with        *Person // private
	bot         *Bot    // private
	started     bool
	blocked     bool
	deactivated bool           // the person's account is deleted
	gone        bool           // groups: deleted
	kicked      map[int64]bool // groups, by bot
	members     []*Bot         // groups
	migrated    int64
	topics      []int
	removed     []int // topics that were deleted
	shown       []*shown
	draft       draft // private
	lastMessage int
	sent        map[int64]*[2]bucket // by bot: the second's, and the minute's
}

func (c *Chat) info() chatInfo {
	if c.with != nil {
		return chatInfo{ID: c.ID, Type: "private", FirstName: c.with.Name, Username: c.with.Username}
	}
	return chatInfo{ID: c.ID, Type: "supergroup", Title: c.Title, IsForum: c.Forum}
}

// AddBot makes a bot, as BotFather does.
func (s *Server) AddBot(username string) *Bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := 7_000_000 + s.id()
	b := &Bot{ID: id, Token: fmt.Sprintf("%d:AA%030d", id, id), Username: username, commands: map[string][]Command{},
		lastUpdate: 100*id + int64(s.opts.First), lastMessage: s.opts.First, actions: map[int64]string{}}
	s.bots[b.Token] = b
	return b
}

// Revoke ends the bot's token, and gives it another.
func (s *Server) Revoke(b *Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.bots, b.Token)
	b.Token = fmt.Sprintf("%d:AB%030d", b.ID, s.id())
	s.bots[b.Token] = b
	if b.poll != nil {
		close(b.poll)
		b.poll = nil
	}
}

// AddPerson makes an account. Of p, the id may be left out.
func (s *Server) AddPerson(p Person) *Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.ID == 0 {
		p.ID = s.id()
	}
	s.people[p.ID] = &p
	return &p
}

// Private returns the chat of a person with a bot. Until they write in it, or
// Start it, the bot may not.
func (s *Server) Private(p *Person, b *Bot) *Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chats {
		if c.with == p && c.bot == b {
			return c
		}
	}
	c := &Chat{ID: p.ID, with: p, bot: b, sent: map[int64]*[2]bucket{}}
	s.chats = append(s.chats, c)
	return c
}

// Start returns a private chat in which the bot may write.
func (s *Server) Start(p *Person, b *Bot) *Chat {
	c := s.Private(p, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.started, c.blocked = true, false
	return c
}

// AddGroup makes a supergroup with these bots in it; forum gives it topics.
func (s *Server) AddGroup(title string, forum bool, bots ...*Bot) *Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := &Chat{ID: -1_000_000_000_000 - s.id(), Title: title, Forum: forum, members: bots, kicked: map[int64]bool{}, sent: map[int64]*[2]bucket{}}
	s.chats = append(s.chats, c)
	return c
}

// AddTopic makes a topic in a forum, and returns its thread.
func (s *Server) AddTopic(c *Chat) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.lastMessage++
	c.topics = append(c.topics, c.lastMessage)
	return c.lastMessage
}

// RemoveTopic is an admin deleting a topic.
func (s *Server) RemoveTopic(c *Chat, thread int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.topics = slices.DeleteFunc(c.topics, func(t int) bool { return t == thread })
	c.removed = append(c.removed, thread)
}

// Migrate gives a group another id, as happens when it becomes a supergroup: its
// messages are counted from 1 again. Its bots are told in both, if at all.
func (s *Server) Migrate(c *Chat) *Chat {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := &Chat{ID: -1_000_000_000_000 - s.id(), Title: c.Title, members: c.members, kicked: map[int64]bool{}, sent: map[int64]*[2]bucket{}}
	c.migrated = to.ID
	s.chats = append(s.chats, to)
	by, now := &user{ID: 1, FirstName: "Admin"}, s.opts.Now().Unix()
	for _, b := range c.members {
		b.push(&update{Message: &message{ID: c.nextID(), From: by, Chat: c.info(), Date: now, MigrateTo: to.ID}})
		b.push(&update{Message: &message{ID: to.nextID(), From: by, Chat: to.info(), Date: now, MigrateFrom: c.ID}})
	}
	s.happened()
	return to
}

// Block is a person blocking a bot; Start ends it.
func (s *Server) Block(p *Person, b *Bot) {
	c := s.Private(p, b)
	s.mu.Lock()
	defer s.mu.Unlock()
	c.blocked = true
	b.push(&update{MyMember: &memberChange{Chat: c.info(), From: p.user(), Date: s.opts.Now().Unix(),
		Old: member{Status: "member", User: b.user()}, New: member{Status: "kicked", User: b.user()}}})
	s.happened()
}

// Kick removes a bot from a group.
func (s *Server) Kick(c *Chat, b *Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.kicked[b.ID] = true
	b.push(&update{MyMember: &memberChange{Chat: c.info(), From: &user{ID: 1, FirstName: "Admin"}, Date: s.opts.Now().Unix(),
		Old: member{Status: "member", User: b.user()}, New: member{Status: "kicked", User: b.user()}}})
	s.happened()
}

// Delete is a group being deleted.
func (s *Server) Delete(c *Chat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.gone = true
}

// Deactivate is a person deleting their account.
func (s *Server) Deactivate(p *Person) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.chats {
		if c.with == p {
			c.deactivated = true
		}
	}
}

func (c *Chat) nextID() int {
	if c.bot != nil {
		c.bot.lastMessage++
		return c.bot.lastMessage
	}
	c.lastMessage++
	return c.lastMessage
}

// deliver gives an update to the bots that may see what it is about.
func (s *Server) deliver(c *Chat, make func() *update, m *message) {
	if c.with != nil {
		if !c.blocked {
			c.bot.push(make())
		}
		return
	}
	for _, b := range c.members {
		if !c.kicked[b.ID] && (b.ReadsAll || b.concerned(m)) {
			b.push(make())
		}
	}
}

// concerned reports whether a bot that does not read everything sees m.
func (b *Bot) concerned(m *message) bool {
	if m.ReplyTo != nil && m.ReplyTo.From != nil && m.ReplyTo.From.ID == b.ID {
		return true
	}
	units := utf16.Encode([]rune(m.Text))
	for _, e := range m.Entities {
		piece := string(utf16.Decode(units[e.Offset : e.Offset+e.Length]))
		switch e.Type {
		case "bot_command":
			_, to, addressed := strings.Cut(piece, "@")
			if !addressed || strings.EqualFold(to, b.Username) {
				return true
			}
		case "mention":
			if strings.EqualFold(piece[1:], b.Username) {
				return true
			}
		}
	}
	return false
}
