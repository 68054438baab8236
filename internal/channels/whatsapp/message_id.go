package whatsapp

import (
	"strings"

	"go.mau.fi/whatsmeow/types"
)

// In a group a message is identified by its id and its author: two people may use the same id, and
// only the author may change a message. So errand's id of a group message contains both.

// FormatMessageID returns errand's id of a received message. by is the address of the author in a
// group, and empty in a direct chat.
func FormatMessageID(id types.MessageID, by string) string {
	if by == "" {
		return id
	}
	return id + "/" + by
}

// ParseMessageID is the inverse of FormatMessageID. by is empty if the id contains no author.
func ParseMessageID(text string) (id types.MessageID, by types.JID) {
	if i := strings.LastIndexByte(text, '/'); i >= 0 {
		if jid, ok := ParseAddress(text[i+1:]); ok && jid.Server != types.GroupServer {
			return text[:i], jid
		}
	}
	return text, types.JID{}
}
