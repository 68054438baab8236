package telegram

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// LongestText is how much one message holds, in UTF-16 units.
const LongestText = 4096

// most data that a button may have, in bytes
const mostData = 64

// chat returns the chat that a call is about, if the bot may act in it; the
// caller holds mu.
func (s *Server) chat(r *request) (*Chat, error) {
	id, err := strconv.ParseInt(r.params["chat_id"], 10, 64)
	if r.params["chat_id"] == "" {
		return nil, bad("chat_id is empty")
	}
	if err != nil {
		return nil, bad("chat not found")
	}
	for _, c := range s.chats {
		switch {
		case c.ID != id || c.with != nil && c.bot != r.bot:
			continue
		case c.migrated != 0:
			return nil, &refusal{400, "Bad Request: group chat was upgraded to a supergroup chat", parameters{MigrateTo: c.migrated}}
		case c.kicked[r.bot.ID]:
			return nil, forbidden("bot was kicked from the supergroup chat")
		case c.with == nil && !slices.Contains(c.members, r.bot):
			return nil, bad("chat not found")
		case c.with != nil && c.with.IsBot:
			return nil, forbidden("bots can't send messages to bots")
		case c.deactivated:
			return nil, forbidden("user is deactivated")
		case c.gone:
			return nil, forbidden("the group chat was deleted")
		case c.blocked:
			return nil, forbidden("bot was blocked by the user")
		case c.with != nil && !c.started:
			return nil, bad("chat not found") // as for anybody who never wrote
		}
		return c, nil
	}
	return nil, bad("chat not found")
}

func (s *Server) sendMessage(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.chat(r)
	if err != nil {
		return nil, err
	}
	text, entities, markup, err := r.content()
	if err != nil {
		return nil, err
	}
	m := &message{From: r.bot.user(), Chat: c.info(), Date: s.opts.Now().Unix(), Text: text, Entities: entities, Markup: markup}
	if err := c.inThread(r, m); err != nil {
		return nil, err
	}
	if m.ReplyTo, err = c.replied(r); err != nil {
		return nil, err
	}
	if err := s.limit(r.bot, c); err != nil {
		return nil, err
	}
	m.ID = c.nextID()
	c.shown = append(c.shown, &shown{message: m, bot: r.bot})
	c.draft = draft{}
	delete(r.bot.actions, c.ID)
	s.happened()
	return m, nil
}

func (c *Chat) inThread(r *request, m *message) error {
	if m.Thread = int(r.number("message_thread_id")); m.Thread == 0 {
		return nil
	}
	switch {
	case slices.Contains(c.removed, m.Thread):
		return bad("TOPIC_DELETED")
	case !slices.Contains(c.topics, m.Thread):
		return bad("message thread not found")
	}
	m.Topic = true
	return nil
}

func (c *Chat) replied(r *request) (*message, error) {
	var p struct {
		ID      int  `json:"message_id"`
		Without bool `json:"allow_sending_without_reply"`
	}
	given, err := r.object("reply_parameters", &p)
	if err != nil || !given {
		return nil, err
	}
	if to := c.find(p.ID); to != nil {
		plain := *to.message
		plain.ReplyTo = nil
		return &plain, nil
	}
	if p.Without {
		return nil, nil
	}
	return nil, bad("message to be replied not found")
}

func (r *request) content() (string, []Entity, *keyboard, error) {
	if mode := r.params["parse_mode"]; mode != "" {
		return "", nil, nil, bad("parse_mode " + mode + " is not known to this server: send entities")
	}
	text := r.params["text"]
	if !utf8.ValidString(text) {
		return "", nil, nil, bad("strings must be encoded in UTF-8")
	}
	var entities []Entity
	if _, err := r.object("entities", &entities); err != nil {
		return "", nil, nil, err
	}
	entities, err := checkEntities(text, entities)
	if err != nil {
		return "", nil, nil, err
	}
	// Space around a text is cut off, and nothing of it is left of one that is
	// only that.
	switch trimmed := strings.TrimSpace(text); {
	case trimmed == "":
		return "", nil, nil, bad("message text is empty")
	case units(text) > LongestText:
		return "", nil, nil, bad("message is too long")
	default:
		text, entities = trim(text, trimmed, entities)
	}
	markup, err := r.markup()
	return text, entities, markup, err
}

func (r *request) markup() (*keyboard, error) {
	var k keyboard
	given, err := r.object("reply_markup", &k)
	if err != nil || !given || len(k.Rows) == 0 {
		return nil, err
	}
	for _, row := range k.Rows {
		for _, b := range row {
			switch {
			case b.Text == "":
				return nil, bad("field \"text\" must be of type String and not empty")
			case b.URL == "" && b.Data == "":
				return nil, bad("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
			case len(b.Data) > mostData:
				return nil, bad("BUTTON_DATA_INVALID")
			}
		}
	}
	return &k, nil
}

func (s *Server) own(r *request, what string) (*Chat, *shown, error) {
	c, err := s.chat(r)
	if err != nil {
		return nil, nil, err
	}
	m := c.find(int(r.number("message_id")))
	switch {
	case m == nil:
		return nil, nil, bad("message to " + what + " not found")
	case m.bot != r.bot:
		return nil, nil, bad("message can't be " + strings.TrimSuffix(what, "e") + "ed")
	}
	return c, m, nil
}

func (s *Server) editMessageText(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, line, err := s.own(r, "edit")
	if err != nil {
		return nil, err
	}
	text, entities, markup, err := r.content()
	if err != nil {
		return nil, err
	}
	if text == line.Text && slices.Equal(entities, line.Entities) && sameMarkup(markup, line.Markup) {
		return nil, bad("message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message")
	}
	if err := s.limit(r.bot, c); err != nil {
		return nil, err
	}
	m := *line.message
	m.Text, m.Entities, m.Markup, m.EditDate = text, entities, markup, s.opts.Now().Unix()
	line.message = &m
	s.happened()
	return &m, nil
}

func sameMarkup(a, b *keyboard) bool {
	if a == nil || b == nil {
		return a == b
	}
	return slices.EqualFunc(a.Rows, b.Rows, func(x, y []Button) bool { return slices.Equal(x, y) })
}

func (s *Server) editMarkup(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, line, err := s.own(r, "edit")
	if err != nil {
		return nil, err
	}
	markup, err := r.markup()
	if err != nil {
		return nil, err
	}
	if sameMarkup(markup, line.Markup) {
		return nil, bad("message is not modified")
	}
	m := *line.message
	m.Markup = markup
	line.message = &m
	s.happened()
	return &m, nil
}

func (s *Server) deleteMessage(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, m, err := s.own(r, "delete")
	if err != nil {
		return nil, err
	}
	m.deleted = true
	s.happened()
	return true, nil
}

func (s *Server) sendChatAction(r *request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.chat(r)
	if err != nil {
		return nil, err
	}
	if r.params["action"] == "" {
		return nil, bad("wrong parameter action in request")
	}
	r.bot.actions[c.ID] = r.params["action"]
	s.happened()
	return true, nil
}

func (s *Server) answerCallback(r *request) (any, error) {
	if r.params["callback_query_id"] == "" {
		return nil, bad("query is too old and response timeout expired or query ID is invalid")
	}
	if utf8.RuneCountInString(r.params["text"]) > 200 {
		return nil, bad("MESSAGE_TOO_LONG")
	}
	return true, nil
}
