package whatsapp

import (
	"context"
	"slices"

	"go.mau.fi/whatsmeow/proto/waE2E"
	"go.mau.fi/whatsmeow/types"
)

// PostStatus is the person showing something to everybody for a day. It comes as
// a message in a chat of its own, and is not meant for anybody.
func (p *Person) PostStatus(ctx context.Context, text string) (string, error) {
	return p.Send(ctx, types.StatusBroadcastJID, &waE2E.Message{ExtendedTextMessage: &waE2E.ExtendedTextMessage{Text: &text}})
}

// audience answers who sees the person's statuses: everybody.
func (s *Server) audience(c *conn, n *node) {
	var list []node
	for _, p := range s.everybody() {
		list = append(list, node{Tag: "user", Attrs: attrs{"jid": p.LID()}})
	}
	c.result(n, node{Tag: "privacy", Content: []node{{Tag: "list", Attrs: attrs{"type": "whitelist", "default": "true"}, Content: list}}})
}

func (s *Server) routeStatus(d *Device, n *node) {
	var common []node
	for _, child := range n.GetChildren() {
		if child.Tag == "enc" {
			common = append(common, child)
		}
	}
	served := map[*Device]bool{d: true}
	list := n.GetChildByTag("participants")
	for _, each := range list.GetChildren() {
		if r := s.device(address(&each, "jid")); r != nil && !served[r] && !r.owner.blocked[d.owner] {
			served[r] = true
			r.deliver(node{Tag: "message", Attrs: d.toGroup(n, types.StatusBroadcastJID), Content: slices.Concat(each.GetChildren(), common, besides(n))})
		}
	}
}
