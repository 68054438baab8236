package whatsapp

import "go.mau.fi/whatsmeow/proto/waE2E"

// read says what kind of message somebody sees, and its text; "" for what a
// phone shows nothing of.
func read(m *waE2E.Message) (kind, text string) {
	switch {
	case m.Conversation != nil:
		return "text", m.GetConversation()
	case m.ExtendedTextMessage != nil:
		return "text", m.GetExtendedTextMessage().GetText()
	case m.ImageMessage != nil:
		return "image", m.GetImageMessage().GetCaption()
	case m.VideoMessage != nil:
		return "video", m.GetVideoMessage().GetCaption()
	case document(m) != nil:
		return "document", document(m).GetCaption()
	case m.GetAudioMessage().GetPTT():
		return "voice", ""
	case m.AudioMessage != nil:
		return "audio", ""
	case m.StickerMessage != nil:
		return "sticker", ""
	case m.ContactMessage != nil:
		return "contact", m.GetContactMessage().GetDisplayName()
	case m.LocationMessage != nil:
		return "location", ""
	case poll(m) != nil:
		return "poll", poll(m).GetName()
	case m.SenderKeyDistributionMessage != nil, m.PollUpdateMessage != nil:
		return "", ""
	}
	return "?", ""
}

func document(m *waE2E.Message) *waE2E.DocumentMessage {
	if d := m.GetDocumentWithCaptionMessage().GetMessage().GetDocumentMessage(); d != nil {
		return d
	}
	return m.GetDocumentMessage()
}

func poll(m *waE2E.Message) *waE2E.PollCreationMessage {
	for _, p := range []*waE2E.PollCreationMessage{m.GetPollCreationMessage(), m.GetPollCreationMessageV2(), m.GetPollCreationMessageV3()} {
		if p != nil {
			return p
		}
	}
	return nil
}

// about returns what a message refers to: the message that it quotes and the people that it
// mentions.
func about(m *waE2E.Message) *waE2E.ContextInfo {
	for _, c := range []interface{ GetContextInfo() *waE2E.ContextInfo }{m.GetExtendedTextMessage(), m.GetImageMessage(), m.GetVideoMessage(),
		document(m), m.GetAudioMessage(), m.GetStickerMessage(), m.GetContactMessage(), poll(m)} {
		if info := c.GetContextInfo(); info != nil {
			return info
		}
	}
	return nil
}

func quoted(m *waE2E.Message) string { return about(m).GetStanzaID() }

func quote(m *waE2E.Message) string {
	if q := about(m).GetQuotedMessage(); q != nil {
		_, words := read(q)
		return words
	}
	return ""
}
