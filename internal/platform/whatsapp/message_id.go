package whatsapp

import (
	"strings"

	"go.mau.fi/whatsmeow/types"
)

// In a group WhatsApp knows a message by its id and by whom it is: two people may
// use one id, and nobody may change what somebody else has written. So there the
// id that errand keeps of a message names both.

// FormatMessageID is the id of a message of somebody else: by is the chat of who wrote
// it, or empty in a direct chat.
func FormatMessageID(id types.MessageID, by string) string {
	if by == "" {
		return id
	}
	return id + "/" + by
}

// ParseMessageID takes an id apart again. Without somebody who wrote it, by is
// empty.
func ParseMessageID(text string) (id types.MessageID, by types.JID) {
	if i := strings.LastIndexByte(text, '/'); i >= 0 {
		if jid, ok := ParseAddress(text[i+1:]); ok && jid.Server != types.GroupServer {
			return text[:i], jid
		}
	}
	return text, types.JID{}
}
