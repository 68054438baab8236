package discord

import (
	"encoding/json"
	"slices"
	"time"
)

const dayOfPoll = 24 * time.Hour

type shown struct {
	message
	channel *Channel
	by      Account
	replied *shown       // what it replies to; it may be deleted
	only    *Person      // who alone sees it; nil: everybody
	press   *Interaction // that it answers
	deleted bool
	pings   []string // the people that it pinged when it was written
}

func (s *Server) draw(c *Channel, by Account) *shown {
	id := s.id()
	m := &shown{channel: c, by: by, message: message{ID: id, ChannelID: c.ID, Author: by.account(), Timestamp: s.now(),
		Mentions: []*user{}, MentionRoles: []string{}, Attachments: []attachment{}, Embeds: []embed{}, Components: []component{}}}
	return m
}

// publish adds a message to its channel and tells the bots; the caller holds mu.
func (s *Server) publish(m *shown) {
	c := m.channel
	c.shown = append(c.shown, m)
	if b, is := m.by.(*Bot); is {
		delete(b.typing, c.ID) // a bot that has written stops typing
	}
	if m.only == nil {
		c.last = m.ID
		if c.archived {
			c.archived = false
			s.sendToChannel(c, guilds, "THREAD_UPDATE", c.info())
		}
		s.sendMessage("MESSAGE_CREATE", m)
	}
	s.happened()
}

// render is a message as a bot gets it. Without the intent for it, content is
// only in direct messages, in its own messages, and in those that mention it.
func (s *Server) render(m *shown, b *Bot, content bool) *message {
	info := m.message
	info.Attachments = []attachment{}
	for _, a := range m.Attachments {
		info.Attachments = append(info.Attachments, s.sign(a))
	}
	info.Reactions = slices.Clone(m.Reactions)
	for i := range info.Reactions {
		info.Reactions[i].Me = slices.Contains(info.Reactions[i].by, b.ID)
	}
	if m.replied != nil {
		if info.Referenced = json.RawMessage("null"); !m.replied.deleted {
			to := *m.replied
			to.replied = nil
			info.Referenced = s.render(&to, b, content)
		}
	}
	concerned := m.channel.guild == nil || m.Author.ID == b.ID || m.press != nil && m.press.bot == b ||
		slices.ContainsFunc(m.Mentions, func(u *user) bool { return u.ID == b.ID })
	if !content && !concerned {
		info.Content, info.Embeds, info.Attachments, info.Components, info.Poll, info.Snapshots = "", []embed{}, []attachment{}, []component{}, nil, nil
	}
	return &info
}

type remembered struct {
	m  *shown
	at time.Time
}

func (s *Server) createMessage(r *request) (any, error) {
	need := SendMessages
	if c := s.channels[r.PathValue("channel")]; c != nil && c.parent != nil {
		need = SendMessagesInThreads
	}
	c, err := s.channel(r, need)
	if err != nil {
		return nil, err
	}
	d, err := r.draft()
	if err != nil {
		return nil, err
	}
	switch {
	case c.guild == nil && !s.reachable(c.with, r.bot):
		return nil, errSend
	case c.archived && c.locked:
		return nil, errArchived
	case len(d.files) > 0 && s.may(r.bot, c, AttachFiles) != nil:
		return nil, errPermissions
	}
	// Discord looks for a nonce of the author's, whatever the channel.
	key := r.bot.ID + " " + d.nonce()
	if old, seen := s.nonces[key]; d.EnforceNonce && d.nonce() != "" && seen && s.opts.Now().Sub(old.at) < s.opts.NonceFor {
		return s.render(old.m, r.bot, true), nil
	}
	m := s.draw(c, r.bot)
	m.TTS, m.Flags, m.Nonce = d.TTS, d.Flags&^(flagEphemeral|flagLoading), d.Nonce
	if err := s.refer(m, d.Reference); err != nil {
		return nil, err
	}
	if err := s.put(d, m); err != nil {
		return nil, err
	}
	if d.nonce() != "" {
		s.nonces[key] = remembered{m, s.opts.Now()}
	}
	s.publish(m)
	return s.render(m, r.bot, true), nil
}

func (s *Server) refer(m *shown, to *reference) error {
	if to == nil || to.MessageID == "" {
		return nil
	}
	if to.ChannelID != "" && to.ChannelID != m.channel.ID {
		return invalid([]string{"message_reference"}, "REPLIES_CANNOT_REFERENCE_OTHER_CHANNEL", "Cannot reply to a message in a different channel")
	}
	if s.may(m.by, m.channel, ReadHistory) != nil {
		return no(403, 160002, "Cannot reply without permission to read message history")
	}
	m.replied = m.channel.find(to.MessageID)
	if m.replied == nil || m.replied.only != nil {
		m.replied = nil
		if to.Fail == nil || *to.Fail {
			return invalid([]string{"message_reference"}, "REPLIES_UNKNOWN_MESSAGE", "Unknown message")
		}
		return nil
	}
	m.Type = typeReply
	m.Reference = &reference{MessageID: to.MessageID, ChannelID: m.channel.ID}
	if m.channel.guild != nil {
		m.Reference.GuildID = m.channel.guild.ID
	}
	return nil
}

func (s *Server) editMessage(r *request) (any, error) {
	m, err := s.message(r, ViewChannel)
	if err != nil {
		return nil, err
	}
	if m.by != Account(r.bot) {
		return nil, errAuthor
	}
	d, err := r.draft()
	if err != nil {
		return nil, err
	}
	if err := s.revise(m, d); err != nil {
		return nil, err
	}
	return s.render(m, r.bot, true), nil
}

// revise edits a message. Nobody is pinged by that.
func (s *Server) revise(m *shown, d *draft) error {
	pings := m.pings
	if err := s.put(d, m); err != nil {
		return err
	}
	now := s.now()
	m.pings, m.Edited = pings, &now
	if m.only == nil {
		s.sendMessage("MESSAGE_UPDATE", m)
	}
	s.happened()
	return nil
}

func (s *Server) deleteMessage(r *request) (any, error) {
	m, err := s.message(r, ViewChannel)
	if err != nil {
		return nil, err
	}
	switch {
	case m.by == Account(r.bot):
	case m.channel.guild == nil:
		return nil, errDM
	case s.may(r.bot, m.channel, ManageMessages) != nil:
		return nil, errPermissions
	}
	s.erase(m)
	return nil, nil
}

func (s *Server) erase(m *shown) {
	m.deleted = true
	if m.only == nil {
		info := map[string]string{"id": m.ID, "channel_id": m.channel.ID}
		intent := directMessages
		if g := m.channel.guild; g != nil {
			info["guild_id"], intent = g.ID, guildMessages
		}
		s.sendToChannel(m.channel, intent, "MESSAGE_DELETE", info)
	}
	s.happened()
}

func timeOf(id string) time.Time { return time.UnixMilli(number(id)>>22 + epoch) }
