// Package whatsapp is what both halves of WhatsApp share: how it names people and
// messages, what an error of it means, and how a client talks to a server on this
// machine instead.
//
// Each person has an address by phone number (491711234567@s.whatsapp.net) and one
// that hides it, a LID (100000000000001@lid); WhatsApp shows either, in any message,
// and both are one person. Which belong together is what whatsmeow's store of LIDs
// has learned.
package whatsapp

import (
	"context"
	"fmt"
	"strings"

	"go.mau.fi/whatsmeow/types"
)

// LIDs knows which addresses are one person's. It answers with an empty address
// where it does not. Whatsmeow's stores are LIDs.
type LIDs interface {
	GetPNForLID(ctx context.Context, lid types.JID) (types.JID, error)
	GetLIDForPN(ctx context.Context, pn types.JID) (types.JID, error)
}

// A Person is somebody by both addresses, of which one may not be known. The zero
// value is nobody.
type Person struct {
	PN  types.JID // by phone number
	LID types.JID
}

// PersonOf returns whom addresses are of: those that a message tells, the other one of
// the same person filled in by lids.
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
		p.PN = plain(p.PN) // the store keeps the device
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

// IDs is what the person is known by, the number first: its digits alone, as
// people write them in lists of who gets in; the LID with its server, for it is
// not a number that anybody has.
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

// Chat is the chat with the person: by number, if it is known.
func (p Person) Chat() string {
	if !p.PN.IsEmpty() {
		return p.PN.String()
	}
	return p.LID.String()
}

// Is reports whether an address is one of the person's.
func (p Person) Is(jid types.JID) bool {
	jid = plain(jid)
	return jid.User != "" && (jid == p.PN || jid == p.LID)
}

// ParseAddress reads an address of a person or a group; false for anything else, such as
// the address of a newsletter or of everybody's status.
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

// ResolveChat returns where a message for a chat goes, by the first that applies:
//
//  1. chat is an address: there. A LID whose number is known is that number.
//  2. A phone number can be had from it, such as "+49 171 1234567": to that.
//  3. Otherwise to the chat that was stored when the errand was given.
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

// ErrNoChat says that nothing leads to a chat.
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
	// E.164: at most 15 digits. None begins with 0, which is how a number without
	// its country code does.
	if len(digits) < 7 || len(digits) > 15 || digits[0] == '0' || !digitsOnly(digits) {
		return "", false
	}
	return digits, true
}

func digitsOnly(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}
