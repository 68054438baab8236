package whatsapp

import (
	"slices"
	"strconv"
	"strings"

	"go.mau.fi/whatsmeow/types"
)

// usync answers who is on WhatsApp, with which devices and which LID.
func (s *Server) usync(c *conn, n *node) {
	query := n.GetChildByTag("usync", "query")
	list := n.GetChildByTag("usync", "list")
	var users []node
	asked := map[types.JID]bool{}
	for _, user := range list.GetChildren() {
		if contact, ok := user.GetOptionalChildByTag("contact"); ok {
			users = append(users, s.contact(string(bytesOf(contact))))
			continue
		}
		jid := address(&user, "jid")
		if asked[jid] {
			continue
		}
		asked[jid] = true
		answer := node{Tag: "user", Attrs: attrs{"jid": jid}}
		var about []node
		if p := s.person(jid); p != nil {
			for _, want := range query.GetChildren() {
				switch {
				case want.Tag == "devices":
					about = append(about, p.deviceList())
				case want.Tag == "lid" && p.shows != ByPhoneOnly:
					about = append(about, node{Tag: "lid", Attrs: attrs{"val": p.LID()}})
				}
			}
		}
		answer.Content = about
		users = append(users, answer)
	}
	c.result(n, node{Tag: "usync", Content: []node{{Tag: "list", Content: users}}})
}

// contact answers a phone number, written "+4917…@c.us".
func (s *Server) contact(asked string) node {
	number := strings.TrimPrefix(strings.TrimSuffix(asked, "@"+types.LegacyUserServer), "+")
	p := s.people[number]
	in := node{Tag: "contact", Attrs: attrs{"type": "in"}, Content: []byte(asked)}
	switch {
	case p == nil || p.phone == nil || p.Number != number:
		in.Attrs["type"] = "out"
		return node{Tag: "user", Attrs: attrs{"jid": types.NewJID(number, types.DefaultUserServer)}, Content: []node{in}}
	case p.shows == ByPhoneOnly:
		return node{Tag: "user", Attrs: attrs{"jid": p.JID()}, Content: []node{in}}
	}
	return node{Tag: "user", Attrs: attrs{"jid": p.LID(), "pn_jid": p.JID()}, Content: []node{in}}
}

func (p *Person) deviceList() node {
	var list []node
	for _, d := range p.inOrder() {
		list = append(list, node{Tag: "device", Attrs: attrs{"id": strconv.Itoa(int(d.Number))}})
	}
	return node{Tag: "devices", Content: []node{{Tag: "device-list", Content: list}}}
}

func (p *Person) inOrder() []*Device {
	var list []*Device
	for _, d := range p.devices {
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b *Device) int { return int(a.Number) - int(b.Number) })
	return list
}

// person and device find the owner of an address; nil: unknown.
func (s *Server) person(jid types.JID) *Person {
	switch jid.Server {
	case types.DefaultUserServer, types.HiddenUserServer:
		p := s.people[jid.User]
		if p != nil && (jid.User == p.Number) == (jid.Server == types.DefaultUserServer) {
			return p
		}
	}
	return nil
}

func (s *Server) device(jid types.JID) *Device {
	if p := s.person(jid); p != nil {
		return p.devices[jid.Device]
	}
	return nil
}
