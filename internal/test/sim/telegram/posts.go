package telegram

import (
	"regexp"
	"slices"
	"strconv"
	"unicode/utf16"
)

// A Post is what a person writes. Text is a caption where there is anything else.
type Post struct {
	Text     string
	ReplyTo  int // a message of the same chat
	Thread   int // a topic
	Sticker  string
	Voice    []byte
	Document []byte
	Name     string // of the document, video or music
	Photo    []byte
	Video    []byte
	Audio    []byte // music, not spoken for the message
	Size     int    // what is said of the file; default: what is true
	Album    string // posts with the same are shown as one
	Contact  string // a phone number
	Poll     string
	// Forwarded is from what kind of place it was passed on; clients made before
	// there was that kind do not know it.
	Forwarded string
	// Unknown is a message with nothing in it that a bot of today can read.
	Unknown bool
}

// Write is a person writing text; it returns the id of the message.
func (s *Server) Write(c *Chat, by *Person, text string) int { return s.Post(c, by, Post{Text: text}) }

// Post is a person writing anything.
func (s *Server) Post(c *Chat, by *Person, p Post) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.started = true
	m := &message{ID: c.nextID(), From: by.user(), Chat: c.info(), Date: s.opts.Now().Unix(), Thread: p.Thread, Topic: p.Thread != 0}
	file := func(data []byte, folder string) *File { return s.store(data, p.Size, folder) }
	media := true
	switch {
	case p.Sticker != "":
		m.Sticker = file([]byte(p.Sticker), "stickers")
		m.Sticker.Emoji, m.Sticker.Type, m.Sticker.Width, m.Sticker.Height = p.Sticker, "regular", 512, 512
	case p.Voice != nil:
		m.Voice = file(p.Voice, "voice")
		m.Voice.Duration, m.Voice.MIME = 3, "audio/ogg"
	case p.Document != nil:
		m.Document = file(p.Document, "documents")
		m.Document.Name, m.Document.MIME = p.Name, "application/octet-stream"
	case p.Video != nil:
		m.Video = file(p.Video, "videos")
		m.Video.Name, m.Video.MIME, m.Video.Duration = p.Name, "video/mp4", 3
	case p.Audio != nil:
		m.Audio = file(p.Audio, "music")
		m.Audio.Name, m.Audio.MIME, m.Audio.Duration = p.Name, "audio/mpeg", 180
	case p.Photo != nil: // in two sizes, as Telegram has it: the first is a thumbnail
		small, large := s.store(p.Photo[:len(p.Photo)/2], 0, "photos"), file(p.Photo, "photos")
		small.Width, small.Height, large.Width, large.Height = 90, 60, 1280, 853
		m.Photo = []File{*small, *large}
	case p.Contact != "":
		m.Contact = &contact{p.Contact, "Somebody"}
	case p.Poll != "":
		m.Poll = &poll{strconv.FormatInt(s.id(), 10), p.Poll, "regular"}
	default:
		media = p.Unknown
	}
	if media {
		m.Caption, m.CaptionEntities, m.Album = p.Text, entitiesOf(p.Text), p.Album
	} else {
		m.Text, m.Entities = p.Text, entitiesOf(p.Text)
	}
	if p.Forwarded != "" {
		m.Origin = &origin{p.Forwarded, m.Date}
	}
	if p.ReplyTo != 0 {
		if to := c.find(p.ReplyTo); to != nil {
			plain := *to.message
			plain.ReplyTo = nil
			m.ReplyTo = &plain
		}
	}
	c.shown = append(c.shown, &shown{message: m})
	s.deliver(c, func() *update { return &update{Message: m} }, m)
	s.happened()
	return m.ID
}

// Edit is a person changing what they wrote.
func (s *Server) Edit(c *Chat, id int, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := c.find(id)
	if line == nil {
		return
	}
	m := *line.message
	if m.Photo != nil || m.Document != nil || m.Video != nil || m.Audio != nil || m.Voice != nil {
		m.Caption, m.CaptionEntities = text, entitiesOf(text)
	} else {
		m.Text, m.Entities = text, entitiesOf(text)
	}
	m.EditDate = s.opts.Now().Unix() // the same for edits within a second
	line.message = &m
	s.deliver(c, func() *update { return &update{Edited: &m} }, &m)
	s.happened()
}

// Remove is a person deleting a message, for everybody. A bot is not told of it.
func (s *Server) Remove(c *Chat, id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m := c.find(id); m != nil {
		m.deleted = true
		s.happened()
	}
}

// Press is a person pressing a button of a message; it returns the id of the
// press, for Answered. It is empty if there is no such button.
func (s *Server) Press(c *Chat, by *Person, id int, button string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	line := c.find(id)
	if line == nil || line.message.Markup == nil {
		return ""
	}
	for _, row := range line.message.Markup.Rows {
		for _, b := range row {
			if b.Text != button {
				continue
			}
			bot := line.bot
			press := &callback{ID: strconv.FormatInt(s.id(), 10), From: by.user(), Message: line.message, Instance: strconv.FormatInt(c.ID, 10), Data: b.Data}
			bot.push(&update{Callback: press})
			s.happened()
			return press.ID
		}
	}
	return ""
}

// Answered returns what somebody who pressed a button was shown, and whether
// the bot has answered at all.
func (s *Server) Answered(press string) (string, bool) {
	for _, c := range s.Calls("answerCallbackQuery") {
		if c.Params["callback_query_id"] == press {
			return c.Params["text"], true
		}
	}
	return "", false
}

var marks = regexp.MustCompile(`(^|[\s(])(/[A-Za-z0-9_]{1,64}(?:@[A-Za-z0-9_]+)?|@[A-Za-z0-9_]{3,})`)

func entitiesOf(text string) []Entity {
	var list []Entity
	for _, at := range marks.FindAllStringSubmatchIndex(text, -1) {
		piece, kind := text[at[4]:at[5]], "mention"
		if piece[0] == '/' {
			kind = "bot_command"
		}
		list = append(list, Entity{Type: kind, Offset: units(text[:at[4]]), Length: units(piece)})
	}
	return slices.Clip(list)
}

func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
