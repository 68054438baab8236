package discord

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

const mostSent = 120

// receive takes a packet of a client; the caller holds mu.
func (s *Server) receive(c *conn, raw []byte) {
	var f frame
	if json.Unmarshal(raw, &f) != nil {
		c.close(4002, "Error while decoding payload.")
		return
	}
	if c.sent.take(s.opts.Now(), mostSent, time.Minute) > 0 {
		c.close(4008, "You are being rate limited.")
		return
	}
	switch f.Op {
	case opHeartbeat:
		if c.session != nil {
			c.session.bot.beats++
		}
		if c.session == nil || !c.session.bot.deaf {
			c.send(frame{Op: opHeartbeatA})
		}
	case opIdentify:
		s.identify(c, f.Data)
	case opResume:
		s.resume(c, f.Data)
	case opPresence, opVoice, opMembers:
		if c.session == nil {
			c.close(4003, "Not authenticated.")
		}
	default:
		c.close(4001, "Unknown opcode.")
	}
}

// asked notes what a client asked for, and returns the fault to meet.
func (s *Server) asked(route Route, b *Bot, raw json.RawMessage) (*Call, Fault) {
	call := &Call{Route: route, Bot: b, Body: string(raw), At: s.opts.Now()}
	s.calls = append(s.calls, call)
	return call, s.takeFault(route)
}

func (s *Server) identify(c *conn, raw json.RawMessage) {
	var ask struct {
		Token    string  `json:"token"`
		Intents  int     `json:"intents"`
		Compress bool    `json:"compress"`
		Shard    *[2]int `json:"shard"`
	}
	if json.Unmarshal(raw, &ask) != nil {
		c.close(4002, "Error while decoding payload.")
		return
	}
	b := s.botWith(strings.TrimPrefix(ask.Token, "Bot "))
	call, fault := s.asked(Identify, b, raw)
	switch {
	case c.session != nil:
		c.close(4005, "Already authenticated.")
	case fault.Kind == DieBefore:
		c.drop()
	case b == nil:
		c.close(4004, "Authentication failed.")
	case ask.Shard != nil && (ask.Shard[1] < 1 || ask.Shard[0] >= ask.Shard[1]):
		c.close(4010, "Invalid shard.")
	case ask.Intents&^allIntents != 0:
		c.close(4013, "Invalid intent(s).")
	case ask.Intents&privileged&^b.Intents != 0:
		c.close(4014, "Disallowed intent(s).")
	case fault.Kind == InvalidSession, s.opts.IdentifyEvery > 0 && b.identify.take(s.opts.Now(), 1, s.opts.IdentifyEvery) > 0:
		c.invalid(false)
	default:
		call.Status = 200
		c.compress = ask.Compress
		s.begin(c, b, ask.Intents, ask.Shard)
		if fault.Kind == DieAfter {
			c.drop()
		}
	}
}

func (s *Server) begin(c *conn, b *Bot, intents int, shard *[2]int) {
	ss := &session{id: fmt.Sprintf("%032x", number(s.id())), bot: b, intents: intents, conn: c}
	s.sessions[ss.id] = ss
	c.session = ss
	var in []*Guild
	for _, g := range s.guilds {
		if g.member(b) != nil {
			in = append(in, g)
		}
	}
	slices.SortFunc(in, func(a, b *Guild) int { return compare(a.ID, b.ID) })
	list := []any{}
	for _, g := range in {
		list = append(list, map[string]any{"id": g.ID, "unavailable": true})
	}
	ready := map[string]any{"v": 9, "user": b.account(), "guilds": list, "session_id": ss.id, "resume_gateway_url": "wss://gateway-us-east1-b.discord.gg",
		"session_type": "normal", "private_channels": []any{}, "application": map[string]any{"id": b.ID, "flags": b.application()["flags"]}}
	if shard != nil {
		ready["shard"] = shard
	}
	ss.push("READY", ready)
	if intents&guilds != 0 {
		for _, g := range in {
			ss.push("GUILD_CREATE", s.whole(g, b, intents&guildMembers != 0))
		}
	}
}

func (s *Server) resume(c *conn, raw json.RawMessage) {
	var ask struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int64  `json:"seq"`
	}
	if json.Unmarshal(raw, &ask) != nil {
		c.close(4002, "Error while decoding payload.")
		return
	}
	b := s.botWith(strings.TrimPrefix(ask.Token, "Bot "))
	call, fault := s.asked(Resume, b, raw)
	ss := s.sessions[ask.Session]
	late := ss != nil && ss.conn == nil && s.opts.Now().Sub(ss.away) > s.opts.ResumeFor
	if late {
		delete(s.sessions, ss.id)
	}
	switch {
	case c.session != nil:
		c.close(4005, "Already authenticated.")
		return
	case fault.Kind == DieBefore:
		c.drop()
		return
	case b == nil:
		c.close(4004, "Authentication failed.")
		return
	case ss == nil || ss.bot != b || late || fault.Kind == InvalidSession:
		if ss != nil && ss.bot == b {
			delete(s.sessions, ss.id)
		}
		c.invalid(false)
		return
	case ask.Seq > ss.seq:
		c.close(4007, "Invalid sequence.")
		return
	}
	if old := ss.conn; old != nil { // the client is sooner here than its old connection is known to be dead
		s.detach(old)
		old.drop()
	}
	call.Status = 200
	c.session, ss.conn = ss, c
	for _, e := range ss.log {
		if e.seq > ask.Seq {
			c.send(e.frame())
		}
	}
	ss.push("RESUMED", map[string]any{"_trace": []string{}})
	if fault.Kind == DieAfter {
		c.drop()
	}
}
