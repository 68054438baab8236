package whatsapp

import (
	"slices"
	"strconv"
	"time"

	"go.mau.fi/libsignal/ecc"
	"go.mau.fi/whatsmeow/types"
)

const few = 5

func (d *Device) takeKeys(n *node) {
	if id := bytesOf(n.GetChildByTag("identity")); len(id) == 32 {
		d.identity = id
	}
	if id := bytesOf(n.GetChildByTag("registration")); len(id) == 4 {
		d.registered = id
	}
	if key, ok := n.GetOptionalChildByTag("skey"); ok {
		d.signed = key
	}
	list := n.GetChildByTag("list")
	for _, key := range list.GetChildren() {
		// An upload whose answer was lost comes again with the same keys.
		if !slices.ContainsFunc(d.keys, func(k node) bool { return keyID(k) == keyID(key) }) {
			d.keys = append(d.keys, key)
		}
	}
}

func keyID(key node) string { return string(bytesOf(key.GetChildByTag("id"))) }

// giveKeys answers how many keys a device has left, or hands out those of others.
func (s *Server) giveKeys(c *conn, n *node) {
	list, ok := n.GetOptionalChildByTag("key")
	if !ok {
		c.result(n, node{Tag: "count", Attrs: attrs{"value": strconv.Itoa(len(c.device.keys))}})
		return
	}
	var users []node
	for _, user := range list.GetChildren() {
		jid := address(&user, "jid")
		answer := node{Tag: "user", Attrs: attrs{"jid": jid, "t": stamp(time.Now())}}
		if d := s.device(jid); d != nil && d.identity != nil {
			answer.Content = d.bundle()
		} else {
			answer.Content = []node{{Tag: "error", Attrs: attrs{"code": "404", "text": "item-not-found"}}}
		}
		users = append(users, answer)
	}
	c.result(n, node{Tag: "list", Content: users})
}

// bundle is what somebody needs to write to a device first. It uses one of its
// keys up; when none is left it goes without, which is weaker but works.
func (d *Device) bundle() []node {
	b := []node{{Tag: "registration", Content: d.registered}, {Tag: "type", Content: []byte{ecc.DjbType}}, {Tag: "identity", Content: d.identity}}
	if len(d.keys) > 0 {
		b = append(b, d.keys[0])
		d.keys = d.keys[1:]
		if len(d.keys) < few {
			d.deliver(node{Tag: "notification", Attrs: attrs{"type": "encrypt", "from": types.ServerJID, "id": d.s.stanza()},
				Content: []node{{Tag: "count", Attrs: attrs{"value": strconv.Itoa(len(d.keys))}}}})
		}
	}
	return append(b, d.signed)
}
