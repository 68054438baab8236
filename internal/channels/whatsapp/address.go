package whatsapp

import (
	"context"
	"fmt"
	"strings"

	"go.mau.fi/whatsmeow/types"
)

// LIDs maps between the two addresses of a person. It returns an empty address if it does not know
// the other one. whatsmeow's stores implement it.
type LIDs interface {
	GetPNForLID(ctx context.Context, lid types.JID) (types.JID, error)
	GetLIDForPN(ctx context.Context, pn types.JID) (types.JID, error)
}

// A Person has two addresses, of which one may be unknown. The zero value is no person.
type Person struct {
	PN  types.JID // by phone number
	LID types.JID
}

// PersonOf returns the person with the addresses that a message contains. It fills in a missing
// address from lids.
func PersonOf(ctx context.Context, lids LIDs, lines ...types.JID) (Person, error) {
	var p Person
	for _, jid := range lines {
		switch jid = plain(jid); {
		case jid.User == "":
		case jid.Server == types.DefaultUserServer && p.PN.IsEmpty():
			p.PN = jid
		case jid.Server == types.HiddenUserServer && p.LID.IsEmpty():
			p.LID = jid
		}
	}
	var err error
	switch {
	case p.PN.IsEmpty() && !p.LID.IsEmpty():
		p.PN, err = lids.GetPNForLID(ctx, p.LID)
		p.PN = plain(p.PN) // the store keeps the device part
	case p.LID.IsEmpty() && !p.PN.IsEmpty():
		p.LID, err = lids.GetLIDForPN(ctx, p.PN)
		p.LID = plain(p.LID)
	}
	if err != nil {
		return p, fmt.Errorf("look up the other address of somebody: %w", err)
	}
	return p, nil
}

func plain(jid types.JID) types.JID {
	jid = jid.ToNonAD()
	switch jid.Server {
	case types.LegacyUserServer, types.HostedServer:
		jid.Server = types.DefaultUserServer
	case types.HostedLIDServer:
		jid.Server = types.HiddenUserServer
	}
	return jid
}

// IDs returns the ids of the person, the phone number first. The number is digits only, as people
// write it in lists of permitted senders. The LID keeps its server part, because it is not a phone
// number.
func (p Person) IDs() []string {
	var ids []string
	if !p.PN.IsEmpty() {
		ids = append(ids, p.PN.User)
	}
	if !p.LID.IsEmpty() {
		ids = append(ids, p.LID.String())
	}
	return ids
}

// Chat returns the id of the direct chat with the person: the phone number if known.
func (p Person) Chat() string {
	if !p.PN.IsEmpty() {
		return p.PN.String()
	}
	return p.LID.String()
}

// Is reports whether jid is one of the person's addresses.
func (p Person) Is(jid types.JID) bool {
	jid = plain(jid)
	return jid.User != "" && (jid == p.PN || jid == p.LID)
}

// ParseAddress parses the address of a person or a group. It is false for anything else, such as a
// newsletter or a status broadcast.
func ParseAddress(text string) (types.JID, bool) {
	if strings.Count(text, "@") != 1 {
		return types.JID{}, false
	}
	jid, err := types.ParseJID(strings.TrimSpace(text))
	if err != nil || jid.User == "" || strings.ContainsAny(jid.User, " \t\n") {
		return types.JID{}, false
	}
	switch jid = plain(jid); jid.Server {
	case types.DefaultUserServer, types.HiddenUserServer:
		return jid, digitsOnly(jid.User)
	case types.GroupServer:
		return jid, true
	}
	return types.JID{}, false
}

// ResolveChat returns the recipient of a message to a chat, by the first rule that applies:
//
//  1. chat is an address: that address. A LID with a known number becomes that number.
//  2. chat contains a phone number, such as "+49 171 1234567": that number.
//  3. Otherwise the chat that was stored with the task.
func ResolveChat(ctx context.Context, lids LIDs, chat, stored string) (types.JID, error) {
	for _, c := range []string{chat, stored} {
		if jid, ok := ParseAddress(c); ok {
			if jid.Server != types.HiddenUserServer {
				return jid, nil
			}
			p, err := PersonOf(ctx, lids, jid)
			if err != nil {
				return types.JID{}, err
			}
			if !p.PN.IsEmpty() {
				return p.PN, nil
			}
			return jid, nil
		}
		if number, ok := ParseNumber(c); ok {
			return types.NewJID(number, types.DefaultUserServer), nil
		}
	}
	return types.JID{}, ErrNoChat
}

// ErrNoChat means that a text identifies no chat.
var ErrNoChat = fmt.Errorf("that is no chat on WhatsApp: neither an address nor a phone number with its country code")

// ParseNumber reads a phone number as people write them, with its country code, and
// returns its digits.
func ParseNumber(text string) (string, bool) {
	text = strings.TrimSpace(text)
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -()./\u00a0\u202f", r) {
			return -1
		}
		return r
	}, text)
	if with, ok := strings.CutPrefix(digits, "+"); ok {
		digits = with
	} else if with, ok := strings.CutPrefix(digits, "00"); ok {
		digits = with
	}
	// E.164: at most 15 digits. A leading 0 means that the country code is missing.
	if len(digits) < 7 || len(digits) > 15 || digits[0] == '0' || !digitsOnly(digits) {
		return "", false
	}
	return digits, true
}

func digitsOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
