package whatsapp

import (
	"maps"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waCommon"
	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
	"go.mau.fi/whatsmeow/types/events"
)

// A Line is a message as a person sees it on their phone.
type Line struct {
	ID      string
	By      string    // the name of who wrote it
	Sender  types.JID // by what the phone saw them
	Mine    bool      // the person wrote it, or a device that is linked to their phone
	Kind    string    // "text", "image", "video", "document", "voice", "audio", "sticker", "contact", "poll", or "?"
	Text    string    // or the caption, the contact's name, the poll's question
	Name    string    // of a document
	ReplyTo string    // id of the message that is quoted
	Quote   string    // what a phone shows of it: what came with the answer
	Edited  bool
	Revoked bool // its text is gone
	// Reactions are emojis by the names of who gave them.
	Reactions map[string]string
	// Repeated is how often the message came again under its id, which a phone
	// does not show: 0 is how it should be.
	Repeated int

	message *waE2E.Message
}

// ledger is what a person's phone shows. The server's mu guards it.
type ledger struct {
	chats  map[string][]*Line
	typing map[string]bool
	broken []string // messages that could not be decrypted
}

// Sees returns what the person sees in a chat, in order: with a person, by either
// address, or in a group.
func (p *Person) Sees(chat types.JID) []Line {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	var lines []Line
	for _, l := range p.seen.chats[p.s.chat(chat)] {
		line := *l
		line.Reactions = maps.Clone(l.Reactions)
		lines = append(lines, line)
	}
	return lines
}

// Hears returns of a chat what others wrote, in order.
func (p *Person) Hears(chat types.JID) []Line {
	var lines []Line
	for _, l := range p.Sees(chat) {
		if !l.Mine {
			lines = append(lines, l)
		}
	}
	return lines
}

// Undecrypted returns the ids of messages that the phone could not open, each
// time it could not.
func (p *Person) Undecrypted() []string {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return append([]string(nil), p.seen.broken...)
}

// Typing reports whether the person sees that somebody is writing to them.
func (p *Person) Typing(chat types.JID) bool {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.seen.typing[p.s.chat(chat)]
}

func (s *Server) chat(jid types.JID) string {
	if p := s.person(jid); p != nil {
		return p.Number
	}
	return jid.ToNonAD().String()
}

func (s *Server) nameOf(jid types.JID) string {
	if p := s.person(jid); p != nil {
		return p.Name
	}
	return jid.User
}

func (p *Person) happens(event any) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	defer p.s.happened()
	switch e := event.(type) {
	case *events.Message:
		p.seen.typing[p.s.chat(e.Info.Chat)] = false
		p.shownMessage(e.Info.Chat, e.Info.Sender, e.Info.IsFromMe, e.Info.ID, e.Message)
	case *events.UndecryptableMessage:
		p.seen.broken = append(p.seen.broken, e.Info.ID)
	case *events.ChatPresence:
		p.seen.typing[p.s.chat(e.Chat)] = e.State == types.ChatPresenceComposing
	}
}

func (p *Person) wrote(to types.JID, id string, m *waE2E.Message) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	defer p.s.happened()
	for _, within := range []*waE2E.FutureProofMessage{m.GetEditedMessage(), m.GetViewOnceMessageV2()} {
		if within.GetMessage() != nil {
			m = within.GetMessage()
		}
	}
	p.shownMessage(to, p.LID(), true, id, m)
}

func (p *Person) shownMessage(in, by types.JID, mine bool, id string, m *waE2E.Message) {
	chat := p.s.chat(in)
	name := p.s.nameOf(by)
	if change := m.GetProtocolMessage(); change != nil {
		if l := p.seen.find(chat, change.GetKey().GetID()); l != nil && l.By == name {
			switch change.GetType() {
			case waE2E.ProtocolMessage_MESSAGE_EDIT:
				l.Edited = true
				_, l.Text = read(change.GetEditedMessage())
			case waE2E.ProtocolMessage_REVOKE:
				l.Revoked, l.Text, l.message = true, "", nil
			}
		}
		return
	}
	if reaction := m.GetReactionMessage(); reaction != nil {
		p.seen.react(chat, reaction.GetKey(), name, reaction.GetText())
		return
	}
	kind, text := read(m)
	if kind == "" {
		return
	}
	if l := p.seen.find(chat, id); l != nil && l.By == name {
		l.Repeated++
		return
	}
	p.seen.chats[chat] = append(p.seen.chats[chat], &Line{ID: id, By: name, Sender: by.ToNonAD(), Mine: mine, Kind: kind, Text: text,
		Name: document(m).GetFileName(), ReplyTo: quoted(m), Quote: quote(m), Reactions: map[string]string{}, message: m})
}

func (l *ledger) find(chat, id string) *Line {
	for _, line := range l.chats[chat] {
		if line.ID == id {
			return line
		}
	}
	return nil
}

func (l *ledger) react(chat string, key *waCommon.MessageKey, by, emoji string) {
	line := l.find(chat, key.GetID())
	switch {
	case line == nil:
	case key.Participant != nil && key.GetParticipant() != line.Sender.String():
		// In a group phones look for a message by its writer too.
	case emoji == whatsmeow.RemoveReactionText:
		delete(line.Reactions, by)
	default:
		line.Reactions[by] = emoji
	}
}

func newLedger() ledger {
	return ledger{chats: map[string][]*Line{}, typing: map[string]bool{}}
}
