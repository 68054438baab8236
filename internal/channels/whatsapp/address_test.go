package whatsapp_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"go.mau.fi/whatsmeow/types"

	"errand/internal/channels/whatsapp"
)

// known is a store of LIDs as whatsmeow's is: it answers with the device that it
// was asked with.
type known map[string]string // LID by number

func (k known) GetLIDForPN(_ context.Context, pn types.JID) (types.JID, error) {
	if lid, ok := k[pn.User]; ok {
		return types.JID{User: lid, Device: pn.Device, Server: types.HiddenUserServer}, nil
	}
	return types.JID{}, nil
}

func (k known) GetPNForLID(_ context.Context, lid types.JID) (types.JID, error) {
	for pn, l := range k {
		if l == lid.User {
			return types.JID{User: pn, Device: 7, Server: types.DefaultUserServer}, nil
		}
	}
	return types.JID{}, nil
}

type broken struct{}

func (broken) GetLIDForPN(context.Context, types.JID) (types.JID, error) {
	return types.JID{}, errDiskFull
}
func (broken) GetPNForLID(context.Context, types.JID) (types.JID, error) {
	return types.JID{}, errDiskFull
}

var errDiskFull = errors.New("disk")

var ana = known{"491711234567": "100001"}

func jid(t *testing.T, s string) types.JID {
	t.Helper()
	j, err := types.ParseJID(s)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestAddressesOfOnePerson proves that all addresses of a person, on all of their devices, are the
// same person in the same chat.
func TestAddressesOfOnePerson(t *testing.T) {
	both := []string{"491711234567", "100001@lid"}
	tests := []struct {
		name string
		lids known
		told []string
		ids  []string
		chat string
	}{
		{"number and LID", nil, []string{"491711234567@s.whatsapp.net", "100001@lid"}, both, "491711234567@s.whatsapp.net"},
		{"LID and number", nil, []string{"100001@lid", "491711234567@s.whatsapp.net"}, both, "491711234567@s.whatsapp.net"},
		{"of a device", nil, []string{"100001:3@lid", "491711234567:3@s.whatsapp.net"}, both, "491711234567@s.whatsapp.net"},
		{"of a device and an agent", nil, []string{"491711234567.0:3@s.whatsapp.net", "100001:3@lid"}, both, "491711234567@s.whatsapp.net"},
		{"the LID, its number is known", ana, []string{"100001@lid"}, both, "491711234567@s.whatsapp.net"},
		{"the LID of a device, its number is known", ana, []string{"100001:9@lid"}, both, "491711234567@s.whatsapp.net"},
		{"the number, its LID is known", ana, []string{"491711234567:9@s.whatsapp.net"}, both, "491711234567@s.whatsapp.net"},
		{"the number alone", nil, []string{"491711234567@s.whatsapp.net"}, both[:1], "491711234567@s.whatsapp.net"},
		{"the LID alone", nil, []string{"100001@lid"}, both[1:], "100001@lid"},
		{"by the server's old name", ana, []string{"491711234567@c.us"}, both, "491711234567@s.whatsapp.net"},
		{"hosted", nil, []string{"491711234567:99@hosted", "100001:99@hosted.lid"}, both, "491711234567@s.whatsapp.net"},
		{"nobody", ana, []string{"", "123@newsletter"}, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var lines []types.JID
			for _, s := range tt.told {
				lines = append(lines, jid(t, s))
			}
			p, err := whatsapp.PersonOf(t.Context(), tt.lids, lines...)
			if err != nil || !slices.Equal(p.IDs(), tt.ids) || p.Chat() != tt.chat {
				t.Errorf("it is %q in %q, %v; want %q in %q", p.IDs(), p.Chat(), err, tt.ids, tt.chat)
			}
			for _, s := range lines {
				if s.User != "" && len(tt.ids) > 0 && !p.Is(s) {
					t.Errorf("%s is somebody else", s)
				}
			}
			if p.Is(jid(t, "491719999999@s.whatsapp.net")) || p.Is(types.JID{}) {
				t.Error("somebody else is the same")
			}
		})
	}
}

