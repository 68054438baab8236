package discord

import "slices"

// Repeat delivers the last n events again, as new ones.
func (s *Server) Repeat(b *Bot, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessionsOf(b) {
		list := slices.DeleteFunc(slices.Clone(ss.log), func(e event) bool {
			return e.name == "READY" || e.name == "RESUMED" || e.name == "GUILD_CREATE"
		})
		for _, e := range list[max(0, len(list)-n):] {
			ss.deliver(e)
		}
	}
}

// Hold keeps back what happens from now on; what it returns lets it go.
func (s *Server) Hold(b *Bot) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.held = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		b.held = false
		for _, ss := range s.sessionsOf(b) {
			for _, e := range ss.pending {
				ss.deliver(e)
			}
			ss.pending = nil
		}
	}
}

// Shuffle turns what is held back round: the last comes first.
func (s *Server) Shuffle(b *Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessionsOf(b) {
		slices.Reverse(ss.pending)
	}
}

// Drop breaks the connections of a bot without a word. Their sessions wait to be
// resumed.
func (s *Server) Drop(b *Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessionsOf(b) {
		if ss.conn != nil {
			ss.conn.drop()
		}
	}
}

// CloseWith closes the connections of a bot with a code, such as 4000.
func (s *Server) CloseWith(b *Bot, code int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessionsOf(b) {
		ss.close(code, "")
	}
}

// Reconnect asks the clients of a bot to come back, as Discord does when it
// restarts something.
func (s *Server) Reconnect(b *Bot) { s.ask(b, opReconnect) }

// Invalidate tells the clients of a bot that their session is invalid. One that
// is resumable waits; another is gone, with what its client has missed.
func (s *Server) Invalidate(b *Bot, resumable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessionsOf(b) {
		c := ss.conn
		if c != nil {
			s.detach(c)
			c.invalid(resumable)
		}
		if !resumable {
			delete(s.sessions, ss.id)
		}
	}
	s.happened()
}

// AskHeartbeat asks the clients of a bot for a heartbeat now, which is not the one
// that is due.
func (s *Server) AskHeartbeat(b *Bot) { s.ask(b, opHeartbeat) }

func (s *Server) ask(b *Bot, op int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ss := range s.sessionsOf(b) {
		if ss.conn != nil {
			ss.conn.send(frame{Op: op})
		}
	}
}

// Heartbeats returns how many came of a bot, over all its sessions.
func (s *Server) Heartbeats(b *Bot) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return b.beats
}

// Deafen stops acknowledging the heartbeats of a bot, whose connections are then
// as if dead; what it returns ends that.
func (s *Server) Deafen(b *Bot) (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.deaf = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		b.deaf = false
	}
}
