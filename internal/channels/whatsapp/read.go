package whatsapp

import (
	"regexp"
	"strconv"
	"strings"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"

	"errand/internal/intake"
)

// A message is what a message says, once everything is unwrapped.
type message struct {
	text       string
	about      *waE2E.ContextInfo // what it answers, whom it mentions; nil: nothing
	file       *file              // nil: none
	unreadable intake.Content     // what it is that nobody can read

	of      string // an edit or a deletion: the id of the message that it is of
	when    int64  // of an edit, in milliseconds
	deleted bool
}

// A file is a picture, a recording or a document of a message. What is said of it
// is its sender's word.
type file struct {
	message    whatsmeow.DownloadableMessage
	name, kind string
	size       int64
	voiceNote  bool
}

// deepest is how many wrappers are opened. Clients use two or three.
const deepest = 8

// unwrap takes out of a message what it is wrapped in: that it disappears, may be
// seen once, has a caption, is an edit.
func unwrap(m *waE2E.Message) *waE2E.Message {
	for range deepest {
		var in *waE2E.Message
		for _, w := range []*waE2E.FutureProofMessage{m.GetEphemeralMessage(), m.GetViewOnceMessage(), m.GetViewOnceMessageV2(),
			m.GetViewOnceMessageV2Extension(), m.GetDocumentWithCaptionMessage(), m.GetEditedMessage(), m.GetGroupMentionedMessage(),
			m.GetLottieStickerMessage(), m.GetBotInvokeMessage(), m.GetAssociatedChildMessage(), m.GetBotForwardedMessage()} {
			if in = w.GetMessage(); in != nil {
				break
			}
		}
		if in == nil {
			return m
		}
		m = in
	}
	return nil
}

// read returns what a message says; nil for what only programs tell each other,
// and for what is not for us, such as a reaction.
func read(m *waE2E.Message) *message {
	m = unwrap(m)
	if m == nil {
		return nil
	}
	if change := m.GetProtocolMessage(); change != nil {
		return readChange(change)
	}
	s := &message{text: textOf(m), about: aboutOf(m), file: fileOf(m), unreadable: unreadable(m)}
	if s.text == "" && s.file == nil && s.unreadable == "" {
		return nil
	}
	return s
}

func readChange(change *waE2E.ProtocolMessage) *message {
	of := change.GetKey().GetID()
	switch {
	case of == "":
	case change.GetType() == waE2E.ProtocolMessage_REVOKE:
		return &message{of: of, deleted: true}
	case change.GetType() == waE2E.ProtocolMessage_MESSAGE_EDIT:
		now := unwrap(change.GetEditedMessage())
		if now.GetProtocolMessage() != nil {
			return nil // an edit of an edit is nothing that clients send
		}
		if text := textOf(now); text != "" {
			// What it came with is as it was.
			return &message{text: text, about: aboutOf(now), of: of, when: change.GetTimestampMS()}
		}
	}
	return nil
}

// textOf is what a person wrote, or chose from a list. Clients send text in
// either of the first two forms.
func textOf(m *waE2E.Message) string {
	for _, text := range []string{
		m.GetConversation(), m.GetExtendedTextMessage().GetText(), m.GetImageMessage().GetCaption(), m.GetVideoMessage().GetCaption(),
		m.GetDocumentMessage().GetCaption(), m.GetButtonsResponseMessage().GetSelectedDisplayText(), m.GetListResponseMessage().GetTitle(),
		m.GetTemplateButtonReplyMessage().GetSelectedDisplayText(), m.GetInteractiveResponseMessage().GetBody().GetText(),
	} {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

func aboutOf(m *waE2E.Message) *waE2E.ContextInfo {
	for _, part := range []interface{ GetContextInfo() *waE2E.ContextInfo }{
		m.GetExtendedTextMessage(), m.GetImageMessage(), m.GetVideoMessage(), m.GetDocumentMessage(), m.GetAudioMessage(), m.GetPtvMessage(),
		m.GetStickerMessage(), m.GetContactMessage(), m.GetContactsArrayMessage(), m.GetLocationMessage(), m.GetLiveLocationMessage(),
		m.GetPollCreationMessage(), m.GetPollCreationMessageV2(), m.GetPollCreationMessageV3(), m.GetButtonsResponseMessage(),
		m.GetListResponseMessage(), m.GetTemplateButtonReplyMessage(), m.GetInteractiveResponseMessage(),
	} {
		if info := part.GetContextInfo(); info != nil {
			return info
		}
	}
	return nil
}

func fileOf(m *waE2E.Message) *file {
	switch {
	case m.ImageMessage != nil:
		i := m.ImageMessage
		return &file{message: i, kind: i.GetMimetype(), size: sizeOf(i.GetFileLength())}
	case m.VideoMessage != nil:
		v := m.VideoMessage
		return &file{message: v, kind: v.GetMimetype(), size: sizeOf(v.GetFileLength())}
	case m.PtvMessage != nil: // a video in a circle
		v := m.PtvMessage
		return &file{message: v, kind: v.GetMimetype(), size: sizeOf(v.GetFileLength())}
	case m.AudioMessage != nil:
		a := m.AudioMessage
		return &file{message: a, kind: a.GetMimetype(), size: sizeOf(a.GetFileLength()), voiceNote: a.GetPTT()}
	case m.DocumentMessage != nil:
		d := m.DocumentMessage
		name := d.GetFileName()
		if name == "" {
			name = d.GetTitle()
		}
		return &file{message: d, name: name, kind: d.GetMimetype(), size: sizeOf(d.GetFileLength())}
	}
	return nil
}

func sizeOf(n uint64) int64 { return int64(min(n, 1<<62)) }

// unreadable names what a message has that is neither words nor a file.
func unreadable(m *waE2E.Message) intake.Content {
	switch {
	case m.StickerMessage != nil, m.StickerPackMessage != nil:
		return intake.Sticker
	case m.ContactMessage != nil, m.ContactsArrayMessage != nil, m.LocationMessage != nil, m.LiveLocationMessage != nil,
		m.PollCreationMessage != nil, m.PollCreationMessageV2 != nil, m.PollCreationMessageV3 != nil, m.EventMessage != nil,
		m.GroupInviteMessage != nil, m.ProductMessage != nil, m.OrderMessage != nil, m.RequestPaymentMessage != nil,
		m.SendPaymentMessage != nil, m.InvoiceMessage != nil:
		return intake.Other
	}
	return ""
}

var (
	aNumber = regexp.MustCompile(`^\s*([0-9]{1,2})\s*[.)]?\s*$`)
	anItem  = regexp.MustCompile(`^([0-9]{1,2})\. (.+)$`)
)

// choose returns the answer that a number stands for: WhatsApp has no buttons, so
// a question ends in a list of its answers, and who replies to it with a number
// means one of them. quoted is the question as the reply quotes it. Anything else
// is what it is.
func choose(text string, quoted *waE2E.Message) string {
	number := aNumber.FindStringSubmatch(text)
	if number == nil {
		return text
	}
	n, _ := strconv.Atoi(number[1])
	lines := strings.Split(strings.TrimSpace(textOf(unwrap(quoted))), "\n")
	last := 0
	for i := len(lines) - 1; i >= 0; i-- {
		item := anItem.FindStringSubmatch(lines[i])
		if item == nil {
			break
		}
		at, _ := strconv.Atoi(item[1])
		if last != 0 && at != last-1 {
			break
		}
		if last = at; at == n {
			return strings.TrimSpace(item[2])
		}
	}
	return text
}