// TestResolve proves where a late notification goes, whatever the chat is called.
func TestResolve(t *testing.T) {
	const pn, stored = "491711234567@s.whatsapp.net", "4930100@s.whatsapp.net"
	tests := []struct {
		name         string
		lids         known
		chat, stored string
		want         string // empty: an error
	}{
		{"an address by number", nil, pn, stored, pn},
		{"a group", nil, "120363@g.us", stored, "120363@g.us"},
		{"an old group", nil, "491711234567-1400000000@g.us", stored, "491711234567-1400000000@g.us"},
		{"of a device", nil, "491711234567:12@s.whatsapp.net", stored, pn},
		{"the server's old name", nil, "491711234567@c.us", stored, pn},
		{"a LID whose number is known", ana, "100001@lid", stored, pn},
		{"the LID of a device", ana, "100001:4@lid", stored, pn},
		{"a LID whose number is not known", nil, "100001@lid", stored, "100001@lid"},
		{"digits", nil, "491711234567", stored, pn},
		{"as people write it", nil, " +49 (171) 123-4567 ", stored, pn},
		{"with a protected space", nil, "+49\u00a0171\u202f1234567", stored, pn},
		{"with two zeros", nil, "0049 171 1234567", stored, pn},
		{"without its country code", nil, "0171 1234567", stored, stored},
		{"a name", nil, "Ana", stored, stored},
		{"empty", nil, "", stored, stored},
		{"empty, a LID was stored", ana, "", "100001@lid", pn},
		{"too long a number", nil, "1234567890123456", stored, stored},
		{"too short a number", nil, "112", stored, stored},
		{"letters for a number", nil, "ana@s.whatsapp.net", stored, stored},
		{"everybody's status", nil, "status@broadcast", stored, stored},
		{"a newsletter", nil, "123@newsletter", stored, stored},
		{"an address with two servers", nil, "1@lid@s.whatsapp.net", stored, stored},
		{"nothing at all", nil, "", "", ""},
		{"nothing that is a chat", nil, "Ana", "status@broadcast", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := whatsapp.ResolveChat(t.Context(), tt.lids, tt.chat, tt.stored)
			if got.String() != tt.want || (err != nil) != (tt.want == "") {
				t.Errorf("it goes to %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}

// TestStoreFails proves that a store that cannot be read is not taken for one
// that knows nothing: a session must not begin under another name.
func TestStoreFails(t *testing.T) {
	if _, err := whatsapp.PersonOf(t.Context(), broken{}, jid(t, "100001@lid")); !errors.Is(err, errDiskFull) {
		t.Errorf("Of = %v", err)
	}
	if _, err := whatsapp.ResolveChat(t.Context(), broken{}, "100001@lid", ""); !errors.Is(err, errDiskFull) {
		t.Errorf("Resolve = %v", err)
	}
}

// TestMessageID proves that an id can be taken apart again, and that one that
// only looks like two parts is one.
func TestMessageID(t *testing.T) {
	tests := []struct{ text, id, by string }{
		{whatsapp.FormatMessageID("3EB0AA", ""), "3EB0AA", ""},
		{whatsapp.FormatMessageID("3EB0AA", "491711234567@s.whatsapp.net"), "3EB0AA", "491711234567@s.whatsapp.net"},
		{whatsapp.FormatMessageID("a/b", "100001@lid"), "a/b", "100001@lid"},
		{"a/b", "a/b", ""},
		{"a/120363@g.us", "a/120363@g.us", ""},
		{"", "", ""},
	}
	for _, tt := range tests {
		if id, by := whatsapp.ParseMessageID(tt.text); id != tt.id || by.String() != tt.by {
			t.Errorf("%q is %q by %q", tt.text, id, by)
		}
	}
}
