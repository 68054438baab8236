package telegram

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/go-telegram/bot/models"

	"errand/internal/intake"
)

func isGroup(c models.Chat) bool { return c.Type != models.ChatTypePrivate }

func textOf(m *models.Message) string {
	if m.Text != "" {
		return m.Text
	}
	return m.Caption
}

// contentOf is empty for service messages, such as that a person joined.
func contentOf(m *models.Message) intake.Content {
	switch {
	case len(m.Photo) > 0, m.Video != nil, m.Animation != nil, m.VideoNote != nil, m.PaidMedia != nil, m.Story != nil:
		return intake.Image
	case m.Voice != nil, m.Audio != nil:
		return intake.Voice
	case m.Document != nil:
		return intake.File
	case m.Sticker != nil, m.Dice != nil:
		return intake.Sticker
	case m.Contact != nil, m.Location != nil, m.Venue != nil, m.Poll != nil, m.Game != nil, m.Checklist != nil, m.Invoice != nil:
		return intake.Other
	}
	return ""
}

func (c *Channel) addressed(m *models.Message) bool {
	// Forwarded text is not addressed to the bot.
	return m.ForwardOrigin == nil && c.mentionsUs(m) && !c.forAnother(m) || c.ours(m)
}

func originOf(o *models.MessageOrigin) string {
	switch {
	case o.MessageOriginUser != nil:
		return strings.TrimSpace(o.MessageOriginUser.SenderUser.FirstName + " " + o.MessageOriginUser.SenderUser.LastName)
	case o.MessageOriginHiddenUser != nil:
		return o.MessageOriginHiddenUser.SenderUserName
	case o.MessageOriginChat != nil:
		return o.MessageOriginChat.SenderChat.Title
	case o.MessageOriginChannel != nil:
		return o.MessageOriginChannel.Chat.Title
	}
	return ""
}

func (c *Channel) mentionsUs(m *models.Message) bool {
	if m.ReplyToMessage != nil && !isTopicHead(m) && m.ReplyToMessage.From != nil && m.ReplyToMessage.From.ID == c.self().ID {
		return true
	}
	found := false
	c.eachEntity(m, func(e models.MessageEntity, piece string) {
		switch e.Type {
		case models.MessageEntityTypeMention:
			found = found || strings.EqualFold(piece, "@"+c.name())
		case models.MessageEntityTypeTextMention:
			found = found || e.User != nil && e.User.ID == c.self().ID
		case models.MessageEntityTypeBotCommand:
			_, to, named := strings.Cut(piece, "@")
			found = found || e.Offset == 0 && (!named || strings.EqualFold(to, c.name()))
		}
	})
	return found
}

// mentions returns mentions by username, or by id for users without one.
func (c *Channel) mentions(m *models.Message) []intake.Mention {
	var list []intake.Mention
	c.eachEntity(m, func(e models.MessageEntity, piece string) {
		switch {
		case e.Type == models.MessageEntityTypeMention:
			list = append(list, intake.Mention{ID: strings.TrimPrefix(piece, "@"), Text: piece})
		case e.Type == models.MessageEntityTypeTextMention && e.User != nil:
			list = append(list, intake.Mention{ID: strconv.FormatInt(e.User.ID, 10), Text: piece})
		}
	})
	return list
}

func (c *Channel) forAnother(m *models.Message) bool {
	another := false
	c.eachEntity(m, func(e models.MessageEntity, piece string) {
		_, to, named := strings.Cut(piece, "@")
		if e.Type == models.MessageEntityTypeBotCommand && e.Offset == 0 && named && !strings.EqualFold(to, c.name()) {
			another = true
		}
	})
	return another
}

// eachEntity counts offsets in UTF-16 units.
func (c *Channel) eachEntity(m *models.Message, do func(models.MessageEntity, string)) {
	units := utf16.Encode([]rune(textOf(m)))
	for _, e := range slices.Concat(m.Entities, m.CaptionEntities) {
		if e.Offset >= 0 && e.Length > 0 && e.Offset+e.Length <= len(units) {
			do(e, string(utf16.Decode(units[e.Offset:e.Offset+e.Length])))
		}
	}
}

// isTopicHead detects the implicit reply to the first message of a topic, which every message
// without a reply has.
func isTopicHead(m *models.Message) bool {
	return m.IsTopicMessage && (m.ReplyToMessage.ForumTopicCreated != nil || m.ReplyToMessage.ID == m.MessageThreadID)
}

// plain removes the bot's name at the start or after a command. It replaces /start with a request
// for help.
func (c *Channel) plain(text string) string {
	text = strings.TrimSpace(text)
	name := "@" + c.name()
	if first, rest := firstWord(text); len(first) >= len(name) && strings.EqualFold(strings.TrimRight(first, ",:;!."), name) && strings.TrimSpace(rest) != "" {
		text = strings.TrimSpace(rest)
	}
	first, rest := firstWord(text)
	if command, to, named := strings.Cut(first, "@"); named && strings.HasPrefix(first, "/") && strings.EqualFold(to, c.name()) {
		first, text = command, command+rest
	}
	if first == "/start" {
		return "/help"
	}
	return text
}

func firstWord(text string) (first, rest string) {
	if i := strings.IndexAny(text, " \n\t"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
