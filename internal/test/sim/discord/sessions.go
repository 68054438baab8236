package discord

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// The intents that events are asked for with.
const (
	guilds          = 1 << 0
	guildMembers    = 1 << 1
	guildMessages   = 1 << 9
	guildReactions  = 1 << 10
	guildTyping     = 1 << 11
	directMessages  = 1 << 12
	directReactions = 1 << 13
	directTyping    = 1 << 14
	always          = 0
)

// A session is what a client has identified for. It keeps every event, so that a
// client that lost its connection gets what it missed.
type session struct {
	id      string
	bot     *Bot
	intents int
	conn    *conn // nil: the client is away
	away    time.Time
	seq     int64
	log     []event
	pending []event // held
}

type event struct {
	seq  int64
	name string
	data json.RawMessage
}

func (e event) frame() frame {
	return frame{Op: opDispatch, Seq: &e.seq, Name: &e.name, Data: e.data}
}

func marshal(data any) json.RawMessage {
	raw, err := json.Marshal(data)
	if err != nil {
		panic("discord: " + err.Error()) // the types of this package can be marshaled
	}
	return raw
}

// push gives the session an event; offer holds it back if its bot is held.
func (ss *session) push(name string, data any) { ss.deliver(event{name: name, data: marshal(data)}) }

func (ss *session) offer(name string, data any) {
	if ss.bot.held {
		ss.pending = append(ss.pending, event{name: name, data: marshal(data)})
		return
	}
	ss.push(name, data)
}

func (ss *session) deliver(e event) {
	ss.seq++
	e.seq = ss.seq
	ss.log = append(ss.log, e)
	if ss.conn != nil {
		ss.conn.send(e.frame())
	}
}

func (ss *session) close(code int, text string) {
	if ss.conn != nil {
		ss.conn.close(code, text)
	}
}

// dispatch gives a bot's sessions an event; the caller holds mu.
func (s *Server) dispatch(b *Bot, intent int, name string, data any) {
	for _, ss := range s.sessionsOf(b) {
		if intent != always && ss.intents&intent == 0 {
			continue
		}
		ss.offer(name, data)
	}
}

// sessionsOf returns the sessions of a bot, oldest first. A platform gives every
// one every event.
func (s *Server) sessionsOf(b *Bot) []*session {
	var list []*session
	for _, ss := range s.sessions {
		if ss.bot == b {
			list = append(list, ss)
		}
	}
	slices.SortFunc(list, func(a, b *session) int { return strings.Compare(a.id, b.id) })
	return list
}

func (s *Server) sendToGuild(g *Guild, intent int, name string, data any) {
	for _, b := range s.bots {
		if g.member(b) != nil {
			s.dispatch(b, intent, name, data)
		}
	}
}

func (s *Server) sendToChannel(c *Channel, intent int, name string, data any) {
	for _, b := range s.botsIn(c) {
		s.dispatch(b, intent, name, data)
	}
}

func (s *Server) sendMessage(name string, m *shown) {
	intent := guildMessages
	if m.channel.guild == nil {
		intent = directMessages
	}
	for _, b := range s.botsIn(m.channel) {
		for _, ss := range s.sessionsOf(b) {
			if ss.intents&intent == 0 {
				continue
			}
			info := s.render(m, b, ss.intents&MessageContent != 0)
			if g := m.channel.guild; g != nil {
				info.GuildID = g.ID
				if by := g.memberBy(m.Author.ID); by != nil {
					info.Member = by.info()
					info.Member.User = nil
				}
			}
			ss.offer(name, info)
		}
	}
}

// Connected reports whether a client of the bot is connected and identified.
func (s *Server) Connected(b *Bot) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.sessionsOf(b), func(ss *session) bool { return ss.conn != nil })
}
