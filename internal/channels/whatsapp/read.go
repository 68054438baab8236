package whatsapp

import (
	"regexp"
	"strconv"
	"strings"

	"go.mau.fi/whatsmeow"
	"go.mau.fi/whatsmeow/proto/waE2E"

	"errand/internal/intake"
)

type message struct {
	text       string
	about      *waE2E.ContextInfo // the quoted message and the mentions; nil: none
	file       *file              // nil: none
	unreadable intake.Content     // kind of content that errand cannot read

	of      string // id of the message that this edits or deletes
	when    int64  // time of an edit in milliseconds
	deleted bool
}

// The metadata of a file comes from its sender and may be wrong.
type file struct {
	message    whatsmeow.DownloadableMessage
	name, kind string
	size       int64
	voiceNote  bool
}

// deepest is the number of wrappers that are opened. Clients use two or three.
const deepest = 8

// unwrap opens ephemeral, view-once, captioned and edited messages.
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

// read returns nil for messages that errand ignores, such as reactions.
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
			return nil // clients do not send an edit of an edit
		}
		if text := textOf(now); text != "" {
			// An edit leaves the attached file unchanged.
			return &message{text: text, about: aboutOf(now), of: of, when: change.GetTimestampMS()}
		}
	}
	return nil
}

// Clients send plain text in either of the first two forms.
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
	case m.PtvMessage != nil: // a round video message
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

// unreadable returns the kind of content that is neither text nor a file.
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

// choose replaces a number with the answer that it selects, because WhatsApp has no buttons. quoted
// is the question that the reply quotes.
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
