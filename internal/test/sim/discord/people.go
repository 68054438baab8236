package discord

import (
	"fmt"
	"slices"
	"strconv"
)

// An Account writes: a [*Person] or a [*Bot].
type Account interface {
	account() *user
}

// The privileged intents, which the developer portal grants to an application.
const (
	Members        = 1 << 1
	Presences      = 1 << 8
	MessageContent = 1 << 15

	privileged = Members | Presences | MessageContent
	allIntents = 1<<26 - 1
)

// A Bot is an application of ours and its account. Of one given to AddBot, id,
// token and owner may be left out.
type Bot struct {
	ID      string // of the account and of the application
	Token   string // without "Bot "
	Name    string
	Intents int     // the privileged ones that are granted
	Owner   *Person // of the application

	identify window
	held     bool
	deaf     bool                 // its heartbeats are not acknowledged
	beats    int                  // how many came
	commands map[string][]command // by guild; "": everywhere
	typing   map[string]int64     // by channel: until when, in ms
}

func (b *Bot) account() *user {
	return &user{ID: b.ID, Username: b.Name, Discriminator: "0", Bot: true}
}

// A Person has an account, and may be somebody else's bot.
type Person struct {
	ID     string
	Name   string
	Locale string // default en-US
	IsBot  bool
	// Closed: takes no direct messages from bots.
	Closed bool
}

func (p *Person) account() *user {
	return &user{ID: p.ID, Username: p.Name, Discriminator: "0", GlobalName: &p.Name, Bot: p.IsBot}
}

// AddBot makes an application, as the developer portal does.
func (s *Server) AddBot(b Bot) *Bot {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.ID == "" {
		b.ID = s.id()
	}
	if b.Token == "" {
		b.Token = s.token(&b)
	}
	b.commands, b.typing = map[string][]command{}, map[string]int64{}
	s.bots = append(s.bots, &b)
	return &b
}

func (s *Server) token(b *Bot) string {
	return fmt.Sprintf("MT%s.G%s.%038d", b.ID, s.id()[10:], s.lastID)
}

// Revoke replaces the bot's token. It closes connections with the old one, with 4004.
func (s *Server) Revoke(b *Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.Token = s.token(b)
	for id, ss := range s.sessions {
		if ss.bot == b {
			ss.close(4004, "Authentication failed.")
			delete(s.sessions, id)
		}
	}
	s.happened()
}

// AddPerson makes an account. Of p, the id may be left out.
func (s *Server) AddPerson(p Person) *Person {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.ID == "" {
		p.ID = s.id()
	}
	if p.Locale == "" {
		p.Locale = "en-US"
	}
	s.people[p.ID] = &p
	return &p
}

// Mention is how a text mentions an account.
func Mention(a Account) string { return "<@" + a.account().ID + ">" }

// snowflakes count milliseconds from here.
const epoch = 1420070400000

// id returns a snowflake, larger than every one before; the caller holds mu.
func (s *Server) id() string {
	s.lastID = max(s.lastID+1, max(0, s.opts.Now().UnixMilli()-epoch)<<22)
	return strconv.FormatInt(s.lastID, 10)
}

// number reads a snowflake; anything else is 0, which sorts first.
func number(id string) int64 {
	n, _ := strconv.ParseInt(id, 10, 64)
	return n
}

func (s *Server) getMe(r *request) (any, error) { return r.bot.account(), nil }

func (s *Server) user(id string) *user {
	if p := s.people[id]; p != nil {
		return p.account()
	}
	for _, b := range s.bots {
		if b.ID == id {
			return b.account()
		}
	}
	return nil
}

// The flags of an application that is not verified, whose privileged intents are
// granted.
var intentFlags = map[int]int{Presences: 1 << 13, Members: 1 << 15, MessageContent: 1 << 19}

func (b *Bot) application() map[string]any {
	flags := 0
	for intent, flag := range intentFlags {
		if b.Intents&intent != 0 {
			flags |= flag
		}
	}
	a := map[string]any{"id": b.ID, "name": b.Name, "icon": nil, "description": "", "bot_public": true, "bot_require_code_grant": false,
		"verify_key": fmt.Sprintf("%064s", b.ID), "flags": flags, "bot": b.account(), "team": nil, "summary": ""}
	if b.Owner != nil {
		a["owner"] = b.Owner.account()
	}
	return a
}

func (s *Server) getApplication(r *request) (any, error) {
	a := r.bot.application()
	guilds := 0
	for _, g := range s.guilds {
		if g.member(r.bot) != nil {
			guilds++
		}
	}
	a["approximate_guild_count"] = guilds
	return a, nil
}

func (s *Server) createDM(r *request) (any, error) {
	var form struct {
		To string `json:"recipient_id"`
	}
	if err := r.decode(&form); err != nil {
		return nil, err
	}
	u := s.user(form.To)
	if u == nil {
		return nil, errRecipient
	}
	if u.Bot {
		return nil, no(400, 50007, errSend.Error())
	}
	return s.dm(s.people[u.ID], r.bot).info(), nil
}

// DM returns the direct messages of a person with a bot.
func (s *Server) DM(p *Person, b *Bot) *Channel {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dm(p, b)
}

func (s *Server) dm(p *Person, b *Bot) *Channel {
	for _, c := range s.channels {
		if c.with == p && c.bot == b {
			return c
		}
	}
	c := &Channel{ID: s.id(), kind: kindDM, with: p, bot: b}
	s.channels[c.ID] = c
	return c
}

// reachable reports whether b may write to p: they share a guild, and p lets
// bots write.
func (s *Server) reachable(p *Person, b *Bot) bool {
	if p.Closed || p.IsBot {
		return false
	}
	for _, g := range s.guilds {
		if g.member(b) != nil && g.member(p) != nil {
			return true
		}
	}
	return false
}

// SetClosed is a person changing whether bots may write to them.
func (s *Server) SetClosed(p *Person, closed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p.Closed = closed
}

// botIn returns the bots that may see a channel.
func (s *Server) botsIn(c *Channel) []*Bot {
	return slices.DeleteFunc(slices.Clone(s.bots), func(b *Bot) bool { return s.may(b, c, ViewChannel) != nil })
}
